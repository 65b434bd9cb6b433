#include "storage/engine/update_group.h"

namespace shingled::storage {

void UpdateGroup::fold(const Update& update) {
  if (update.name != UpdateName{}) names_.push_back(update.name);
  Change& change = change_of(update.fingerprint.digest);
  FuzzyRow& row = change.row;
  if (update.kind == Update::Kind::kDelete) {
    if (update.flag == 0) {
      row.flags.clear();
    } else {
      row.flags.remove(update.flag);
    }
    return;
  }
  if (row.flags.empty()) row.created = now_;
  row.flags.add({update.flag, update.value}, update.weak);
  row.updated = now_;
  row.source = update.source;
  if (!change.known_shingles && !row.shingles) row.shingles = update.fingerprint.shingles;
}

void UpdateGroup::expire(std::uint32_t number) {
  change_of(index_.records().digest(number));  // which finds it expired, hence without flags
}

UpdateGroup::Change& UpdateGroup::change_of(const Digest& digest) {
  const auto [at, is_new] = changes_.try_emplace(digest);
  Change& change = at->second;
  if (!is_new) return change;
  change.row.digest = digest;
  change.number = index_.find(digest);
  if (change.number == 0) return change;
  const RecordState state = index_.records().state(change.number);
  change.known_shingles = index_.records().has_shingles(change.number);
  change.row.id = state.row;
  change.row.created = state.created;
  change.row.updated = state.updated;
  if (!index_.is_expired(state.updated, now_)) change.row.flags = state.flags;
  return change;
}

Status UpdateGroup::write() {
  for (auto& [digest, change] : changes_) {
    if (Status done = write_one(change); !done) return done;
  }
  return table_.update_names().append(names_, now_);
}

Status UpdateGroup::write_one(Change& change) {
  const bool stays = !change.row.flags.empty();
  if (change.number == 0) {
    if (!stays) return {};
    auto id = table_.insert(change.row);
    if (!id) return id.error();
    change.row.id = *id;
    return {};
  }
  if (stays) return table_.update(change.row);
  auto shingles = table_.remove(change.row.id);
  if (!shingles) return shingles.error();
  change.old_shingles = *std::move(shingles);
  return {};
}

void UpdateGroup::publish() {
  // New records come before old ones go, so that a reader finds one of them.
  std::vector<FuzzyIndex::NewRecord> added;
  for (const auto& [digest, change] : changes_) {
    const FuzzyRow& row = change.row;
    if (row.flags.empty()) continue;
    const RecordState state{row.id, row.flags, row.created, row.updated};
    if (change.number != 0 && !row.shingles) {
      index_.update(change.number, state);
    } else {
      added.push_back({{row.digest, row.shingles}, state, change.number});
    }
  }
  index_.add(added);
  for (const auto& [digest, change] : changes_) {
    if (change.number == 0) continue;
    if (change.row.flags.empty() || change.row.shingles) {
      index_.remove(change.number, change.old_shingles);
    }
  }
  index_.collect();
}

}  // namespace shingled::storage
