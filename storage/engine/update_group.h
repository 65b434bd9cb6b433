#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "mime/fingerprint/fingerprint.h"
#include "storage/engine/fuzzy_index.h"
#include "storage/model/replica.h"
#include "storage/sqlite/fuzzy_table.h"

namespace shingled::storage::engine {

/// Own parts that were deleted in the second they were made in. A takeback names a part by digest
/// and creation, and that counts seconds: what is taught in the place of such a part must have
/// another one, or the deletion of the old would take the new.
/// Threads: one thread.
/// Memory: kMost entries; beyond them the second must do.
class RecentlyGone {
 public:
  static constexpr std::size_t kMost = 4096;
  /// A creation so far ahead is of a clock that has stepped back: it will not be met again soon.
  static constexpr std::uint32_t kNear = 60;

  /// The creation of a part made now, after one that is gone (0 = none) in the same transaction.
  [[nodiscard]] std::uint32_t creation(const Digest& digest, std::uint32_t gone,
                                       std::uint32_t now) const {
    if (const auto known = created_.find(digest); known != created_.end()) {
      gone = std::max(gone, known->second);
    }
    return gone >= now && gone - now < kNear ? gone + 1 : now;
  }
  void note(const Digest& digest, std::uint32_t gone, std::uint32_t now) {
    if (gone < now) return;
    if (now != swept_) std::erase_if(created_, [&](const auto& one) { return one.second < now; });
    swept_ = now;
    if (created_.size() < kMost || created_.contains(digest)) created_[digest] = gone;
  }

 private:
  std::unordered_map<Digest, std::uint32_t, DigestHash> created_;
  std::uint32_t swept_ = 0;
};

/// Many changes that become durable together: first folded, in order, into one outcome a digest;
/// then written to the file; and only after the commit shown to the index. An abandoned group
/// leaves no trace.
///
/// A digest keeps the first shingles it was taught; a later add with shingles completes one that
/// had none. An expired record counts as absent, so an add begins anew. Where the clock has stepped
/// back, `updated` does not: it is never before `created`.
///
/// Updates are of this store's own part of a digest. A digest that other stores teach as well has
/// parts (PartTable), and its record is what they make together. What changes the own part goes
/// into the journal. A delete hides the parts of others and asks for them to be taken back. A part
/// that cannot be read is dropped, so that it stops nobody: its owner says it again when all is
/// compared.
///
/// A digest may have a companion, which an add named: what deletes the one deletes the other from
/// the same lists, unless it is a master's word about its own part. One step only: the companion's
/// companion stays.
/// Threads: the writer.
class UpdateGroup {
 public:
  UpdateGroup(FuzzyIndex& index, sqlite::FuzzyTable& table, RecentlyGone& gone, std::uint32_t now)
      : index_(index), table_(table), gone_(gone), now_(now) {}

  void fold(const Update& update);
  /// What a master says; at most one batch a group.
  void fold(const ReplicaBatch& batch);
  /// Why the batch is not to be written, if its master may not say it: no fault of the file's.
  [[nodiscard]] const Status& refusal() const { return refusal_; }
  /// Forgets a record because it expired.
  void expire(std::uint32_t number);
  /// Forgets the parts of a digest that expired.
  void expire_parts(const Digest& digest) { change_of(digest); }
  [[nodiscard]] std::size_t size() const { return changes_.size(); }
  /// Once it is written: digests that were stored before and are no more.
  [[nodiscard]] std::size_t removed() const;
  /// A digest whose row somebody took out of the file with a tool.
  struct LostRow {
    Digest digest;
    std::int64_t id = 0;
  };
  /// Why `write` failed, if not empty: once the index has forgotten them (`forget`), the same can
  /// be folded anew.
  [[nodiscard]] const std::vector<LostRow>& lost() const { return lost_; }
  /// Writes with the rest what is to be said of such rows: they leave nothing, and mirrors hear it.
  void bury(std::span<const LostRow> lost) { buried_ = lost; }

  /// Everything into the file, inside the caller's transaction.
  /// Errors: also what went wrong with reading it before.
  Status write();
  /// Once it is written: what `publish` takes of the index.
  [[nodiscard]] RecordNeeds needs() const;
  /// How many more hashes will be on several lists than before.
  [[nodiscard]] std::int64_t list_growth() const;
  /// What of the file could not be read and was dropped: in other words, sentences for the log.
  [[nodiscard]] const std::vector<std::string>& damage() const { return damage_; }
  /// Everything into the index, after the commit; it has room for `needs()`.
  void publish();

