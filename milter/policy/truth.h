#pragma once

#include <algorithm>
#include <cstdint>

namespace shingled::milter::policy {

/// What is known of a condition. A condition with unknown values is true or false only if it would
/// be so for every value that these could have.
enum class Truth : std::uint8_t { kFalse, kUnknown, kTrue };

// Kleene's three-valued logic.
constexpr Truth operator!(Truth a) {
  return static_cast<Truth>(static_cast<unsigned>(Truth::kTrue) - static_cast<unsigned>(a));
}
constexpr Truth both(Truth a, Truth b) { return std::min(a, b); }
constexpr Truth either(Truth a, Truth b) { return std::max(a, b); }
constexpr Truth truth_of(bool known) { return known ? Truth::kTrue : Truth::kFalse; }

}  // namespace shingled::milter::policy
