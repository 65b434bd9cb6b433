#include "storage/engine/update_group.h"

namespace shingled::storage {

void UpdateGroup::fold(const Update& update) {
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
  return {};
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
  for (const auto& [digest, change] : changes_) publish_one(change);
  index_.collect();
}

void UpdateGroup::publish_one(const Change& change) {
  const FuzzyRow& row = change.row;
  const RecordState state{row.id, row.flags, row.created, row.updated};
  if (row.flags.empty()) {
    if (change.number != 0) index_.remove(change.number, change.old_shingles);
    return;
  }
  if (change.number != 0 && !row.shingles) return index_.update(change.number, state);
  // The new record comes before the old one goes, so that a reader finds one of them.
  index_.add({row.digest, row.shingles}, state);
  if (change.number != 0) index_.remove(change.number, std::nullopt);
}

}  // namespace shingled::storage
