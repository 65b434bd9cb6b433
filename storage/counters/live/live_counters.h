#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/options/counter_options.h"
#include "config/system/file_system.h"
#include "storage/counters/addition.h"
#include "storage/counters/counter.h"
#include "storage/counters/counter_files.h"
#include "storage/counters/live/counter_log.h"
#include "storage/counters/live/live_table.h"
#include "storage/counters/sealed/unique_doubts.h"
#include "storage/counters/timekeeper.h"

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

/// A table and its log.
struct Live {
  Live(Slot slot, std::uint64_t log_number) : table(slot), number(log_number) {}
  LiveTable table;
  std::uint64_t number;  ///< of its log, and of the file that is made of it
  std::unique_ptr<CounterLog>
      log;  ///< nullptr after a restart: the log only remains to be synced and sealed
  std::atomic<bool> is_old_log_synced{false};  ///< of a log of before the restart
  bool is_log_damaged = false;                 ///< the log is put aside when the table is sealed
};

/// The tables of a moment, and what came before them. Never changed; new ones take its place.
class Tables {
 public:
  virtual ~Tables() = default;

  /// What came of a pair before in the slot and on the day of `adding`: in older tables, and in
  /// whatever else is kept. `doubt`: what is taken as seen because it cannot be read.
  [[nodiscard]] virtual PairSeen seen_before(const Live& adding, const CounterKey& pair,
                                             PairSeen& doubt) const = 0;

  std::shared_ptr<Live> live;                 ///< nullptr = none yet
  std::vector<std::shared_ptr<Live>> frozen;  ///< wait to be sealed, the oldest first
  std::shared_ptr<PairClaims> claims;         ///< nullptr = none

 protected:
  Tables() = default;
  Tables(const Tables&) = default;
  Tables(Tables&&) = default;
  Tables& operator=(const Tables&) = default;
  Tables& operator=(Tables&&) = default;
};

/// Where the present tables are found and changed.
/// Threads: any thread.
class TableBoard {
 public:
  virtual ~TableBoard() = default;
  [[nodiscard]] virtual std::shared_ptr<const Tables> tables() const = 0;
  virtual void change_tables(const std::function<void(Tables&)>& edit) = 0;
};

/// The running ten minutes: the table that takes additions, its log, and when the next one begins.
///
/// Threads: any thread. `add` waits for the disk for its own record, and the one that begins a
///          table for that.
/// Source:  COUNTERS.md section 4.
class LiveCounters {
 public:
  /// What they use, and what must outlive them.
  struct Surroundings {
    FileSystem& files;
    CounterClock& time;
    FileNumbers& numbers;
    TableBoard& board;
    UniqueDoubts& doubts;
  };
  /// `wanted`: called when a table waits to be sealed; from any thread, must not block.
  LiveCounters(const EmbeddedCounterOptions& options, const Surroundings& surroundings,
               std::function<void()> wanted);

  /// Adds in the present period. What returns without an error survives the end of the process.
  /// Errors: kUnavailable (the disk), kLimit (memory_max is used and cannot be sealed), kInvalid
  /// (more than kAdditionKeysMax keys). Then nothing was added.
  Status add(const Addition& addition);
  /// What was added before is on the disk afterwards.
  /// Errors: kUnavailable. A table whose log cannot be synced is ended, and `sync` fails until it
  ///         is sealed.
  Status sync();

  /// Begins a new table, unless the present one is not `seen` any more.
  Status begin_after(const Live* seen, Slot slot);
  /// Begins a new table with these claims. Returns the tables that came before.
  Result<std::vector<std::shared_ptr<Live>>> claim(const std::shared_ptr<PairClaims>& claims);
  /// The claims are over. With `withdrawn`, what was not counted because of them is counted now.
  void end_claims(PairClaims* withdrawn);
  /// Calls `work` while nobody adds. It may begin new tables by calling its argument.
  using BeginTable = std::function<Status()>;
  Status while_nobody_adds(const std::function<Status(const BeginTable&)>& work);

  /// What was read of a log of an earlier process.
  struct Restored {
    std::shared_ptr<Live> table;  ///< nullptr = nothing; else it is one of `frozen` now
    std::uint64_t bytes_lost = 0;
    std::optional<Error> error;  ///< it could not be read to its end
  };
  /// At the start, in the order of the numbers.
  Restored restore(std::uint64_t number);

  /// Tables that memory_max ended before their ten minutes.
  [[nodiscard]] std::uint64_t sealed_early() const {
    return sealed_early_.load(std::memory_order_relaxed);
  }

 private:
  /// Begins a new table while others add to the present one, and changes the tables with it.
  Status begin_meanwhile(Slot slot, const std::function<void(Tables&)>& change)
      SHINGLED_REQUIRES(beginning_);
  Result<std::shared_ptr<Live>> make_live(Slot slot);
  void put_live(std::shared_ptr<Live> live, const std::function<void(Tables&)>& change);
  [[nodiscard]] bool is_full(const Tables& tables) const;
  void apply(const Tables& tables, Live& live, const Addition& addition);
  Status sync_log(Live& table);

  const EmbeddedCounterOptions options_;
  const Surroundings use_;
  const std::function<void()> wanted_;
  /// Held while a new table is made and takes its place, so that tables come in the order of their
  /// numbers. Before `adding_`.
  Mutex beginning_;
  std::atomic<bool> is_beginning_{false};  ///< and the disk is waited for
  /// Held together while something is added, alone while a new table takes its place.
  FairSharedMutex adding_;
  std::atomic<std::uint64_t> sealed_early_{0};
};

}  // namespace shingled::storage::counters