 private:
  /// What becomes of one digest.
  struct Change {
    std::uint32_t number = 0;  ///< the record before; 0 = none
    bool known_shingles = false;
    sqlite::FuzzyRow row;  ///< the outcome; no flags = it goes. `shingles`: only new ones
    std::optional<Digest> companion;       ///< if an add named one
    std::optional<Shingles> old_shingles;  ///< from the file, when the record goes or is renewed
    bool renewed = false;                  ///< it has other shingles than before
    bool own_changed = false;              ///< mirrors have to hear of it
    std::uint32_t own_gone = 0;            ///< the creation of an own part that went; 0 = none
    /// The digest has, or had, parts of other stores: these are all of them, and `row` is made of
    /// them at the end.
    bool has_parts = false;
    std::vector<sqlite::StoredPart> parts;
    std::optional<Shingles> row_shingles;  ///< of the record before; with `has_parts`
  };
  struct Asked {
    Takeback takeback;
    std::int64_t store = 0;
  };

  /// The record is made, or made anew with other shingles.
  static bool is_new(const Change& change) {
    return change.number == 0 || change.renewed || change.row.shingles.has_value();
  }
  void fold_one(const Update& update);
  /// Deletes the companion a digest has.
  void fold_deletion(const Digest& digest, std::uint32_t flag);
  std::optional<Digest> companion_of(const Digest& digest);
  Change& change_of(const Digest& digest);
  void load_parts(Change& change);
  /// The digest's row; nothing where there is none (`lost_`) or it cannot be read (`trouble_`).
  std::optional<sqlite::FuzzyRow> row_of(const Change& change);
  /// True if it is that the row is not there.
  bool is_lost(const Change& change, const Error& error);
  /// From now on `parts` are what counts.
  void give_parts(Change& change);
  static Part* part_of(Change& change, std::int64_t store);
  void fold_into_part(Change& change, const Update& update);
  /// When an own part that is made now was created.
  [[nodiscard]] std::uint32_t creation(const Change& change) const {
    return gone_.creation(change.row.digest, change.own_gone, now_);
  }
  /// Takes a list away from the own part (0 = all).
  static void take_away(Change& change, FlagSet& flags, std::uint32_t created, std::uint32_t flag);
  void take_back_others(Change& change, std::uint32_t flag);
  void fold_record(const PartRecord& record, std::int64_t store, std::uint32_t mark);
  void fold_takeback(const Takeback& takeback, const StoreId& asker);
  /// Takes away from a part what this store has asked to be taken back.
  void hide_asked(Part& part, const Digest& digest, std::int64_t store);

  /// `row` out of `parts`.
  static void settle(Change& change);
  Status write_one(Change& change);
  Status write_parts(const Change& change);
  Status write_asked();
  Status write_heard();
  Status write_buried();
  Status write_master();
  /// Whose parts the batch is about; nothing: it is refused.
  std::optional<std::int64_t> store_of(const ReplicaBatch& batch);
  void failed(const Error& error);

  FuzzyIndex& index_;
  sqlite::FuzzyTable& table_;
  RecentlyGone& gone_;
  std::uint32_t now_;
  std::unordered_map<Digest, Change, DigestHash> changes_;
  std::vector<Change*> in_order_;     ///< of `changes_`, as they came first: rows are written so
  std::vector<UpdateName> names_;     ///< of the updates folded
  std::vector<std::uint64_t> seals_;  ///< of those that were sealed
  Status trouble_;                    ///< the first one
  Status refusal_;
  std::vector<Asked> asked_;
  std::vector<TakebackAnswer> answers_;   ///< of this store
  std::vector<TakebackAnswer> answered_;  ///< of the master
  std::optional<sqlite::StoreTable::Claim> master_;
  std::optional<std::int64_t> forgotten_;  ///< a store
  std::optional<JournalPosition> position_;
  bool compared_ = false;  ///< the end of a comparison
  std::vector<LostRow> lost_;
  std::vector<std::string> damage_;
  std::span<const LostRow> buried_;
};

}  // namespace shingled::storage::engine
