#include "storage/sqlite/hashes/update_ids.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

namespace {

static_assert(sizeof(UpdateId) == std::tuple_size_v<UpdateId>,
              "names are stored one directly after the other");

template <typename Name>
BytesView bytes_of(std::span<const Name> names) {
  return {reinterpret_cast<const std::uint8_t*>(names.data()), names.size_bytes()};
}

template <typename Name>
std::vector<Name> names_in(BytesView bytes) {
  std::vector<Name> names(bytes.size() / sizeof(Name));
  if (!names.empty()) std::memcpy(names.data(), bytes.data(), names.size() * sizeof(Name));
  return names;
}

NameLog::Bound bound_of(const RepeatOptions& options) {
  return {static_cast<std::uint32_t>(options.window.count()), options.most};
}

}  // namespace

Result<NameLog> NameLog::open(Database& database, const std::string& table, std::size_t name_bytes,
                              Bound bound) {
  auto statements = prepare_all<Statements>(
      database, {"INSERT INTO " + table + " (id, time, names) VALUES (?, ?, ?)",
                 "DELETE FROM " + table + " WHERE id <= ?",
                 "SELECT names FROM " + table + " WHERE time >= ? ORDER BY id"});
  if (!statements) return statements.error();
  NameLog log(*std::move(statements), name_bytes, bound);
  const std::string all = "SELECT id, time, length(names) FROM " + table + " ORDER BY id";
  auto rows = database.prepare(all.c_str());
  if (!rows) return rows.error();
  Status read = for_each_row(*rows, [&](const Statement& row) {
    const auto count = static_cast<std::size_t>(row.integer(2)) / name_bytes;
    log.rows_.push_back({row.integer(0), static_cast<std::uint32_t>(row.integer(1)),
                         static_cast<std::uint32_t>(count)});
    log.names_ += count;
    log.next_id_ = log.rows_.back().id + 1;
  });
  if (!read) return read.error();
  if (!log.rows_.empty()) log.bound_times(log.rows_.back().time);
  return log;
}

void NameLog::bound_times(std::uint32_t latest) {
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
    row->time = latest = std::min(row->time, latest);
  }
}

Status NameLog::append(BytesView names, std::uint32_t now) {
  const std::size_t count = names.size() / name_bytes_;
  std::int64_t old = 0;
  // If the clock was set back, later rows would stay until the clock reaches their time again.
  if (!rows_.empty() && rows_.back().time > now) bound_times(now);
  while (!rows_.empty() &&
         (now - rows_.front().time > bound_.seconds || names_ + count > bound_.most)) {
    old = rows_.front().id;
    names_ -= rows_.front().names;
    rows_.pop_front();
  }
  if (old != 0) {
    if (Status done = statements_.remove.bind(1, old).run(); !done) return done;
  }
  if (count == 0) return {};
  rows_.push_back({next_id_++, now, static_cast<std::uint32_t>(count)});
  names_ += count;
  return statements_.insert.bind(1, rows_.back().id)
      .bind(2, std::int64_t{now})
      .bind(3, names)
      .run();
}

Result<Bytes> NameLog::read(std::uint32_t since) {
  Bytes names;
  statements_.select.bind(1, std::int64_t{since});
  Status read = for_each_row(statements_.select, [&](const Statement& row) {
    const BytesView bytes = row.blob(0);
    const std::size_t whole = bytes.size() / name_bytes_ * name_bytes_;
    names.insert(names.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(whole));
  });
  if (!read) return read.error();
  return names;
}

Result<UpdateIds> UpdateIds::open(Database& database) {
  auto names = NameLog::open(database, "recent_updates", sizeof(UpdateId),
                             {kRepeatSeconds, std::numeric_limits<std::size_t>::max()});
  if (!names) return names.error();
  auto seals = NameLog::open(database, "sealed_updates", sizeof(std::uint64_t), bound_of({}));
  if (!seals) return seals.error();
  return UpdateIds(*std::move(names), *std::move(seals));
}

void UpdateIds::keep(const RepeatOptions& options) { seals_.bound(bound_of(options)); }

Status UpdateIds::append(std::span<const UpdateId> names, std::span<const std::uint64_t> seals,
                         std::uint32_t now) {
  if (Status done = names_.append(bytes_of(names), now); !done) return done;
  return seals_.append(bytes_of(seals), now);
}

Result<std::vector<UpdateId>> UpdateIds::read(std::uint32_t since) {
  const auto bytes = names_.read(since);
  if (!bytes) return bytes.error();
  return names_in<UpdateId>(*bytes);
}

Result<std::vector<std::uint64_t>> UpdateIds::read_seals(std::uint32_t since) {
  const auto bytes = seals_.read(since);
  if (!bytes) return bytes.error();
  return names_in<std::uint64_t>(*bytes);
}

}  // namespace shingled::storage::sqlite
