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

/// The data of the samples in memory: id, list, name and packed signature, each sample in a slot.
/// Slots count from 0 and rise with the ids. The slot of a removed sample stays empty.
///
/// Threads: many readers at the same time, or one thread that changes it.
/// Cost: per sample about 20 bytes, the name, and 6 bits per character of the signature.
class SampleTable {
 public:
  enum class Signatures { kKept, kLeftOut };
  explicit SampleTable(Signatures signatures) : signatures_(signatures) {}

  /// Adds a sample and returns its slot. Ids must rise from sample to sample.
  std::uint32_t add(const Sample& sample);
  /// Empties the slot of a sample. Returns false if there is no sample with this id.
  bool remove(std::uint64_t id);

  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(ids_.size()); }
  [[nodiscard]] std::uint32_t samples() const { return samples_; }
  /// For each slot, whether it has a sample.
  [[nodiscard]] const std::vector<bool>& filled() const { return filled_; }

  [[nodiscard]] std::uint64_t id(std::uint32_t slot) const { return ids_[slot]; }
  [[nodiscard]] std::string_view list(std::uint32_t slot) const;
  [[nodiscard]] std::string_view name(std::uint32_t slot) const;
  /// Writes the signature to `out` and reuses the memory of `out`.
  void signature(std::uint32_t slot, fingerprint::Spamsum& out) const;

  [[nodiscard]] std::uint64_t bytes() const;
  /// Frees spare memory.
  void shrink();

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 16U;
  // A record: number of the list (4 bytes), length of the name (2), name. If signatures are kept:
  // exponent of the block size (1), two lengths (1 each), characters (6 bits each).
  static constexpr std::size_t kHead = 6;
  static constexpr std::size_t kSignatureHead = 3;

  std::uint32_t list_number(const std::string& list);
  std::uint8_t* take(std::size_t bytes);
  [[nodiscard]] const std::uint8_t* record(std::uint32_t slot) const;

  Signatures signatures_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::uint64_t> places_;  ///< number of a chunk * kChunk + offset in it
  std::vector<bool> filled_;
  std::uint32_t samples_ = 0;
  std::vector<std::string> lists_;
  std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
  std::size_t used_ = kChunk;  ///< bytes used in the last chunk
};

}  // namespace shingled::storage::similar
