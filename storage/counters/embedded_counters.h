#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/options/counter_options.h"
#include "config/system/file_system.h"
#include "storage/counters/addition.h"
#include "storage/counters/counter.h"
#include "storage/counters/counter_log.h"
#include "storage/counters/counter_store.h"
#include "storage/counters/forgotten_counters.h"
#include "storage/counters/live_table.h"
#include "storage/counters/merge.h"
#include "storage/counters/pair_claims.h"
#include "storage/counters/sealed_file.h"
#include "storage/counters/sum_cache.h"
#include "storage/counters/timekeeper.h"
#include "storage/counters/unique_doubts.h"
#include "storage/sqlite/counters/counter_catalogue.h"

namespace shingled::storage::counters {

/// Numbers for metrics.
struct EmbeddedCounterStatus {
  std::uint64_t live_counters = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t files = 0;
  std::uint64_t rows = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t tables_unsealed = 0;
  std::uint64_t cache_bytes = 0;
  std::uint64_t shrunk = 0;          ///< times that disk_max made files lose periods or counters
  std::uint64_t sealed_early = 0;    ///< tables that memory_max ended before their ten minutes
  std::uint64_t forgotten = 0;       ///< counters that were forgotten and are still in files
  std::uint64_t files_lost = 0;      ///< of the catalogue, not there or damaged at their end
  std::uint64_t files_damaged = 0;   ///< damaged within, and not set aside yet
  std::uint64_t gaps = 0;            ///< parts of files that were set aside and cannot be read
  std::uint64_t doubts = 0;          ///< unique counters and periods in which they may be too small
  std::uint64_t logs_lost = 0;       ///< at the start: damaged at their beginning, or unreadable
  std::uint64_t log_bytes_lost = 0;  ///< at the start (LogContent::bytes_lost)
  std::vector<std::string> lost;     ///< what is wrong with the files and logs that were lost
};

/// Counters of this machine: the running ten minutes in memory over a log, the rest in sealed
/// files.
///
/// It has no thread. Its owner calls `sync` once per `counters.sync`, and `maintain` every few
/// seconds and whenever `wanted` was called.
///
/// Threads: any thread, except `maintain` from one at a time. `ask` never waits for a disk that
///          others write to; `add` does for its own record, and the one that begins a table for it.
/// Source:  COUNTERS.md sections 3 to 6.
class EmbeddedCounters {
 public:
  /// Takes up what was there before: logs that were not sealed are read into memory. A sealed file
  /// that is gone or damaged does not count as an error: counters that may have been in it are
  /// unknown until it would be too old.
  ///
  /// `files`: the folder of sealed files and logs. `wanted`: called when `maintain` has work; from
  /// any thread, must not block.
  /// `mark`: of the key of the shingles; a catalogue without a mark gets it.
  /// Errors: those of CounterCatalogue and of reading the folder; kInvalid if the catalogue has
  /// another mark.
  static Result<std::unique_ptr<EmbeddedCounters>> open(const EmbeddedCounterOptions& options,
                                                        FileSystem& files, const Clock& clock,
                                                        std::function<void()> wanted = {},
                                                        std::optional<std::uint64_t> mark = {});
  ~EmbeddedCounters() = default;
  EmbeddedCounters(const EmbeddedCounters&) = delete;
  EmbeddedCounters& operator=(const EmbeddedCounters&) = delete;
  EmbeddedCounters(EmbeddedCounters&&) = delete;
  EmbeddedCounters& operator=(EmbeddedCounters&&) = delete;

  /// Adds in the present period. What returns without an error survives the end of the process.
  /// Errors: kUnavailable (the disk), kLimit (memory_max is used and cannot be sealed), kInvalid
  /// (more than kAdditionKeysMax keys). Then nothing was added.
  Status add(const Addition& addition);

  /// The sums of some counters, as they are now.
  [[nodiscard]] CounterAnswers ask(std::span<const CounterKey> keys,
                                   std::span<const Window> windows);

