#include "storage/sqlite/hashes/part_table.h"

#include <array>
#include <string>
#include <utility>

#include "storage/sqlite/base/shingle_set.h"
#include "storage/sqlite/base/statements.h"

namespace shingled::storage::sqlite {
namespace {

constexpr std::size_t kFlagBytes = 8;

Error bad_part(const Database& database, std::int64_t digest_id, const char* what) {
  return {ErrorCode::kCorrupt,
          database.path() + ": parts of digests row " + std::to_string(digest_id) + ": " + what};
}

}  // namespace

Result<StoredPart> read_part(const Database& database, const Statement& row, int column,
                             std::int64_t digest_id, const std::optional<Shingles>& shingles) {
  StoredPart stored;
  stored.store = row.integer(column);
  const BytesView flags = row.blob(column + 1);
  if (flags.empty() || flags.size() % kFlagBytes != 0 || flags.size() / kFlagBytes > kFlagsMax) {
    return bad_part(database, digest_id, "not a valid list of flags");
  }
  ByteReader reader(flags);
  while (reader.left() > 0) {
    const std::uint32_t flag = reader.u32();
    stored.part.flags.add({flag, reader.i32()});
  }
  stored.part.updated = static_cast<std::uint32_t>(row.integer(column + 2));
  stored.part.created = static_cast<std::uint32_t>(row.integer(column + 3));
  stored.part.source = static_cast<std::uint64_t>(row.integer(column + 4));
  const BytesView set = row.blob(column + 5);
  if (row.is_null(column + 5)) {
    stored.part.shingles = shingles;
  } else if (set.size() == kShingleSetBytes) {
    stored.part.shingles = decode_shingles(set);
  } else if (!set.empty()) {
    return bad_part(database, digest_id, "shingle_set is not 256 bytes");
  }
  stored.mark = static_cast<std::uint32_t>(row.integer(column + 6));
  return stored;
}

Result<PartTable> PartTable::open(Database& database) {
  const auto any = database.integer("SELECT EXISTS (SELECT 1 FROM parts)");
  if (!any) return any.error();
  auto statements = prepare_all<Statements>(
      database,
      {"SELECT store, flags, updated, created, source, shingle_set, mark FROM parts "
       "WHERE digest_id = ? ORDER BY store",
       "SELECT digest_id, updated FROM parts WHERE digest_id > ? ORDER BY digest_id LIMIT ?",
       "INSERT OR REPLACE INTO parts (digest_id, store, flags, updated, created, source, "
       "shingle_set, mark) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
       "DELETE FROM parts WHERE digest_id = ?"});
  if (!statements) return statements.error();
  return PartTable(database, *any != 0, *std::move(statements));
}

Result<PartTable::Parts> PartTable::of(std::int64_t digest_id,
                                       const std::optional<Shingles>& shingles) {
  Parts all;
  Status read = for_each_row(statements_.select.bind(1, digest_id), [&](const Statement& row) {
    auto part = read_part(*database_, row, 0, digest_id, shingles);
    if (part) {
      all.parts.push_back(*std::move(part));
    } else if (!all.damage) {
      all.damage = part.error();
    }
  });
  if (!read) return read.error();
  return all;
}

Result<PartTable::Walk> PartTable::updated_until(std::uint32_t time, std::int64_t after,
                                                 std::int64_t most) {
  Walk walk;
  std::int64_t looks = 0;
  std::int64_t last = after;
  Statement& rows = statements_.walk.bind(1, after).bind(2, most);
  Status read = for_each_row(rows, [&](const Statement& row) {
    ++looks;
    last = row.integer(0);
    const bool told = !walk.digest_ids.empty() && walk.digest_ids.back() == last;
    if (row.integer(1) <= std::int64_t{time} && !told) walk.digest_ids.push_back(last);
  });
  if (!read) return read.error();
  // The last digest may have more rows beyond the limit, so the next call looks at it again.
  if (looks == most) walk.next = last - 1 > after ? last - 1 : last;
  return walk;
}

Status PartTable::put(std::int64_t digest_id, const StoredPart& stored,
                      const std::optional<Shingles>& shingles) {
  any_ = true;
  std::array<std::uint8_t, kFlagsMax * kFlagBytes> flags{};
  ByteWriter writer(flags);
  for (const FlagValue& one : stored.part.flags.all()) {
    writer.u32(one.flag);
    writer.i32(one.value);
  }
  ShingleSet set{};
  std::optional<BytesView> set_view;  // NULL: the same as those of the digest's row
  if (stored.part.shingles != shingles) {
    if (stored.part.shingles) set = encode_shingles(*stored.part.shingles);
    set_view = stored.part.shingles ? BytesView(set) : BytesView(set).first(0);
  }
  return statements_.insert.bind(1, digest_id)
      .bind(2, stored.store)
      .bind(3, BytesView(flags).first(writer.written()))
      .bind(4, std::int64_t{stored.part.updated})
      .bind(5, std::int64_t{stored.part.created})
      .bind(6, static_cast<std::int64_t>(stored.part.source))
      .bind(7, set_view)
      .bind(8, std::int64_t{stored.mark})
      .run();
}

Status PartTable::remove(std::int64_t digest_id) {
  return statements_.remove.bind(1, digest_id).run();
}

}  // namespace shingled::storage::sqlite
