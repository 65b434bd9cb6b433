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
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::storage::engine {

/// Remembers own parts that were deleted in the same second in which they were made. A takeback
/// names a part by its digest and its creation, which counts seconds. So a part that is taught in
/// the place of a deleted one must have another creation; otherwise the takeback of the old part
/// would remove the new one, too.
/// Threads: one thread.
/// Memory: kMost entries. Further parts are not remembered, so their creation may repeat.
class RecentlyGone {
 public:
  static constexpr std::size_t kMost = 4096;
  /// A creation at least this many seconds ahead comes from a clock that has been set back since.
  /// It is ignored: its second will not come again soon.
  static constexpr std::uint32_t kNear = 60;

  /// The creation for a part that is made now. `gone`: the creation of a part of this digest that
  /// the same transaction removed; 0 = none.
  [[nodiscard]] std::uint32_t creation(const Digest& digest, std::uint32_t gone,
                                       std::uint32_t now) const {
    if (const auto known = created_.find(digest); known != created_.end()) {
      gone = std::max(gone, known->second);
    }
    return gone >= now && gone - now < kNear ? gone + 1 : now;
  }
  /// Remembers that a part with the creation `gone` (0 = none) was removed at `now`.
  void remember(const Digest& digest, std::uint32_t gone, std::uint32_t now) {
    if (gone < now) return;
    if (now != swept_) std::erase_if(created_, [&](const auto& one) { return one.second < now; });
    swept_ = now;
    if (created_.size() < kMost || created_.contains(digest)) created_[digest] = gone;
  }

 private:
  std::unordered_map<Digest, std::uint32_t, DigestHash> created_;
  std::uint32_t swept_ = 0;
};

/// Many changes that become durable together. They are first folded, in order, into one outcome per
/// digest; then written to the file; and shown to the index only after the commit. A group that is
/// abandoned has no effect.
///
/// A digest keeps the first shingles it was taught. A later add with shingles completes a digest
/// that had none. An expired record counts as absent, so an add starts anew. If the clock was set
/// back, `updated` does not go back, and is never before `created`.
///
/// Updates change this store's own part of a digest. A digest that other stores teach as well has
/// parts (PartTable), and its record is made of all of them. A change of the own part goes into the
/// journal. A delete hides the parts of other stores and asks these stores to take them back. A
/// part that cannot be read is dropped, so that it does not block anything: its owner sends it
/// again when the stores are compared.
///
/// A digest may have a companion, which an add named. Deleting the digest deletes its companion
/// from the same lists, except when a master changes its own part. This goes one step only: the
/// companion of the companion stays.
///
/// One class in two files, the second for the parts of other stores: a change is folded, and then
/// written or abandoned, with all its parts at once.
/// Threads: the writer.
class UpdateGroup {
 public:
  UpdateGroup(FuzzyIndex& index, sqlite::FuzzyTable& table, RecentlyGone& gone, std::uint32_t now)
      : index_(index), table_(table), gone_(gone), now_(now) {}

  void fold(const Update& update);
  /// Folds a batch from a master; at most one batch per group.
  void fold(const ReplicaBatch& batch);
  /// An error if the master may not send this batch. It does not mean that the file has a fault.
  [[nodiscard]] const Status& refusal() const { return refusal_; }
  /// Removes a record because it has expired.
  void expire(std::uint32_t number);
  /// Removes the expired parts of a digest.
  void expire_parts(const Digest& digest) { change_of(digest); }
  [[nodiscard]] std::size_t size() const { return changes_.size(); }
  /// After `write`: the number of digests that were stored before and are removed now.
  [[nodiscard]] std::size_t removed() const;
  /// A digest whose row was removed from the file with a tool.
  struct LostRow {
    Digest digest;
    std::int64_t id = 0;
  };
  /// If not empty, `write` failed because these rows are missing. When the index has forgotten them
  /// (`FuzzyIndex::forget`), the same changes can be folded again.
  [[nodiscard]] const std::vector<LostRow>& lost() const { return lost_; }
  /// Makes `write` also remove what is left of these rows, and tell the mirrors.
  void bury(std::span<const LostRow> lost) { buried_ = lost; }

  /// Writes everything to the file, inside the caller's transaction.
  /// Errors: those of the file, also errors from reading it while folding.
  Status write();
  /// After `write`: the room that `publish` needs in the index.
  [[nodiscard]] RecordNeeds needs() const;
  /// How many more hashes than before will be on several lists.
  [[nodiscard]] std::int64_t list_growth() const;
  /// Sentences for the log: the parts of the file that could not be read and were dropped.
  [[nodiscard]] const std::vector<std::string>& damage() const { return damage_; }
  /// Puts everything into the index, after the commit. The index must have room for `needs()`.
  void publish();

 private:
  /// The outcome for one digest.
  struct Change {
    std::uint32_t number = 0;  ///< the record before; 0 = none
    bool known_shingles = false;
    sqlite::FuzzyRow row;             ///< the outcome; no flags = remove. `shingles`: only new ones
    std::optional<Digest> companion;  ///< if an add of this group named one
    std::optional<Shingles> old_shingles;  ///< from the file, if the record is removed or made anew
    bool renewed = false;                  ///< it has other shingles than before
    bool own_changed = false;              ///< the mirrors must learn of it
    std::uint32_t own_gone = 0;            ///< the creation of a removed own part; 0 = none
    /// The digest has, or had, parts of other stores. Then `parts` has all parts, and `row` is made
    /// of them at the end.
    bool has_parts = false;
    std::vector<sqlite::StoredPart> parts;
    std::optional<Shingles> row_shingles;  ///< of the record before; only with `has_parts`
  };
  struct Asked {
    Takeback takeback;
    std::int64_t store = 0;
  };

  /// The index needs a new record: there was none, or the shingles have changed.
  static bool is_new(const Change& change) {
    return change.number == 0 || change.renewed || change.row.shingles.has_value();
  }
  void fold_one(const Update& update);
  /// Folds the deletion of a companion.
  void fold_deletion(const Digest& digest, std::uint32_t flag);
  std::optional<Digest> companion_of(const Digest& digest);
  Change& change_of(const Digest& digest);
  void load_parts(Change& change);
  /// The digest's row in the file; nullopt if it is missing (adds to `lost_`) or cannot be read
  /// (sets `trouble_`).
  std::optional<sqlite::FuzzyRow> row_of(const Change& change);
  /// True if the error means that the row is missing; then adds it to `lost_`.
  bool is_lost(const Change& change, const Error& error);
  /// Turns the digest's row into parts; from now on `parts` decides.
  void give_parts(Change& change);
  static Part* part_of(Change& change, std::int64_t store);
  void fold_into_part(Change& change, const Update& update);
  /// The creation for an own part that is made now.
  [[nodiscard]] std::uint32_t creation(const Change& change) const {
    return gone_.creation(change.row.digest, change.own_gone, now_);
  }
  /// Removes a list (0 = all) from the own part, whose flags these are.
  static void take_away(Change& change, FlagSet& flags, std::uint32_t created, std::uint32_t flag);
  void take_back_others(Change& change, std::uint32_t flag);
  void fold_record(const PartRecord& record, std::int64_t store, std::uint32_t mark);
  void fold_takeback(const Takeback& takeback, const StoreId& asker);
  /// Removes from a master's part the lists that this store has asked the master to take back.
  void hide_asked(Part& part, const Digest& digest, std::int64_t store);

  /// Makes `row` from `parts`.
  static void settle(Change& change);
  Status write_one(Change& change);
  Status write_parts(const Change& change);
  Status write_asked();
  Status write_heard();
  Status write_buried();
  Status write_master();
  /// The number of the store whose parts the batch changes; nullopt if the batch is refused.
  std::optional<std::int64_t> store_of(const ReplicaBatch& batch);
  void failed(const Error& error);

  FuzzyIndex& index_;
  sqlite::FuzzyTable& table_;
  RecentlyGone& gone_;
  std::uint32_t now_;
  std::unordered_map<Digest, Change, DigestHash> changes_;
  std::vector<Change*> in_order_;     ///< points into `changes_`; order of first use
  std::vector<UpdateId> names_;       ///< of the updates that were folded
  std::vector<std::uint64_t> seals_;  ///< of the updates that were sealed
  Status trouble_;                    ///< the first error
  Status refusal_;
  std::vector<Asked> asked_;
  std::vector<TakebackAnswer> answers_;   ///< that this store gives
  std::vector<TakebackAnswer> answered_;  ///< that the master gave
  std::optional<sqlite::StoreTable::Claim> master_;
  std::optional<std::int64_t> forgotten_;  ///< the store to forget
  std::optional<JournalPosition> position_;
  bool compared_ = false;  ///< the batch ends a comparison
  std::vector<LostRow> lost_;
  std::vector<std::string> damage_;
  std::span<const LostRow> buried_;
};

}  // namespace shingled::storage::engine
