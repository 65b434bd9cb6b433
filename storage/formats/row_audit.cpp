#include "storage/formats/row_audit.h"

#include <cstring>
#include <limits>

#include "storage/model/fuzzy_store.h"
#include "storage/model/replica.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::storage::formats {
namespace {

constexpr std::int64_t kShingleSetBytes = kShingleCount * sizeof(std::uint64_t);

enum RowColumn : int { kId, kFlag, kDigest, kValue, kTime, kCreated, kSet, kTypes, kSetBytes };
constexpr const char* kRows =
    "SELECT id, flag, digest, value, time, created, shingle_set,"
    " typeof(flag) = 'integer' AND typeof(digest) = 'blob' AND typeof(value) = 'integer' AND"
    " typeof(time) = 'integer' AND typeof(created) = 'integer' AND typeof(source) = 'integer' AND"
    " typeof(shingle_set) IN ('blob', 'null'), length(shingle_set) FROM digests ORDER BY id";

enum ListColumn : int { kListId, kListFlag, kListValue, kListTypes };
constexpr const char* kLists =
    "SELECT digest_id, flag, value, typeof(digest_id) = 'integer' AND typeof(flag) = 'integer' AND"
    " typeof(value) = 'integer' FROM extra_flags ORDER BY digest_id, flag";

template <typename Int>
bool fits(std::int64_t value) {
  return value >= std::numeric_limits<Int>::min() && value <= std::numeric_limits<Int>::max();
}

}  // namespace

void note_problem(VerifyReport& report, std::string what) {
  ++report.problem_count;
  if (report.problems.size() < VerifyReport::kProblemsMax) {
    report.problems.push_back(std::move(what));
  }
}

void note_warning(VerifyReport& report, std::string what) {
  ++report.warning_count;
  if (report.warnings.size() < VerifyReport::kProblemsMax) {
    report.warnings.push_back(std::move(what));
  }
}

void RowAudit::warning(const std::string& where, std::string_view what) {
  note_warning(report_, where + ": " + std::string(what));
}

void RowAudit::problem(const std::string& where, std::string_view what) {
  note_problem(report_, where + ": " + std::string(what));
}

Status RowAudit::run(const Watcher& watcher) {
  const auto count = database_.integer("SELECT count(*) FROM digests");
  if (!count) return count.error();
  auto rows = database_.prepare(kRows);
  if (!rows) return rows.error();
  auto lists = database_.prepare(kLists);
  if (!lists) return lists.error();
  const auto first_list = lists->step();
  if (!first_list) return first_list.error();
  more_lists_ = *first_list;
  Status judged = sqlite::for_each_row(*rows, [&](const sqlite::Statement& row) -> Status {
    judge_row(row);
    const FirstList list{row.integer(kId), row.integer(kFlag), row.integer(kValue)};
    if (Status read = judge_lists(*lists, list); !read) return read;
    const bool go_on = report_.rows % kWatchEvery != 0 ||
                       watcher({"reading rows", report_.rows, static_cast<std::uint64_t>(*count)});
    return go_on ? Status() : Status(stopped());
  });
  if (!judged) return judged;
  if (Status rest = judge_lists(*lists, {std::numeric_limits<std::int64_t>::max(), 0, 0}); !rest) {
    return rest;
  }
  return judge_names();
}

Status RowAudit::judge_names() {
  if (Status judged = judge_names("recent_updates", sizeof(UpdateId)); !judged) return judged;
  return judge_names("sealed_updates", sizeof(std::uint64_t));
}

Status RowAudit::judge_names(const std::string& table, std::size_t name_bytes) {
  const std::string exists = "SELECT count(*) FROM sqlite_schema WHERE name = '" + table + "'";
  const auto there = database_.integer(exists.c_str());
  if (!there) return there.error();
  if (*there == 0) return {};  // an older schema
  const std::string size = std::to_string(name_bytes);
  const std::string wrong = "SELECT id FROM " + table +
                            " WHERE typeof(time) <> 'integer' OR typeof(names) <> 'blob' OR"
                            " length(names) = 0 OR length(names) % " +
                            size + " <> 0";
  auto rows = database_.prepare(wrong.c_str());
  if (!rows) return rows.error();
  return sqlite::for_each_row(*rows, [&](const sqlite::Statement& row) {
    problem(table + " row " + row.text(0), "its names are not " + size + " bytes each");
  });
}