  /// All entries of one counter, sorted by period.
  /// Errors: those of SealedFile.
  Result<std::vector<Entry>> series(const CounterKey& key);

  /// All counters, sorted by key. Slots that are not kept any more come as their days. Files that
  /// were lost are left out.
  [[nodiscard]] std::unique_ptr<CounterCursor> scan();

  // As those of CounterStore. One at a time; the others wait.
  Status import(std::span<const CounterSeries> counters);
  Status learn(std::span<const PastAddition> additions);
  Status forget(std::span<const CounterKey> keys);

  /// What was added before is on the disk afterwards.
  /// Errors: kUnavailable. A table whose log cannot be synced is ended, and `sync` fails until it
  ///         is sealed.
  Status sync();

  /// Seals tables of periods that are over or too large, merges files, deletes what is too old or
  /// beyond `disk_max`.
  /// Errors: the first one; the rest of the work is done, and the next call tries again.
  Status maintain(const std::stop_token& stop);

  /// Compares every checksum of every file. What was set aside is not compared any more.
  /// Errors: the first one; a file that was lost.
  Status verify(const std::stop_token& stop);

  /// Compares every checksum and sets aside what is damaged or lost, so that the rest is whole and
  /// merged again. What cannot be read stays unknown.
  /// Errors: as `maintain`.
  /// Threads: any thread; waits for `maintain`.
  Status repair(const std::stop_token& stop);

  /// What cannot be read, by file.
  [[nodiscard]] std::vector<CounterLoss> losses() const;

  [[nodiscard]] Slot present_slot();
  [[nodiscard]] EmbeddedCounterStatus status() const;

 private:
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
  struct File {
    sqlite::CataloguedFile catalogued;
    std::unique_ptr<SealedFile> sealed;
    mutable std::atomic<bool> is_corrupt{false};  ///< its bytes are wrong: to be set aside
    /// The disk did not give its bytes. It may do so later, and is asked no sooner for a merge.
    mutable std::atomic<TimePoint> unreadable_until{TimePoint::min()};
    /// It has no counters of mass 1 on days before this one, as far as is known.
    mutable std::atomic<Day> singles_from{0};

    [[nodiscard]] std::uint64_t number() const { return static_cast<std::uint64_t>(catalogued.id); }
  };
  /// What readers see. Never changed; a new one takes its place.
  struct View {
    std::shared_ptr<Live> live;
    std::vector<std::shared_ptr<Live>> frozen;  ///< the oldest first
    std::vector<std::shared_ptr<const File>> files;
    std::vector<sqlite::CataloguedFile> lost;  ///< named by the catalogue, but not to be read
    std::vector<sqlite::GapRow> gaps;          ///< of files that were set aside
    std::shared_ptr<const ForgottenCounters> forgotten;  ///< nullptr = none
    std::shared_ptr<PairClaims> claims;                  ///< nullptr = none

    /// What a counter has in tables and files up to this number does not count.
    [[nodiscard]] std::uint64_t last_forgotten(const CounterKey& key) const {
      return forgotten ? forgotten->last(key) : 0;
    }
    /// Calls `take(LostPeriods, id of the file)` for whatever may have had entries of this counter
    /// and cannot be read; without what `find` finds in files.
    template <typename Take>
    void each_loss(const CounterKey& key, const Take& take) const {
      if (lost.empty() && gaps.empty()) return;
      const auto last = static_cast<std::int64_t>(last_forgotten(key));
      for (const sqlite::CataloguedFile& file : lost)
        if (file.id > last) take(LostPeriods::of(file), file.id);
      for (const sqlite::GapRow& gap : gaps)
        if (holds(gap, key.shingle) && gap.id > last) take(LostPeriods::of(gap), gap.id);
    }
    std::uint64_t number = 0;  ///< each view has its own
  };
  using ViewPointer = std::shared_ptr<const View>;
  struct Catalogue {
    std::unique_ptr<sqlite::CounterCatalogue> file;
    std::uint64_t first_log = 0;
    /// Files of changes that failed. If the power is cut now, such a change may have been made
    /// after all; the next change that succeeds rules that out.
    std::vector<std::string> unsure;
  };

