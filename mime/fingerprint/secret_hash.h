#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "config/base/random.h"

namespace shingled {

/// The hash of tables whose keys a stranger can choose: SipHash-2-4 with a secret. Who does not
/// know the secret cannot find keys that share a place, however many he may choose (Aumasson and
/// Bernstein 2012); a hash without one, a multiplier or a seed that is mixed in at the end he
/// inverts.
///
/// For places in memory alone: what is stored or sent must be the same on every day.
/// Threads: constant.
/// Cost: 15 ns for a number or a short text, 37 for a digest.
class SecretHash {
 public:
  static constexpr std::size_t kKeyBytes = 16;

  explicit SecretHash(Random& random) { random.fill(key_); }
  /// With the secret of this process, which the kernel's generator gave when it was first asked
  /// for: not the same in two processes, so nothing may depend on the order of a table.
  static const SecretHash& of_process();

  [[nodiscard]] std::uint64_t operator()(std::string_view bytes) const;
  [[nodiscard]] std::uint64_t operator()(std::span<const std::uint8_t> bytes) const;
  [[nodiscard]] std::uint64_t operator()(std::uint64_t number) const;

 private:
  std::array<std::uint8_t, kKeyBytes> key_{};
};

/// For hash tables with texts; with std::equal_to<> one may ask for a view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return SecretHash::of_process()(text); }
};

}  // namespace shingled
