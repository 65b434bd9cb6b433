#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "config/base/clock.h"
#include "mime/fingerprint/piece_shingle.h"
#include "storage/counters/counter_store.h"

namespace shingled::milter::reports {

/// On so many different days of the last kResidenceWindow a resident got wanted mail, today
/// included. A name that somebody made up got none.
inline constexpr std::size_t kResidenceDays = 5;
inline constexpr std::uint32_t kResidenceWindow = 14;

/// Whether the entries of the counter of a recipient are those of a resident. Pure.
bool is_resident(std::span<const storage::counters::Entry> entries, storage::counters::Day today);

/// Asks the counters whether a mailbox gets wanted mail here: once a day for a mailbox.
/// Threads: one thread at a time.
class Residence {
 public:
  static constexpr std::size_t kKnownMax = 10'000;

  /// Mail to each of these addresses comes to the mailbox (mailbox_names.h); the last one is its
  /// own. One that is no address is nobody's. nullopt: the counters cannot be read.
  std::optional<bool> ask(storage::counters::CounterStore& store, const CounterKeyBytes& site,
                          std::span<const std::string> addresses, TimePoint deadline);

 private:
  struct Answer {
    storage::counters::Day day = 0;
    bool resident = false;
  };
  std::map<std::string, Answer> known_;
};

}  // namespace shingled::milter::reports
