#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shingled::config {

/// A duration as people write it: whole numbers with units, the largest unit first and each at most
/// once: "90d", "1h30m", "500ms". Units: w, d, h, m (or min), s, ms. A bare number is refused,
/// because its unit is unknown; only 0 needs no unit. nullopt for other text and for more than 64
/// bits of milliseconds.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The shortest text that `parse_duration` reads as this duration, which must not be negative.
std::string format_duration(std::chrono::milliseconds duration);

/// An amount per time span.
struct Rate {
  double amount = 0;
  std::chrono::milliseconds time{0};
  friend bool operator==(const Rate&, const Rate&) = default;
};

/// A rate in rspamd's form: "5 / 1m", "100/1h", "10 / s", "1.5 / 30s". Blanks around the slash are
/// ignored; a unit alone means one of it. nullopt for an amount below 0 or a time of 0.
std::optional<Rate> parse_rate(std::string_view text);

/// A number of bytes: "1024", "64K", "10M". Units: K, M, G, T in either case, powers of 1024.
/// nullopt for other text and for more than 64 bits.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// The shortest text that `parse_size` reads as this size.
std::string format_size(std::uint64_t bytes);

}  // namespace shingled::config
