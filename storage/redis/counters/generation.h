#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "config/base/result.h"
#include "config/system/file_system.h"
#include "mime/fingerprint/secret_hash.h"
#include "storage/counters/addition.h"
#include "storage/counters/counter_store.h"
#include "storage/log/record_log.h"
#include "storage/redis/counters/shared_layout.h"

namespace shingled::storage::redis {

/// What a log holds: a call of `add` with the slot in which it was made, or a counter that was
/// imported.
using WaitingItem = std::variant<counters::PastAddition, counters::CounterSeries>;

/// The name of a log: which daemon wrote it, and which of its logs it is. A daemon gets a new
/// number at each start.
struct WaitingName {
  std::uint64_t writer = 0;
  std::uint32_t generation = 0;

  [[nodiscard]] std::string file() const;  ///< "0123456789abcdef-0000002a.waiting"
  static std::optional<WaitingName> parse(std::string_view file);
  friend auto operator<=>(const WaitingName&, const WaitingName&) = default;
};

/// Appends what waits to be sent (storage/COUNTERS.md section 7).
/// Threads: one thread.
class WaitingLog {
 public:
  /// Errors: those of the FileSystem.
  static Result<std::unique_ptr<WaitingLog>> create(FileSystem& files, const WaitingName& name);

  /// Appends all items with one write, or none. They get the numbers from `first` on.
  /// Errors: kUnavailable.
  Status append(std::span<const WaitingItem> items, std::uint64_t first);
  Status append(const counters::PastAddition& addition, std::uint64_t number);
  Status sync() { return log_->sync(); }
  [[nodiscard]] std::uint64_t bytes() const { return log_->bytes(); }

 private:
  explicit WaitingLog(std::unique_ptr<log::RecordLog> log) : log_(std::move(log)) {}

  std::unique_ptr<log::RecordLog> log_;
};

/// Calls `take` with each item and its number. Returns how many bytes are lost (log::LogReading).
/// Errors: kNotFound, kUnavailable, kCorrupt (not a log of this kind and name).
Result<std::uint64_t> read_waiting_log(
    FileSystem& files, const WaitingName& name,
    const std::function<void(std::uint64_t number, const WaitingItem&)>& take);

struct CounterKeyHash {
  std::size_t operator()(const counters::CounterKey& key) const {
    return SecretHash::of_process()(key.shingle ^ (std::uint64_t{key.tag()} << 56U));
  }
};

/// Who waits for the pairs of a call. Guarded by the lock of what holds the pairs.
struct PairTicket {
  std::size_t left = 0;   ///< pairs in memory that are not in Redis yet
  bool failed = false;    ///< they wait in the journal: for their turn, or an exchange failed
  bool returned = false;  ///< the call does not wait any more
};

/// What waits together and has one log: deltas of the same counter meet in it. First it is open,
/// then sealed: divided into calls. The division depends on the content alone, so after a crash the
/// same log gives the same calls, and Redis knows by their numbers what it has.
/// Threads: one thread at a time; `divide` beside others that read.
class Generation {
 public:
  static constexpr std::size_t kKeysPerCall = 1000;

  struct WaitingPair {
    PairDelta delta;
    std::shared_ptr<PairTicket> ticket;  ///< null: they are on the disk alone
  };
  /// One call: deltas [begin, end) of `deltas`.
  struct Call {
    std::uint16_t slot = 0;
    std::uint64_t number = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    enum class State : std::uint8_t { kWaits, kTaken, kDone } state = State::kWaits;
  };
  struct Division {
    std::vector<CounterDelta> deltas;  ///< sorted by slot, bucket and key
    std::vector<Call> calls;           ///< sorted by slot and number
  };

  /// `stored`: it was on the disk alone, so what was read before it was sent lacks it.
  explicit Generation(const WaitingName& name, bool stored = false)
      : name_(name), stored_(stored) {}

  void add(std::uint64_t number, const counters::PastAddition& past,
           const std::shared_ptr<PairTicket>& ticket);
  void add(std::uint64_t number, const WaitingItem& item,
           const std::shared_ptr<PairTicket>& ticket);
  /// The calls that this content makes, once nothing is added any more. `slot_of`: the slot of a
  /// counter in the cluster; that of a bucket, or the same for all.
  [[nodiscard]] Division divide(
      const std::function<std::uint16_t(const counters::CounterKey&)>& slot_of) const;
  void seal(Division division) { division_ = std::move(division); }

  /// What waits for a counter, if Redis does not have it: it has the calls up to `applied`. nullptr
  /// if nothing does. Sealed generations know their slots by `slot`.
  [[nodiscard]] const std::vector<counters::Entry>* find(const counters::CounterKey& key,
                                                         std::uint16_t slot,
                                                         std::uint64_t applied) const;

  [[nodiscard]] const WaitingName& name() const { return name_; }
  [[nodiscard]] bool was_stored() const { return stored_; }
  [[nodiscard]] bool is_empty() const { return size() == 0; }
  /// Counters and pairs.
  [[nodiscard]] std::size_t size() const { return counters_.size() + pairs_.size(); }
  std::deque<WaitingPair>& pairs() { return pairs_; }
  std::vector<Call>& calls() { return division_.calls; }
  [[nodiscard]] const std::vector<CounterDelta>& deltas() const { return division_.deltas; }

 private:
  void put(const counters::CounterKey& key, const counters::Entry& entry);

  WaitingName name_;
  bool stored_;
  std::unordered_map<counters::CounterKey, std::vector<counters::Entry>, CounterKeyHash> counters_;
  std::deque<WaitingPair> pairs_;
  Division division_;  ///< when sealed
};

}  // namespace shingled::storage::redis
