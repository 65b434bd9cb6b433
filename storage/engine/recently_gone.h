#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "mime/fingerprint/fingerprint.h"

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

}  // namespace shingled::storage::engine