  EmbeddedCounters(EmbeddedCounterOptions options, FileSystem& files, const Clock& clock,
                   std::function<void()> wanted,
                   std::unique_ptr<sqlite::CounterCatalogue> catalogue,
                   const Timekeeper::State& time);

  // At the start.
  static Status check_mark(sqlite::CounterCatalogue& catalogue, const std::string& directory,
                           std::optional<std::uint64_t> mark);
  Status open_files();
  Status read_forgotten();
  Status read_losses();
  Status read_logs();
  Status read_one_log(std::uint64_t number);
  /// The first use of a catalogue. `unnamed`: files that it does not name.
  /// Errors: kCorrupt if there are sealed files: those of a catalogue that is gone.
  Status begin_catalogue(sqlite::CounterCatalogue& catalogue,
                         const std::vector<std::string>& unnamed);
  void remove_leftovers(Catalogue& catalogue, const std::vector<std::string>& leftovers);

  [[nodiscard]] ViewPointer view() const { return *view_.lock(); }
  /// Frees what was retired and nobody reads any more.
  void free_retired();
  void change_view(const std::function<void(View&)>& change);
  /// Begins a new table, unless the present one is still that of `seen`.
  Status begin_table(const Live* seen, Slot slot);
  /// Begins a new table while others add to the present one, and changes the view with it. With the
  /// lock of `beginning_`.
  Status begin_meanwhile(Slot slot, const std::function<void(View&)>& change)
      SHINGLED_REQUIRES(beginning_);
  /// The same while nobody adds.
  Status begin_alone(Slot slot) SHINGLED_REQUIRES(beginning_);
  Result<std::shared_ptr<Live>> make_live(Slot slot) SHINGLED_REQUIRES(beginning_);
  void put_live(std::shared_ptr<Live> live, const std::function<void(View&)>& change);
  /// Gives `answers` what the sealed files have.
  void ask_files(const View& view, Slot slot, std::span<const CounterKey> keys,
                 std::span<const Window> windows, CounterAnswers& answers);
  /// Says of which windows the sums may lack something.
  void ask_losses(const View& view, Slot slot, std::span<const CounterKey> keys,
                  std::span<const Window> windows, CounterAnswers& answers) const;
  [[nodiscard]] bool is_full(const View& view) const;
  Status sync_log(Live& table);
  void apply(const View& view, Live& live, const Addition& addition);
  /// `doubt`: what is taken as seen because it cannot be read.
  [[nodiscard]] PairSeen seen_before(const View& view, const Live& live, const CounterKey& key,
                                     PairSeen& doubt);
  /// Of a file in which something could not be found.
  void note_damage(const File& file, const Error& error);
  /// Found damaged, or unreadable in the last ten minutes: it is not merged now.
  [[nodiscard]] bool is_damaged(const File& file) const;
  Result<std::vector<Entry>> entries_of(const View& view, const CounterKey& key);

  // Past additions and entries: they become a sealed file (embedded_past.cpp).
  using TakeRow = std::function<Status(const CounterKey&, const std::vector<Entry>&)>;
  using Rows = std::function<Status(const TakeRow&)>;
  Status insert(std::vector<PairClaims::Claim> claims,
                const std::function<Rows(const View&)>& make_rows);
  Status insert_file(const Rows& rows);
  Status claim(std::vector<PairClaims::Claim> claims);

  class Scan;

