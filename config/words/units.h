#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shingled::config {

/// A duration as people write it: whole numbers with units, the largest unit first and each at most
/// once: "90d", "1h30m", "500ms". Units: w, d, h, m (or min), s, ms. A bare number is refused, for
/// nobody can know its unit; only 0 needs none. Nothing for anything else and for what does not fit
/// 64 bits of milliseconds.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The shortest text that `parse_duration` reads as this duration, which is not negative.
std::string format_duration(std::chrono::milliseconds duration);

/// So much in so long.
struct Rate {
  double amount = 0;
  std::chrono::milliseconds time{0};
  friend bool operator==(const Rate&, const Rate&) = default;
};

/// A rate as rspamd has them: "5 / 1m", "100/1h", "10 / s", "1.5 / 30s". Blanks around the slash
/// count for nothing; a unit alone is one of it. Nothing for an amount below 0 or no time.
std::optional<Rate> parse_rate(std::string_view text);

/// A number of bytes: "1024", "64K", "10M". Units: K, M, G, T in either case, powers of 1024.
/// Nothing for anything else and for what does not fit 64 bits.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// The shortest text that `parse_size` reads as this size.
std::string format_size(std::uint64_t bytes);

}  // namespace shingled::config
