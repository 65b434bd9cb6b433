#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled {

inline constexpr std::size_t kDigestBytes = 64;
inline constexpr std::size_t kShingleCount = 32;

/// The keyed BLAKE2b-512 of a content (HASHING.md sections 3.1 and 4.5).
struct Digest {
  std::array<std::uint8_t, kDigestBytes> bytes{};
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// For hash tables. Keyed with the secret of the process (secret_hash.h), as a sender can choose
/// the bytes of a digest.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const;
};

/// 32 minimum hashes of a text. The chance that slot i of two texts is equal is about their
/// similarity.
using Shingles = std::array<std::uint64_t, kShingleCount>;

/// The digest and, for a long text, the shingles of a part of a message.
struct Fingerprint {
  Digest digest;
  std::optional<Shingles> shingles;  ///< only long texts have them
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// The words that fingerprints are made of, in one string, with the end of each word. It needs only
/// two allocations, and the digest is made of the concatenated words.
/// Threads: a value.
class WordList {
 public:
  void add(std::string_view word) {
    glued_ += word;
    ends_.push_back(static_cast<std::uint32_t>(glued_.size()));
  }
  void reserve(std::size_t words, std::size_t bytes) {
    ends_.reserve(words);
    glued_.reserve(bytes);
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] bool empty() const { return ends_.empty(); }
  /// Word `i`; valid until the next add().
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(glued_).substr(begin, ends_[i] - begin);
  }
  /// All words without a separator.
  [[nodiscard]] std::string_view glued() const { return glued_; }
  friend bool operator==(const WordList&, const WordList&) = default;

 private:
  std::string glued_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace shingled