void RowAudit::judge_row(const sqlite::Statement& row) {
  ++report_.rows;
  ++report_.lists;
  const std::string where = "digests row " + std::to_string(row.integer(kId));
  if (row.integer(kId) < 1 || row.integer(kId) > sqlite::kRowIdMax)
    problem(where, "id is out of range");
  if (row.integer(kTypes) == 0) problem(where, "a column has the wrong type");
  if (!fits<std::uint32_t>(row.integer(kFlag))) problem(where, "flag is out of range");
  if (!fits<std::int32_t>(row.integer(kValue))) problem(where, "value is out of range");
  judge_times(where, row);
  judge_digest(where, row);
  if (row.is_null(kSet)) return;
  ++report_.with_shingles;
  if (row.integer(kSetBytes) != kShingleSetBytes) problem(where, "shingle_set is not 256 bytes");
}

void RowAudit::judge_times(const std::string& where, const sqlite::Statement& row) {
  const std::int64_t time = row.integer(kTime);
  const std::int64_t created = row.integer(kCreated);
  if (!fits<std::uint32_t>(time) || !fits<std::uint32_t>(created)) {
    return problem(where, "time or created is out of range");
  }
  // Times like these come from a wrong clock.
  if (time == 0 || created == 0) warning(where, "time or created is 0");
  if (created > time) warning(where, "created is after time");
  if (time > std::int64_t{options_.now} + kClockSkewSeconds)
    warning(where, "time is in the future");
}

void RowAudit::judge_digest(const std::string& where, const sqlite::Statement& row) {
  const BytesView bytes = row.blob(kDigest);
  if (bytes.size() != kDigestBytes) return problem(where, "digest is not 64 bytes");
  Digest digest;
  std::memcpy(digest.bytes.data(), bytes.data(), kDigestBytes);
  const std::int64_t twin =
      digests_.find(digest, [&](std::int64_t candidate) { return has_digest(candidate, digest); });
  if (twin != 0) problem(where, "has the digest of row " + std::to_string(twin));
  digests_.add(digest, row.integer(kId));
}

bool RowAudit::has_digest(std::int64_t row, const Digest& digest) {
  auto select = database_.prepare("SELECT digest FROM digests WHERE id = ?");
  if (!select) return false;
  const auto there = select->bind(1, row).step();
  if (!there || !*there) return false;
  const BytesView theirs = select->blob(0);
  return theirs.size() == kDigestBytes &&
         std::memcmp(theirs.data(), digest.bytes.data(), kDigestBytes) == 0;
}

Status RowAudit::judge_lists(sqlite::Statement& lists, const FirstList& first) {
  std::size_t others = 0;
  while (more_lists_ && lists.integer(kListId) <= first.id) {
    ++report_.lists;
    const std::string where =
        "extra_flags row (" + lists.text(kListId) + ", " + lists.text(kListFlag) + ")";
    if (lists.integer(kListId) < first.id || first.id == std::numeric_limits<std::int64_t>::max()) {
      problem(where, "there is no such row in digests");
    } else {
      judge_list(where, lists, first);
      ++others;
    }
    const auto more = lists.step();
    if (!more) return more.error();
    more_lists_ = *more;
  }
  if (others >= kFlagsMax) {
    problem("digests row " + std::to_string(first.id), "is on more than 8 lists");
  }
  return {};
}

void RowAudit::judge_list(const std::string& where, const sqlite::Statement& list,
                          const FirstList& first) {
  const std::int64_t flag = list.integer(kListFlag);
  const std::int64_t value = list.integer(kListValue);
  if (list.integer(kListTypes) == 0) problem(where, "a column has the wrong type");
  if (!fits<std::uint32_t>(flag)) problem(where, "flag is out of range");
  if (!fits<std::int32_t>(value)) problem(where, "value is out of range");
  if (flag == first.flag) problem(where, "is in digests, too");
  if (value > first.value || (value == first.value && flag < first.flag)) {
    problem(where, "should be in digests, because its value is the largest");
  }
}

}  // namespace shingled::storage::formats
