#include "storage/engine/update_group.h"

#include <algorithm>

#include "config/base/assert.h"
namespace shingled::storage::engine {

void UpdateGroup::fold(const Update& update) {
  if (update.name != UpdateId{}) names_.push_back(update.name);
  if (update.seal != 0) seals_.push_back(update.seal);
  const bool is_delete = update.kind == Update::Kind::kDelete;
  const auto companion = is_delete ? companion_of(update.fingerprint.digest) : std::nullopt;
  fold_one(update);
  if (companion) fold_deletion(*companion, update.flag);
}

std::optional<Digest> UpdateGroup::companion_of(const Digest& digest) {
  const Change& change = change_of(digest);
  if (change.companion || change.number == 0) return change.companion;
  auto stored = table_.companion(change.row.id);
  if (stored) return *stored;
  failed(stored.error());
  return std::nullopt;
}

void UpdateGroup::fold_deletion(const Digest& digest, std::uint32_t flag) {
  Update update;
  update.kind = Update::Kind::kDelete;
  update.flag = flag;
  update.fingerprint.digest = digest;
  fold_one(update);
}

void UpdateGroup::fold_one(const Update& update) {
  Change& change = change_of(update.fingerprint.digest);
  change.own_changed = true;
  if (update.companion) change.companion = update.companion;
  if (change.has_parts) return fold_into_part(change, update);
  sqlite::FuzzyRow& row = change.row;
  if (update.kind == Update::Kind::kDelete) {
    return take_away(change, row.flags, row.created, update.flag);
  }
  if (row.flags.empty()) row.created = row.updated = creation(change);
  row.flags.add({update.flag, update.value}, update.weak);
  row.updated = std::max(row.updated, now_);
  row.source = update.source;
  if (!change.known_shingles && !row.shingles) row.shingles = update.fingerprint.shingles;
}

void UpdateGroup::take_away(Change& change, FlagSet& flags, std::uint32_t created,
                            std::uint32_t flag) {
  if (flags.empty()) return;
  if (flag == 0) {
    flags.clear();
  } else {
    flags.remove(flag);
  }
  if (flags.empty()) change.own_gone = std::max(change.own_gone, created);
}

void UpdateGroup::expire(std::uint32_t number) {
  SHINGLED_ASSERT(index_.records().is_live(number));
  // `change_of` sees that it has expired and gives it no flags.
  change_of(index_.records().digest(number));
}

UpdateGroup::Change& UpdateGroup::change_of(const Digest& digest) {
  const auto [at, is_new] = changes_.try_emplace(digest);
  Change& change = at->second;
  if (!is_new) return change;
  in_order_.push_back(&change);
  change.row.digest = digest;
  change.number = index_.find(digest);
  if (change.number == 0) return change;
  const RecordState state = index_.records().state(change.number);
  change.known_shingles = index_.records().has_shingles(change.number);
  change.row.id = state.row;
  change.row.created = state.created;
  change.row.updated = state.updated;
  if (table_.replica().parts.any()) load_parts(change);
  if (change.has_parts) return change;
  if (index_.is_expired(state.updated, now_)) {
    change.own_changed = true;
  } else {
    change.row.flags = state.flags;
  }
  return change;
}

Status UpdateGroup::write() {
  if (!trouble_) return trouble_;
  if (Status done = write_buried(); !done) return done;
  if (Status done = write_asked(); !done)
    return done;  // answers go before the changes they announce
  for (Change* change : in_order_) {
    if (change->has_parts) settle(*change);
    Status done = write_one(*change);
    // Continues after a lost row, so that one attempt finds all of them.
    if (!done && !is_lost(*change, done.error())) return done;
    if (!done) failed(done.error());
  }
  if (!trouble_) return trouble_;
  if (Status done = write_heard(); !done) return done;
  return table_.update_ids().append(names_, seals_, now_);
}

Status UpdateGroup::write_one(Change& change) {
  const bool stays = !change.row.flags.empty();
  if (change.number == 0) {
    if (!stays) return {};
    auto id = table_.insert(change.row);
    if (!id) return id.error();
    change.row.id = *id;
  } else if (stays) {
    if (Status done = table_.update(change.row); !done) return done;
    if (change.renewed && !change.row.shingles) {
      if (Status none = table_.set_shingles(change.row.id, std::nullopt); !none) return none;
    }
    if (change.has_parts && change.row.source == 0) {
      if (Status none = table_.forget_source(change.row.id); !none) return none;
    }
  } else {
    auto shingles = table_.remove(change.row.id, change.row.digest);
    if (!shingles) return shingles.error();
    change.old_shingles = *std::move(shingles);
  }
  if (stays && change.companion) {
    if (Status done = table_.set_companion(change.row.id, *change.companion); !done) return done;
  }
  if (change.has_parts) {
    if (Status done = write_parts(change); !done) return done;
  }
  if (!change.own_changed) return {};
  return table_.replica().journal.changed(change.row.digest, change.row.id, now_);
}

bool UpdateGroup::is_lost(const Change& change, const Error& error) {
  if (error.code != ErrorCode::kNotFound || change.number == 0) return false;
  lost_.push_back({change.row.digest, change.row.id});
  return true;
}

Status UpdateGroup::write_buried() {
  for (const LostRow& row : buried_) {
    if (Status bare = table_.remove_leftovers(row.id); !bare) return bare;
    if (Status told = table_.replica().journal.changed(row.digest, row.id, now_); !told)
      return told;
  }
  return {};
}

RecordNeeds UpdateGroup::needs() const {
  RecordNeeds needs;
  for (const Change* change : in_order_) {
    if (change->row.flags.empty()) continue;
    if (is_new(*change)) ++needs.records;
    needs.count_lists(change->row.flags);
  }
  return needs;
}

std::int64_t UpdateGroup::list_growth() const {
  std::int64_t growth = 0;
  for (const auto& [digest, change] : changes_) {
    if (change.row.flags.size() > 1) ++growth;
    if (change.number == 0) continue;
    if (index_.records().state(change.number).flags.size() > 1) --growth;
  }
  return growth;
}

void UpdateGroup::publish() {
  for (const auto& [digest, change] : changes_) gone_.remember(digest, change.own_gone, now_);
  // New records are added before old ones are removed, so that a reader finds one of the two.
  std::vector<FuzzyIndex::NewRecord> added;
  for (const Change* change : in_order_) {
    const sqlite::FuzzyRow& row = change->row;
    if (row.flags.empty()) continue;
    const RecordState state{row.id, row.flags, row.created, row.updated};
    if (is_new(*change)) {
      added.push_back({{row.digest, row.shingles}, state, change->number});
    } else {
      index_.update(change->number, state);
    }
  }
  // Everything that is in the file must get into the index. Otherwise the next add of the digest
  // would insert a second row.
  const std::size_t shown = index_.add(added);
  SHINGLED_ASSERT(shown == added.size());
  for (const Change* change : in_order_) {
    if (change->number == 0) continue;
    if (change->row.flags.empty() || is_new(*change)) {
      index_.remove(change->number, change->old_shingles);
    }
  }
  index_.collect();
}

std::size_t UpdateGroup::removed() const {
  return static_cast<std::size_t>(std::ranges::count_if(in_order_, [](const Change* change) {
    return change->number != 0 && change->row.flags.empty();
  }));
}

void UpdateGroup::failed(const Error& error) {
  if (trouble_) trouble_ = error;
}

}  // namespace shingled::storage::engine
