#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "storage/engine/fuzzy_index.h"
#include "storage/sqlite/fuzzy_table.h"

namespace shingled::storage {

/// Many updates that become durable together: first folded, in order, into one outcome a digest;
/// then written to the file; and only after the commit shown to the index. An abandoned group
/// leaves no trace.
///
/// A digest keeps the first shingles it was taught; a later add with shingles completes one that
/// had none. An expired record counts as absent, so an add begins anew.
/// Threads: the writer.
class UpdateGroup {
 public:
  UpdateGroup(FuzzyIndex& index, FuzzyTable& table, std::uint32_t now)
      : index_(index), table_(table), now_(now) {}

  void fold(const Update& update);
  /// Forgets a record because it expired.
  void expire(std::uint32_t number);
  [[nodiscard]] std::size_t size() const { return changes_.size(); }

  /// Everything into the file, inside the caller's transaction.
  Status write();
  /// Everything into the index, after the commit; it has room for `size()` more.
  void publish();

 private:
  /// What becomes of one digest.
  struct Change {
    std::uint32_t number = 0;  ///< the record before; 0 = none
    bool known_shingles = false;
    FuzzyRow row;  ///< the outcome; no flags = it goes. `shingles`: only new ones
    std::optional<Shingles> old_shingles;  ///< from the file, when the record goes
  };
  Change& change_of(const Digest& digest);
  Status write_one(Change& change);

  FuzzyIndex& index_;
  FuzzyTable& table_;
  std::uint32_t now_;
  std::unordered_map<Digest, Change, DigestHash> changes_;
  std::vector<UpdateName> names_;  ///< of the updates folded
};

}  // namespace shingled::storage
