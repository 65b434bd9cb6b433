#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "milter/api/counters/counter_fields.h"
#include "milter/api/counters/requested_piece.h"
#include "mime/fingerprint/piece_shingle.h"
#include "storage/counters/counter_store.h"

namespace shingled::milter::api {

/// Which request a page takes.
struct CounterForm {
  CounterFields allowed;
  CounterFields needed;
  bool adds = false;  ///< the pieces are added to: a pair needs its unique, a unique its pair
  bool long_windows = false;  ///< windows are those of what people said
};

/// A request to the counters.
struct CounterRequest {
  std::optional<storage::counters::Direction> direction;
  std::vector<RequestedPiece> pieces;  ///< in `direction`, or in mail that came in
  std::vector<storage::counters::Window> windows;
  storage::counters::Amounts add;
  std::vector<storage::counters::PastAddition> additions;
  std::vector<std::string> recipients;  ///< addresses, as in RCPT
  std::optional<PieceType> type;
  storage::counters::Measure measure = storage::counters::Measure::kMass;
  storage::counters::Window window{storage::counters::Period::Unit::kDay, 1, 0};
  bool rising = false;
  std::size_t most = 20;

  /// What `pieces` and `add` say together.
  [[nodiscard]] storage::counters::Addition addition() const;
};

inline constexpr std::size_t kRequestedWindowsMax = 32;
inline constexpr std::size_t kRequestedMostMax = 1000;
inline constexpr std::size_t kRequestedRecipientsMax = 1000;

/// Reads the JSON of a request strictly: each member is known, comes once and has its type, each
/// number is whole and not negative. An empty body counts as `{}`. `site`: the key of the counters.
///
/// The texts of pieces are not kept: only their shingles are.
/// Errors:  kInvalid; it names the element (`pieces[3].type`), never a piece or a recipient.
/// Threads: stateless.
/// Cost:    one pass; memory for what is in the result, and the longest text.
Result<CounterRequest> parse_counter_request(std::string_view body, const CounterForm& form,
                                             const CounterKeyBytes& site);

}  // namespace shingled::milter::api
