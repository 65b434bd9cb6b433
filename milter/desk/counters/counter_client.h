#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "milter/desk/counters/counter_desk.h"
#include "milter/features/counter_needs.h"
#include "milter/view/json.h"
#include "storage/counters/counter.h"

namespace shingled::milter::desk {

using storage::counters::Amounts;
using storage::counters::Direction;

/// The sums of a counter over the windows that were asked for.
struct AskedCounter {
  std::string shingle;        ///< 16 hexadecimal digits
  bool known = false;         ///< the sums of all windows are right
  std::vector<Amounts> sums;  ///< one for each window
  std::vector<bool> lost;     ///< of each window: its sum says nothing

  [[nodiscard]] bool knows_some() const {
    return std::find(lost.begin(), lost.end(), false) != lost.end();
  }

  friend bool operator==(const AskedCounter&, const AskedCounter&) = default;
};

/// What people said of a piece, one for each window. `recipients` of the sums: how many people the
/// recipients that were asked for are.
struct SaidOfPiece {
  std::vector<features::Sums> unproved;  ///< in mail that anybody can have sent; `said` alone
  std::vector<features::Sums> proved;    ///< in mail whose From was proved
};

/// All that is kept of a counter.
struct CounterHistory {
  storage::counters::Slot now = 0;  ///< the present slot of the counters
  std::vector<storage::counters::Entry> entries;
};

/// A question for the largest counters.
struct TopQuestion {
  std::optional<Direction> direction = {};  ///< nullopt: both
  std::optional<unsigned> type = {};        ///< nullopt: all
  storage::counters::Measure measure{};
  std::string window = "1d";
  bool rising = false;  ///< those that grew most since the window before
  std::size_t most = 20;
};

struct TopCounter {
  std::string direction;
  std::string type;
  std::string shingle;
  std::optional<std::string> piece;  ///< its text, where that is kept
  std::uint64_t count = 0;
  std::uint64_t before = 0;  ///< in the window before, if the question was for rising ones
};

/// Asks for counters and changes them. Pieces are JSON as the pages of the daemon have it:
/// {"type", "piece"} or {"type", "shingle"}.
///
/// Errors:  those of CounterDesk; kCorrupt also for an answer that makes no sense.
/// Threads: one thread; waits.
class CounterClient {
 public:
  explicit CounterClient(CounterDesk& desk) : desk_(desk) {}

  /// The sums of pieces over windows such as "24h", in the order of the pieces.
  Result<std::vector<AskedCounter>> ask(Direction direction, const Json& pieces,
                                        std::span<const std::string> windows);
  Result<CounterHistory> history(Direction direction, const Json& piece);
  /// In the order of the pieces. Of a window of more than 14 days `complaint` and `rescue`, too.
  /// `recipients`: addresses whose own word is asked for.
  /// Errors: also kUnavailable: it is not known.
  Result<std::vector<SaidOfPiece>> people(Direction direction, const Json& pieces,
                                          std::span<const std::string> windows,
                                          std::span<const std::string> recipients = {});
  Result<std::vector<TopCounter>> top(const TopQuestion& question);
  /// Adds the amounts to each piece; returns how many counters that were.
  Result<std::uint64_t> add(Direction direction, const Json& pieces, const Amounts& amounts);
  /// Removes counters; returns how many.
  Result<std::uint64_t> forget(std::optional<Direction> direction, const Json& pieces);
  /// Adds what happened earlier: {"time", "space", "pieces", "add"} in JSON, with commas between
  /// them. Returns how many of them were taken.
  Result<std::uint64_t> learn(const std::string& additions);
  /// Hands all counts to `take`, lines of JSON in pieces of any length.
  Status export_to(const http::HttpTaker& take);
  /// Adds the counts of such lines, all or nothing; returns how many counters that were.
  Result<std::uint64_t> import_from(std::string lines);
  /// Checks all that is stored: {"ok", ...}.
  Result<Json> verify(bool repair = false);

 private:
  /// Sends `body` to a page and returns the object that it answers with.
  Result<Json> post(const std::string& page, std::string body, Duration patience);
  Result<Json> post(const std::string& page, const Json& body);
  Result<std::uint64_t> number_of(const std::string& page, std::string body, const char* name);

  CounterDesk& desk_;
};

/// The amounts as the pages have them: {"mass": 3}, without those that are 0.
Json amounts_json(const Amounts& amounts);

}  // namespace shingled::milter::desk
