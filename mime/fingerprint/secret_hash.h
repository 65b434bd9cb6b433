#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "config/base/random.h"

namespace shingled {

/// For hash tables whose keys strangers can choose: SipHash-2-4 with a secret. Without the secret
/// nobody can find keys that fall into the same slot (Aumasson and Bernstein 2012). Hashes without
/// a secret, or with a seed that is only multiplied or mixed in at the end, can be inverted.
///
/// Only for tables in memory: the values differ in each process, so never store or send them.
/// Threads: constant.
/// Cost:    15 ns for a number or a short text, 37 ns for a digest.
class SecretHash {
 public:
  static constexpr std::size_t kKeyBytes = 16;

  explicit SecretHash(Random& random) { random.fill(key_); }
  /// With the secret of this process, drawn from the kernel at the first call. It differs between
  /// processes, so nothing may depend on the order of a table.
  static const SecretHash& of_process();

  [[nodiscard]] std::uint64_t operator()(std::string_view bytes) const;
  [[nodiscard]] std::uint64_t operator()(std::span<const std::uint8_t> bytes) const;
  [[nodiscard]] std::uint64_t operator()(std::uint64_t number) const;

 private:
  std::array<std::uint8_t, kKeyBytes> key_{};
};

/// For hash tables of texts. With std::equal_to<> a string_view can be looked up.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return SecretHash::of_process()(text); }
};

}  // namespace shingled
