#pragma once

#include <string.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace shingled {

/// A key that cannot be printed by accident and is wiped by the destructor. It has no stream
/// operator, no text and no comparison.
/// Threads: a value.
template <std::size_t N>
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::span<const std::uint8_t, N> from) {
    for (std::size_t i = 0; i < N; ++i) bytes_[i] = from[i];
  }
  Secret(const Secret&) = default;
  Secret& operator=(const Secret&) = default;
  Secret(Secret&& other) noexcept : bytes_(other.bytes_) {}  // nothing to steal
  Secret& operator=(Secret&& other) noexcept {
    bytes_ = other.bytes_;
    return *this;
  }
  ~Secret() { explicit_bzero(bytes_.data(), N); }

  /// The key itself, for the one call that needs it.
  [[nodiscard]] const std::uint8_t* reveal() const { return bytes_.data(); }
  [[nodiscard]] std::uint8_t* reveal() { return bytes_.data(); }
  static constexpr std::size_t size() { return N; }

 private:
  std::array<std::uint8_t, N> bytes_{};
};

using SecretKey = Secret<32>;

}  // namespace shingled
