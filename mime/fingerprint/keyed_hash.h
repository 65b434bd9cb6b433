#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "mime/fingerprint/fingerprint.h"

namespace shingled::fingerprint {

inline constexpr std::size_t kHashKeyBytes = 64;
inline constexpr std::size_t kSipKeyBytes = 16;

using KeyView = std::span<const std::uint8_t>;

/// BLAKE2b-512 of the concatenated pieces. An empty `key` gives the unkeyed form. `key` has at most
/// kHashKeyBytes.
/// Threads: stateless.
Digest keyed_hash(KeyView key, std::initializer_list<std::string_view> pieces);

/// SHA-256, the name of long texts for people to compare.
/// Threads: stateless.
std::array<std::uint8_t, 32> sha256(std::string_view data);

/// SHA-256 of what comes in pieces, such as a large file.
/// Threads: one thread.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view data);
  /// Of all that was added. It is called once, and ends the object's use.
  std::array<std::uint8_t, 32> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SipHash-2-4, the 64-bit result read little-endian.
/// Threads: stateless.
std::uint64_t siphash(std::span<const std::uint8_t, kSipKeyBytes> key, std::string_view data);

}  // namespace shingled::fingerprint
