#pragma once

#include <vector>

#include "config/base/guarded.h"
#include "storage/counters/counter.h"
#include "storage/counters/live/live_table.h"

namespace shingled::storage::counters {

/// Whether a pair came before.
struct PairSeen {
  bool in_slot = false;
  bool on_day = false;
  friend bool operator==(const PairSeen&, const PairSeen&) = default;
};

/// What a unique counter gets for a pair that came.
Amounts unique_amounts(const PairSeen& seen);

/// The pairs of a file that is being made of past additions. Those who add in the meantime take
/// them as seen, so that no pair is new twice. If the file cannot be made after all, they get back
/// what they did not count.
/// Threads: any thread.
class PairClaims {
 public:
  struct Claim {
    CounterKey key;
    Period period;
    friend auto operator<=>(const Claim&, const Claim&) = default;
  };

  explicit PairClaims(std::vector<Claim> claims);

  /// `seen`, and what is claimed besides. `table` has added the pair in its slot.
  PairSeen add_to(const PairSeen& seen, const CounterKey& pair, const CounterKey& unique,
                  LiveTable& table);
  /// Pays what was not counted because of the claims. Nobody adds meanwhile, and the tables are
  /// those that the claims were asked for.
  void withdraw();

 private:
  struct Debt {
    LiveTable* table = nullptr;
    CounterKey unique;
    Amounts amounts;
  };
  const std::vector<Claim> claims_;  ///< sorted
  Guarded<std::vector<Debt>> debts_;
};

}  // namespace shingled::storage::counters
