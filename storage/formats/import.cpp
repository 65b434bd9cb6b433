#include "storage/formats/import.h"

#include <algorithm>
#include <utility>

#include "storage/model/replica.h"

namespace shingled::storage::formats {
namespace {

std::int32_t value_on(const FlagSet& flags, std::uint32_t flag, std::int32_t otherwise) {
  for (const FlagValue& known : flags.all()) {
    if (known.flag == flag) return known.value;
  }
  return otherwise;
}

FlagSet with_larger(FlagSet flags, const FlagSet& coming) {
  for (const FlagValue& other : coming.all()) {
    const std::int32_t larger = std::max(other.value, value_on(flags, other.flag, other.value));
    flags.remove(other.flag);
    flags.add({other.flag, larger});
  }
  return flags;
}

}  // namespace

sqlite::FuzzyRow merged(const sqlite::FuzzyRow& stored, const sqlite::FuzzyRow& coming,
                        MergeRule rule) {
  sqlite::FuzzyRow row = rule == MergeRule::kReplace ? coming : stored;
  row.id = stored.id;
  row.shingles = stored.shingles ? stored.shingles : coming.shingles;
  if (row.source == 0) row.source = stored.source;
  if (rule == MergeRule::kReplace || rule == MergeRule::kSkip) return row;
  if (rule == MergeRule::kSum) {
    for (const FlagValue& more : coming.flags.all()) row.flags.add(more);
  } else {
    row.flags = with_larger(row.flags, coming.flags);
  }
  row.created = std::min(stored.created, coming.created);
  if (coming.updated > stored.updated) {
    row.updated = coming.updated;
    if (coming.source != 0) row.source = coming.source;
  }
  return row;
}

sqlite::FuzzyRow with_plausible_times(sqlite::FuzzyRow coming, std::uint32_t now) {
  if (coming.updated == 0) coming.updated = now;
  if (coming.created == 0) coming.created = coming.updated;
  coming.created = plausible_time(coming.created, now);
  coming.updated = std::max(plausible_time(coming.updated, now), coming.created);
  return coming;
}

Result<std::unique_ptr<Import>> Import::open(const std::string& hashfile, MergeRule rule,
                                             const Watcher& watcher) {
  auto table = sqlite::FuzzyTable::open_owned(hashfile, Durability::kCommit);
  if (!table) return table.error();
  std::unique_ptr<Import> import(new Import(*std::move(table), rule));
  if (Status read = import->read_digests(watcher); !read) return read.error();
  if (Status forgotten = import->table_->keep_journal(0); !forgotten) return forgotten.error();
  auto transaction = import->table_->begin();
  if (!transaction) return transaction.error();
  import->transaction_.emplace(*std::move(transaction));
  return import;
}

Status Import::read_digests(const Watcher& watcher) {
  const auto count = table_->count();
  if (!count) return count.error();
  std::uint64_t done = 0;
  bool go_on = true;
  Status read = table_->for_each([&](const sqlite::FuzzyRow& row) {
    rows_.add(row.digest, row.id);
    if (++done % kWatchEvery == 0) {
      go_on = watcher({"reading stored rows", done, static_cast<std::uint64_t>(*count)});
    }
    return go_on;
  });
  if (!go_on) return stopped();
  return read;
}

Status Import::take(const sqlite::FuzzyRow& coming) {
  sqlite::FuzzyRow stored;
  Status reading;
  const std::int64_t id = rows_.find(coming.digest, [&](std::int64_t candidate) {
    auto row = table_->row(candidate);
    if (!row) {
      reading = row.error();
      return true;
    }
    stored = *std::move(row);
    return stored.digest == coming.digest;
  });
  if (!reading) return reading;
  if (id != 0) return merge_into(stored, coming);
  const auto added = table_->insert(coming);
  if (!added) return added.error();
  rows_.add(coming.digest, *added);
  ++counts_.added;
  return {};
}

Status Import::merge_into(const sqlite::FuzzyRow& stored, const sqlite::FuzzyRow& coming) {
  if (table_->replica().parts.any()) {
    auto parts = table_->replica().parts.of(stored.id, stored.shingles);
    if (!parts) return parts.error();
    if (parts->damage) return *parts->damage;
    if (!parts->parts.empty()) return merge_into_parts(stored, std::move(parts->parts), coming);
  }
  const sqlite::FuzzyRow row = merged(stored, coming, rule_);
  if (row == stored) {
    ++counts_.unchanged;
    return {};
  }
  ++counts_.merged;
  return table_->update(row);
}

Status Import::merge_into_parts(const sqlite::FuzzyRow& stored,
                                std::vector<sqlite::StoredPart> parts,
                                const sqlite::FuzzyRow& coming) {
  sqlite::FuzzyRow ours = coming;
  const bool had_one = parts.front().store == 0;
  if (had_one) {
    const Part& part = parts.front().part;
    const sqlite::FuzzyRow own{stored.id,    stored.digest, part.flags,   part.created,
                               part.updated, part.source,   part.shingles};
    ours = merged(own, coming, rule_);
    if (ours == own) {
      ++counts_.unchanged;
      return {};
    }
  } else {
    parts.insert(parts.begin(), sqlite::StoredPart{});
  }
  parts.front().part = {ours.flags, ours.created, ours.updated, ours.source, ours.shingles};
  std::vector<const Part*> all;
  all.reserve(parts.size());
  for (const sqlite::StoredPart& one : parts) all.push_back(&one.part);
  const Part whole = merge(all);
  ++counts_.merged;
  if (Status done = table_->update({stored.id, stored.digest, whole.flags, whole.created,
                                    whole.updated, whole.source, whole.shingles});
      !done) {
    return done;
  }
  if (whole.source == 0) {
    if (Status none = table_->forget_source(stored.id); !none) return none;
  }
  for (const sqlite::StoredPart& one : parts) {
    Status put = table_->replica().parts.put(stored.id, one, whole.shingles);
    if (!put) return put;
  }
  return {};
}

Status Import::commit() { return transaction_->commit(); }

}  // namespace shingled::storage::formats
