#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mime/fingerprint/spamsum.h"
#include "storage/model/sample.h"

namespace shingled::storage::similar {

/// What the index has in memory of each sample: id, list, name, and the signature packed, in a
/// slot. Slots count from 0 and rise with the ids; one whose sample went stays empty.
///
/// Threads: reading from many at once, changes from one alone.
/// Cost: some 20 bytes, the name, and 6 bits a character of the signature.
class SampleTable {
 public:
  enum class Signatures { kKept, kLeftOut };
  explicit SampleTable(Signatures signatures) : signatures_(signatures) {}

  /// Returns the slot. Ids must rise.
  std::uint32_t add(const Sample& sample);
  /// Empties the slot of the id; whether there was one.
  bool remove(std::uint64_t id);

  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(ids_.size()); }
  [[nodiscard]] std::uint32_t samples() const { return samples_; }
  /// For each slot, whether it has a sample.
  [[nodiscard]] const std::vector<bool>& filled() const { return filled_; }

  [[nodiscard]] std::uint64_t id(std::uint32_t slot) const { return ids_[slot]; }
  [[nodiscard]] std::string_view list(std::uint32_t slot) const;
  [[nodiscard]] std::string_view name(std::uint32_t slot) const;
  /// Puts the signature into `out`, whose memory is used again.
  void signature(std::uint32_t slot, fingerprint::Spamsum& out) const;

  [[nodiscard]] std::uint64_t bytes() const;
  /// Gives back what was taken in advance.
  void shrink();

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 16U;
  // A record: number of the list (4 bytes), length of the name (2), name; with a signature
  // the exponent of its block size, its two lengths, its characters as 6 bits each.
  static constexpr std::size_t kHead = 6;
  static constexpr std::size_t kSignatureHead = 3;

  std::uint32_t list_number(const std::string& list);
  std::uint8_t* take(std::size_t bytes);
  [[nodiscard]] const std::uint8_t* record(std::uint32_t slot) const;

  Signatures signatures_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::uint64_t> places_;  ///< number of a chunk * kChunk + place in it
  std::vector<bool> filled_;
  std::uint32_t samples_ = 0;
  std::vector<std::string> lists_;
  std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
  std::size_t used_ = kChunk;  ///< of the last chunk
};

}  // namespace shingled::storage::similar
