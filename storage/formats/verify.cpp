#include "storage/formats/verify.h"

#include "storage/engine/fuzzy_index.h"
#include "storage/formats/replica_audit.h"
#include "storage/formats/row_audit.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::storage::formats {
namespace {

constexpr std::size_t kBatch = 256;  ///< rows that are added to the index together

/// Lets SQLite check its pages.
Status check_pages(sqlite::Database& database, VerifyReport& report) {
  auto check = database.prepare("PRAGMA integrity_check");
  if (!check) return check.error();
  return sqlite::for_each_row(*check, [&](const sqlite::Statement& row) {
    if (const std::string says = row.text(0); says != "ok") note_problem(report, says);
  });
}

/// Builds the index that a daemon would build from this file, and looks up each row in it.
class IndexAudit {
 public:
  IndexAudit(sqlite::FuzzyTable& table, const VerifyOptions& options, VerifyReport& report)
      : index_({.slot_owners_max = options.slot_owners_max, .expire_seconds = 0}),
        table_(table),
        report_(report),
        now_(options.now) {}

  Status run(const Watcher& watcher) {
    index_.reserve(report_.rows);
    std::vector<engine::FuzzyIndex::NewRecord> batch;
    Status built = for_each("building the index", watcher, [&](const sqlite::FuzzyRow& row) {
      batch.push_back({.fingerprint = {row.digest, row.shingles},
                       .state = {row.id, row.flags, row.created, row.updated}});
      if (batch.size() == kBatch) add(batch);
    });
    add(batch);
    index_.collect();
    if (!built) return built;
    return for_each("searching the index", watcher,
                    [&](const sqlite::FuzzyRow& row) { judge(row); });
  }

 private:
  template <typename Each>
  Status for_each(std::string_view step, const Watcher& watcher, const Each& each) {
    std::uint64_t done = 0;
    bool go_on = true;
    Status read = table_.for_each([&](const sqlite::FuzzyRow& row) {
      each(row);
      if (++done % kWatchEvery == 0) go_on = watcher({step, done, report_.rows});
      return go_on;
    });
    return go_on ? read : stopped();
  }

  void add(std::vector<engine::FuzzyIndex::NewRecord>& batch) {
    engine::RecordNeeds needs{.records = batch.size()};
    for (const engine::FuzzyIndex::NewRecord& record : batch) needs.count_lists(record.state.flags);
    if (Status fits = index_.fits(needs); !fits) {
      note_problem(report_, fits.error().message);
    } else if (index_.add(batch) != batch.size()) {
      note_problem(report_, "the index does not accept every row");
    }
    batch.clear();
  }

  void judge(const sqlite::FuzzyRow& row) {
    const std::string where = "digests row " + std::to_string(row.id);
    const std::uint32_t number = index_.find(row.digest);
    const engine::RecordState expected{row.id, row.flags, row.created, row.updated};
    if (number == 0) return note_problem(report_, where + ": the index does not have its digest");
    if (!(index_.records().state(number) == expected)) {
      return note_problem(report_, where + ": the index has another record for its digest");
    }
    if (!row.shingles) return;
    Digest other = row.digest;  // not stored, so only the shingles can match
    other.bytes.back() ^= 0xff;
    if (index_.find(other) != 0) return;
    const auto match = index_.check(other, &*row.shingles, now_);
    if (match && match->slots == kShingleCount) return;
    if (index_.slot_overflows() != 0) {
      ++report_.crowded;
    } else {
      note_problem(report_, where + ": the index does not find it by its shingles");
    }
  }

  engine::FuzzyIndex index_;
  sqlite::FuzzyTable& table_;
  VerifyReport& report_;
  std::uint32_t now_;
};

}  // namespace

Result<VerifyReport> verify_file(const std::string& path, const VerifyOptions& options,
                                 const Watcher& watcher) {
  const auto table = sqlite::FuzzyTable::open_read_only(path);
  if (!table) return table.error();
  sqlite::Database& database = (*table)->database();
  if (Status held = (*table)->hold_still(); !held) return held.error();
  VerifyReport report;
  if (!watcher({"checking pages", 0, 0})) return stopped();
  Status read = check_pages(database, report);
  if (read) read = RowAudit(database, options, report).run(watcher);
  if (read) read = ReplicaAudit(database, options, report).run(watcher);
  // If rows are damaged, the index would only show the same problems again.
  if (read && options.with_index && report.problem_count == 0) {
    read = IndexAudit(**table, options, report).run(watcher);
  }
  if (!read) {
    if (read.error().code != ErrorCode::kCorrupt) return read.error();
    note_problem(report, read.error().message);
  }
  return report;
}

}  // namespace shingled::storage::formats
