#include "storage/sqlite/update_names.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace shingled::storage {

static_assert(sizeof(UpdateName) == std::tuple_size_v<UpdateName>, "names lie side by side");

Result<UpdateNames> UpdateNames::open(Database& database) {
  auto insert = database.prepare("INSERT INTO recent_updates (id, time, names) VALUES (?, ?, ?)");
  if (!insert) return insert.error();
  auto remove = database.prepare("DELETE FROM recent_updates WHERE id <= ?");
  if (!remove) return remove.error();
  auto select = database.prepare("SELECT names FROM recent_updates WHERE time >= ? ORDER BY id");
  if (!select) return select.error();
  UpdateNames names(*std::move(insert), *std::move(remove), *std::move(select));
  auto rows = database.prepare("SELECT id, time FROM recent_updates ORDER BY id");
  if (!rows) return rows.error();
  for (;;) {
    auto row = rows->step();
    if (!row) return row.error();
    if (!*row) break;
    names.rows_.push_back({rows->integer(0), static_cast<std::uint32_t>(rows->integer(1))});
    names.next_id_ = names.rows_.back().id + 1;
  }
  if (!names.rows_.empty()) names.bound_times(names.rows_.back().time);
  return names;
}

void UpdateNames::bound_times(std::uint32_t latest) {
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
    row->time = latest = std::min(row->time, latest);
  }
}

Status UpdateNames::append(std::span<const UpdateName> names, std::uint32_t now) {
  std::int64_t old = 0;
  // The clock has stepped back: else they and all behind them stayed until it is where it was.
  if (!rows_.empty() && rows_.back().time > now) bound_times(now);
  while (!rows_.empty() && rows_.front().time + kRepeatSeconds < now) {
    old = rows_.front().id;
    rows_.pop_front();
  }
  if (old != 0) {
    if (Status done = remove_.bind(1, old).run(); !done) return done;
  }
  if (names.empty()) return {};
  const BytesView bytes(names.front().data(), names.size_bytes());
  rows_.push_back({next_id_++, now});
  return insert_.bind(1, rows_.back().id).bind(2, std::int64_t{now}).bind(3, bytes).run();
}

Result<std::vector<UpdateName>> UpdateNames::read(std::uint32_t since) {
  std::vector<UpdateName> names;
  select_.bind(1, std::int64_t{since});
  for (;;) {
    auto row = select_.step();
    if (!row) return row.error();
    if (!*row) break;
    const BytesView bytes = select_.blob(0);
    for (std::size_t at = 0; at + sizeof(UpdateName) <= bytes.size(); at += sizeof(UpdateName)) {
      std::memcpy(names.emplace_back().data(), bytes.data() + at, sizeof(UpdateName));
    }
  }
  select_.reset();
  return names;
}

}  // namespace shingled::storage
