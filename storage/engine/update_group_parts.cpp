// The part of UpdateGroup that handles other stores.
#include <algorithm>
#include <utility>
#include <variant>

#include "storage/engine/update_group.h"
#include "storage/model/replica.h"

namespace shingled::storage::engine {

constexpr std::int64_t kOwn = 0;  ///< the number of this store

void UpdateGroup::load_parts(Change& change) {
  sqlite::PartTable& table = table_.replica().parts;
  auto parts = table.of(change.row.id, std::nullopt);
  if (!parts) return failed(parts.error());
  if (parts->parts.empty() && !parts->damage) return;
  if (change.known_shingles) {
    const auto row = row_of(change);
    if (!row) return;
    change.row_shingles = row->shingles;
    parts = table.of(change.row.id, change.row_shingles);
    if (!parts) return failed(parts.error());
  }
  change.has_parts = true;
  change.parts = std::move(parts->parts);
  if (parts->damage) {
    change.own_changed = true;  // it may have been our own part
    damage_.push_back(std::move(parts->damage->message));
  }
  std::erase_if(change.parts, [&](const sqlite::StoredPart& stored) {
    if (!index_.is_expired(stored.part.updated, now_)) return false;
    if (stored.store == kOwn) change.own_changed = true;
    return true;
  });
}

std::optional<sqlite::FuzzyRow> UpdateGroup::row_of(const Change& change) {
  auto row = table_.row(change.row.id);
  if (row && row->digest == change.row.digest) return *std::move(row);
  const Error error =
      row ? Error{ErrorCode::kNotFound, "the row belongs to another digest"} : row.error();
  static_cast<void>(is_lost(change, error));
  failed(error);
  return std::nullopt;
}

void UpdateGroup::give_parts(Change& change) {
  if (change.has_parts) return;
  change.has_parts = true;
  if (change.number != 0) {
    const auto row = row_of(change);
    if (!row) return;
    change.row_shingles = row->shingles;
    if (change.row.source == 0) change.row.source = row->source;
  }
  if (change.row.flags.empty()) return;
  change.parts.push_back(
      {kOwn,
       {change.row.flags, change.row.created, change.row.updated, change.row.source,
        change.row.shingles ? change.row.shingles : change.row_shingles},
       0});
}

Part* UpdateGroup::part_of(Change& change, std::int64_t store) {
  const auto at = std::ranges::find(change.parts, store, &sqlite::StoredPart::store);
  return at == change.parts.end() ? nullptr : &at->part;
}

void UpdateGroup::fold_into_part(Change& change, const Update& update) {
  Part* own = part_of(change, kOwn);
  if (update.kind == Update::Kind::kDelete) {
    if (own != nullptr) take_away(change, own->flags, own->created, update.flag);
    take_back_others(change, update.flag);
  } else {
    if (own == nullptr) {
      change.parts.push_back({kOwn, {}, 0});
      own = &change.parts.back().part;
      own->created = own->updated = creation(change);
    }
    own->flags.add({update.flag, update.value}, update.weak);
    own->updated = std::max(own->updated, now_);
    if (update.source != 0) own->source = update.source;
    if (!own->shingles) own->shingles = update.fingerprint.shingles;
  }
  std::erase_if(change.parts,
                [](const sqlite::StoredPart& stored) { return stored.part.flags.empty(); });
}

void UpdateGroup::take_back_others(Change& change, std::uint32_t flag) {
  for (sqlite::StoredPart& stored : change.parts) {
    const auto owner = table_.replica().stores.id_of(stored.store);
    if (stored.store == kOwn || !owner) continue;
    const auto flags = stored.part.flags.all();
    const bool has_it =
        flag == 0 || std::ranges::find(flags, flag, &FlagValue::flag) != flags.end();
    if (!has_it) continue;
    asked_.push_back({{change.row.digest, *owner, flag, stored.part.created}, stored.store});
    if (flag == 0) {
      stored.part.flags.clear();
    } else {
      stored.part.flags.remove(flag);
    }
  }
}

std::optional<std::int64_t> UpdateGroup::store_of(const ReplicaBatch& batch) {
  sqlite::StoreTable& stores = table_.replica().stores;
  std::optional<std::int64_t> number;
  if (batch.forgets) {
    number = forgotten_ = stores.number_of(batch.master);
    if (!number) refusal_ = Error{ErrorCode::kNotFound, "there is no such store"};
  } else if (const auto claim = stores.claim(batch.master, batch.key); claim) {
    master_ = *claim;
    number = claim->number;
  } else {
    refusal_ = claim.error();
  }
  if (number != kOwn) return number;
  refusal_ =
      Error{ErrorCode::kInvalid, "a master has the name of this store: one of the two is a copy"};
  return std::nullopt;
}

void UpdateGroup::fold(const ReplicaBatch& batch) {
  const auto store = store_of(batch);
  if (!store) return;
  position_ = batch.position;
  compared_ = batch.mark != 0 && batch.position;
  const auto self = table_.replica().stores.self();
  for (const ReplicaRecord& record : batch.records) {
    if (const auto* part = std::get_if<PartRecord>(&record)) {
      fold_record(*part, *store, batch.mark);
    } else if (const auto* takeback = std::get_if<Takeback>(&record)) {
      // Only the owner decides. All others hear the result with the owner's next records.
      if (takeback->owner == self) fold_takeback(*takeback, batch.master);
    } else if (const auto& answer = std::get<TakebackAnswer>(record); answer.asker == self) {
      answered_.push_back(answer);
    }
  }
}

void UpdateGroup::fold_record(const PartRecord& record, std::int64_t store, std::uint32_t mark) {
  Change& change = change_of(record.digest);
  Part part = record.part;
  // `created` stays as the master sent it, because a takeback names the part by it. `merge` bounds
  // it.
  part.updated = plausible_time(part.updated, now_);
  if (index_.is_expired(part.updated, now_)) part.flags.clear();
  if (mark == 0) hide_asked(part, record.digest, store);
  if (part.flags.empty() && !change.has_parts) return;
  give_parts(change);
  std::erase_if(change.parts,
                [&](const sqlite::StoredPart& stored) { return stored.store == store; });
  if (!part.flags.empty()) change.parts.push_back({store, part, mark});
}

void UpdateGroup::hide_asked(Part& part, const Digest& digest, std::int64_t store) {
  sqlite::TakebackTable& takebacks = table_.replica().takebacks;
  if (!takebacks.any() || part.flags.empty()) return;
  const auto flags = takebacks.of(digest, store);
  if (!flags) return failed(flags.error());
  for (const std::uint32_t flag : *flags) {
    const bool is_answered = std::ranges::any_of(answered_, [&](const TakebackAnswer& answer) {
      return answer.digest == digest && answer.flag == flag;
    });
    if (is_answered) continue;
    if (flag == 0) part.flags.clear();
    part.flags.remove(flag);
  }
}

void UpdateGroup::fold_takeback(const Takeback& takeback, const StoreId& asker) {
  answers_.push_back({takeback.digest, asker, takeback.flag});
  Change& change = change_of(takeback.digest);
  change.own_changed = true;  // sent again, because the asker has hidden it
  const auto companion = companion_of(takeback.digest);
  const auto take_back = [&](FlagSet& flags, std::uint32_t created) {
    if (created != takeback.created || flags.empty()) return;
    take_away(change, flags, created, takeback.flag);
    if (companion) fold_deletion(*companion, takeback.flag);
  };
  if (!change.has_parts) return take_back(change.row.flags, change.row.created);
  Part* own = part_of(change, kOwn);
  if (own == nullptr) return;
  take_back(own->flags, own->created);
  std::erase_if(change.parts,
                [](const sqlite::StoredPart& stored) { return stored.part.flags.empty(); });
}

void UpdateGroup::settle(Change& change) {
  std::vector<const Part*> all;
  for (const sqlite::StoredPart& stored : change.parts) all.push_back(&stored.part);
  Part whole = merge(all);
  sqlite::FuzzyRow& row = change.row;
  row.flags = whole.flags;
  row.created = whole.created;
  row.updated = whole.updated;
  row.source = whole.source;
  change.renewed = change.number != 0 && whole.shingles != change.row_shingles;
  change.old_shingles = change.row_shingles;
  const bool write_them = change.number == 0 || change.renewed;
  row.shingles = write_them ? whole.shingles : std::nullopt;
}

Status UpdateGroup::write_parts(const Change& change) {
  sqlite::PartTable& table = table_.replica().parts;
  if (change.number != 0) {
    if (Status gone = table.remove(change.row.id); !gone) return gone;
  }
  const bool alone = change.parts.size() == 1 && change.parts.front().store == kOwn;
  if (alone) return {};  // only the own part is left: the row is enough
  const bool new_shingles = change.number == 0 || change.renewed;
  const auto& shingles = new_shingles ? change.row.shingles : change.row_shingles;
  for (const sqlite::StoredPart& stored : change.parts) {
    if (Status put = table.put(change.row.id, stored, shingles); !put) return put;
  }
  return {};
}

Status UpdateGroup::write_asked() {
  sqlite::ReplicaTables& replica = table_.replica();
  for (const TakebackAnswer& answer : answers_) {
    if (Status done = replica.journal.answered(answer, now_); !done) return done;
  }
  for (const Asked& asked : asked_) {
    if (Status done = replica.takebacks.add(asked.takeback, asked.store); !done) return done;
    if (Status done = replica.journal.asked(asked.takeback, now_); !done) return done;
  }
  return {};
}

Status UpdateGroup::write_heard() {
  sqlite::ReplicaTables& replica = table_.replica();
  if (master_) {
    if (Status done = write_master(); !done) return done;
  }
  if (forgotten_) {
    if (Status done = replica.takebacks.remove_all(*forgotten_); !done) return done;
    if (Status done = replica.stores.forget(*forgotten_); !done) return done;
  }
  return replica.journal.trim();
}

Status UpdateGroup::write_master() {
  sqlite::ReplicaTables& replica = table_.replica();
  const std::int64_t number = master_->number;
  for (const TakebackAnswer& answer : answered_) {
    Status done = replica.takebacks.remove(answer.digest, number, answer.flag);
    if (!done) return done;
  }
  // After a rename, this is another store: it cannot answer what the old one was asked.
  if (compared_ || master_->kind == sqlite::StoreTable::Claim::Kind::kRenames) {
    if (Status done = replica.takebacks.remove_all(number); !done) return done;
  }
  return replica.stores.save(*master_, position_);
}

}  // namespace shingled::storage::engine
