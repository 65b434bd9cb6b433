#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "config/base/at_most_every.h"
#include "config/base/clock.h"
#include "mime/fingerprint/secret_hash.h"

namespace shingled::milter::process {

/// Lets a line that says the same again and again through once a minute. A value; takes `now`.
/// Threads: one thread at a time. Bounded: kLinesMax lines are remembered.
class RepeatFilter {
 public:
  static constexpr Duration kInterval = std::chrono::minutes(1);
  static constexpr std::size_t kLinesMax = 256;

  /// How many equal lines were held back since the last one that passed; nothing = hold this one
  /// back too.
  std::optional<std::uint64_t> admit(std::string_view line, TimePoint now);

 private:
  struct Seen {
    AtMostEvery passing{kInterval};
    std::uint64_t held_back = 0;
  };
  std::unordered_map<std::string, Seen, TextHash, std::equal_to<>> seen_;
};

}  // namespace shingled::milter::process