  Status seal_all(const std::vector<std::shared_ptr<Live>>& tables, const std::stop_token& stop);
  /// Seals the tables that wait, with the lock.
  Status seal_frozen(const std::stop_token& stop);
  Status seal(const std::shared_ptr<Live>& table);
  [[nodiscard]] std::vector<std::shared_ptr<const File>> whole_files() const;
  /// Whether what is made of these files has room on the disk beside them.
  Status has_room(const std::vector<std::shared_ptr<const File>>& inputs);
  /// Whether any was found.
  bool find_damage(const std::vector<std::shared_ptr<const File>>& inputs);
  // What is damaged (embedded_damage.cpp).
  Status set_aside_corrupt(const std::stop_token& stop);
  Status set_aside_lost(const sqlite::CataloguedFile& lost);
  void move_aside(std::int64_t id);
  Status expire_losses(Day days_from);
  Status merge_some(const std::stop_token& stop);
  Status expire(const std::stop_token& stop);
  Status shrink(const std::stop_token& stop);
  /// Writes the files again that are smaller by these rules, until those that are left are small
  /// enough; true if they are.
  Result<bool> shrink_by(const MergeRules& rules, const std::stop_token& stop);
  [[nodiscard]] std::uint64_t disk_bytes() const;
  /// `lost`: what is damaged is left out; else such a file is not merged.
  Status rewrite(const std::vector<std::shared_ptr<const File>>& inputs, const MergeRules& rules,
                 const std::stop_token& stop, std::vector<ShingleRange>* lost = nullptr);
  /// Takes the place of `inputs`, in the catalogue and in the view; `made` may be nullptr. With
  /// `gaps`, the inputs are set aside.
  Status replace(const std::vector<std::shared_ptr<const File>>& inputs,
                 const std::shared_ptr<const File>& made, const std::shared_ptr<Live>& sealed,
                 const std::vector<sqlite::GapRow>& gaps = {});
  /// Nothing is unsure afterwards.
  Status settle(Catalogue& catalogue);
  Status drop_lost(const sqlite::CataloguedFile& lost);
  /// Of a log whose table is in a sealed file, or that holds nothing.
  void drop_log(std::uint64_t number, bool is_damaged);
  Result<std::shared_ptr<const File>> open_file(const sqlite::CataloguedFile& catalogued);
  Result<std::shared_ptr<const File>> open_made(std::uint64_t number, const SealedFooter& footer);
  [[nodiscard]] MergeRules rules_now();

  const EmbeddedCounterOptions options_;
  FileSystem& files_;
  const Clock& clock_;
  const std::function<void()> wanted_;
  /// Held by `maintain` and `repair`, before the next one.
  Mutex maintaining_;
  UniqueDoubts doubts_;
  /// Held while tables are sealed, and by `import`, `learn` and `forget`. First of all other locks.
  Mutex sealing_;
  Guarded<Timekeeper> time_;
  /// Held while a new table is made and takes its place, so that tables come in the order of their
  /// numbers.
  Mutex beginning_;
  std::atomic<bool> is_beginning_{false};  ///< and the disk is waited for
  /// Held together while something is added, alone while a new table takes its place.
  FairSharedMutex adding_;
  /// Held while the catalogue and then the view change.
  Guarded<Catalogue> catalogue_;
  mutable Guarded<ViewPointer> view_;
  /// Files and tables that no view has any more. Who lets go of one last frees its memory, for a
  /// large file up to 100 ms; that must not be a reader who still had an old view.
  Guarded<std::vector<std::shared_ptr<const void>>> retired_;
  SumCache sums_;  ///< of what the files of a view have
  std::atomic<std::uint64_t> few_asked_{0};
  Slot last_maintained_ = 0;  ///< of `maintain`
  std::atomic<std::uint64_t> shrunk_{0};
  std::atomic<std::uint64_t> sealed_early_{0};
  std::uint64_t log_bytes_lost_ = 0;  ///< these three never change after the start
  std::uint64_t logs_lost_ = 0;
  std::vector<std::string> lost_;
  std::atomic<bool> are_logs_told_{false};     ///< `repair` was called since
  std::atomic<std::uint64_t> next_number_{1};  ///< of a log or file
};

}  // namespace shingled::storage::counters
