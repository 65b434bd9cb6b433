#include "storage/sqlite/rspamd_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "storage/sqlite/lost_slot.h"

namespace shingled::storage::sqlite {
namespace {

constexpr int kBusyWaitMs = 2'000;

enum DigestColumn : int { kId, kFlag, kDigest, kValue, kTime };
// A digest is 64 raw bytes that call themselves TEXT; NULL values occur (PROTOCOL.md 5.8).
constexpr const char* kDigests =
    "SELECT id, flag, CAST(digest AS BLOB), coalesce(value, 0), time FROM digests ORDER BY id";

enum SlotColumn : int { kDigestId, kNumber, kShingle };
constexpr const char* kSlots =
    "SELECT digest_id, number, value FROM shingles WHERE digest_id IS NOT NULL ORDER BY digest_id";

template <typename Int>
bool fits(std::int64_t value) {
  return value >= std::numeric_limits<Int>::min() && value <= std::numeric_limits<Int>::max();
}

/// The row of a digest without its shingles.
RspamdReader::Row row_of(const Statement& from) {
  RspamdReader::Row out;
  out.id = from.integer(kId);
  const BytesView digest = from.blob(kDigest);
  if (digest.size() != kDigestBytes) {
    out.problem = "the digest is " + std::to_string(digest.size()) + " bytes long, not 64";
  } else if (!fits<std::uint32_t>(from.integer(kFlag))) {
    out.problem = "flag " + from.text(kFlag) + " is out of range";
  } else if (from.is_null(kTime) || !fits<std::uint32_t>(from.integer(kTime))) {
    out.problem = "it has no time, or one out of range";
  } else {
    std::memcpy(out.row.digest.bytes.data(), digest.data(), kDigestBytes);
    using Value = std::numeric_limits<std::int32_t>;
    const auto value = std::clamp<std::int64_t>(from.integer(kValue), Value::min(), Value::max());
    out.row.flags.add(
        {static_cast<std::uint32_t>(from.integer(kFlag)), static_cast<std::int32_t>(value)});
    out.row.updated = static_cast<std::uint32_t>(from.integer(kTime));
    out.row.created = out.row.updated;
  }
  return out;
}

/// Takes the slots of one digest from the sorted list of all.
class SlotReader {
 public:
  explicit SlotReader(Statement statement) : statement_(std::move(statement)) {}

  Status begin() { return advance(); }

  Status read(RspamdReader::Row& row) {
    Shingles shingles{};
    for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
      shingles[slot] = lost_slot(row.row.digest, slot);
    }
    while (more_ && statement_.integer(kDigestId) <= row.id) {
      const std::int64_t number = statement_.integer(kNumber);
      if (statement_.integer(kDigestId) == row.id && number >= 0 &&
          number < static_cast<std::int64_t>(kShingleCount)) {
        shingles[static_cast<std::size_t>(number)] =
            static_cast<std::uint64_t>(statement_.integer(kShingle));
        ++row.slots;
      }
      if (Status next = advance(); !next) return next;
    }
    if (row.slots >= kMatchSlotsMin) row.row.shingles = shingles;
    return {};
  }

 private:
  Status advance() {
    const auto more = statement_.step();
    if (!more) return more.error();
    more_ = *more;
    return {};
  }

  Statement statement_;
  bool more_ = false;
};

}  // namespace

Result<std::unique_ptr<RspamdReader>> RspamdReader::open(const std::string& path) {
  auto database = Database::open(path, Database::Access::kReadOnly);
  if (!database) return database.error();
  (*database)->set_busy_timeout(kBusyWaitMs);
  const auto columns = (*database)->integer(
      "SELECT (SELECT count(*) FROM pragma_table_info('digests') WHERE name IN"
      " ('id', 'flag', 'digest', 'value', 'time')) +"
      " (SELECT count(*) FROM pragma_table_info('shingles') WHERE name IN"
      " ('value', 'number', 'digest_id'))");
  if (!columns) return columns.error();
  if (*columns != 8) {
    return Error{ErrorCode::kCorrupt, path + ": a database, but not one of rspamd's fuzzy storage"};
  }
  return std::unique_ptr<RspamdReader>(new RspamdReader(*std::move(database)));
}

Status RspamdReader::for_each(const std::function<bool(const Row&)>& each) {
  auto digests = database_->prepare(kDigests);
  if (!digests) return digests.error();
  auto slots = database_->prepare(kSlots);
  if (!slots) return slots.error();
  // The first statement that runs begins a transaction, which lasts as long as one of them runs.
  auto more = digests->step();
  SlotReader reader(*std::move(slots));
  if (more && *more) {
    if (Status begun = reader.begin(); !begun) return begun;
  }
  while (more && *more) {
    Row row = row_of(*digests);
    if (Status read = reader.read(row); !read) return read;
    if (!each(row)) return {};
    more = digests->step();
  }
  if (!more) return more.error();
  return {};
}

}  // namespace shingled::storage::sqlite
