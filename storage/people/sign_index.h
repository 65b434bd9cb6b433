#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "storage/people/statement.h"

namespace shingled::storage::people {

/// Finds statements by their signs, in memory.
/// Threads: many may read, or one may change.
/// Cost:    8 to 16 bytes a sign of a statement, and 32 to 64 a different sign. A look-up is one line of
///          the cache if nobody said anything, which is the rule.
class SignIndex {
 public:
  /// Statements are named by numbers from 0 on.
  using Number = std::uint32_t;

  /// Adds a statement; returns its number.
  Number add(const Statement& statement);
  /// Its voice does not count any more; it still uses memory.
  void remove(Number number) { statements_[number].removed = true; }

  /// Appends the voices of a sign, at most kVoicesMax: those of standing, then at most
  /// kNewcomerVoicesMax newcomers, of each the newest addition first.
  void find(std::uint64_t sign, Voices& out) const;

  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::size_t statements() const { return statements_.size(); }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Known {
    Voice voice;
    bool removed = false;
  };
  /// A sign, and the newest of its links; free without one.
  struct Slot {
    std::uint64_t sign = 0;
    std::uint32_t of_standing = kNone;
    std::uint32_t newcomer = kNone;

    [[nodiscard]] bool used() const { return of_standing != kNone || newcomer != kNone; }
  };
  struct Link {
    Number statement = 0;
    std::uint32_t before = kNone;  ///< that of the same sign and kind that was added before
  };

  [[nodiscard]] std::size_t place_of(std::uint64_t sign) const;
  void grow();
  /// Appends the voices of a link and those before it until there are `most`.
  void follow(std::uint32_t link, std::size_t most, Voices& out) const;

  std::vector<Known> statements_;
  std::vector<Link> links_;
  std::vector<Slot> slots_;  ///< a power of two, at most half of it used
  std::size_t used_ = 0;
};

}  // namespace shingled::storage::people
