#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/system/file_system.h"
#include "storage/counters/counter_files.h"
#include "storage/counters/sealed/sealed_file.h"
#include "storage/counters/timekeeper.h"
#include "storage/sqlite/counters/counter_catalogue.h"

namespace shingled::storage::counters {

/// A sealed file of the catalogue, and what is known of its state.
/// Threads: any thread.
struct CounterFile {
  sqlite::CataloguedFile catalogued;
  std::unique_ptr<SealedFile> sealed;
  mutable std::atomic<bool> is_corrupt{false};  ///< its bytes are wrong: to be set aside
  /// The disk did not give its bytes. It may do so later, and is asked no sooner for a merge.
  mutable std::atomic<TimePoint> unreadable_until{TimePoint::min()};
  /// It has no counters of mass 1 on days before this one, as far as is known.
  mutable std::atomic<Day> singles_from{0};

  [[nodiscard]] std::uint64_t number() const { return static_cast<std::uint64_t>(catalogued.id); }
};
using CounterFiles = std::vector<std::shared_ptr<const CounterFile>>;

/// Notes what readers and merges find damaged.
/// Threads: any thread.
class DamageNotes {
 public:
  /// `wanted`: called when a file is to be set aside; from any thread, must not block.
  DamageNotes(const Clock& clock, std::function<void()> wanted)
      : clock_(clock), wanted_(std::move(wanted)) {}

  /// Of a file in which something could not be found.
  void note(const CounterFile& file, const Error& error) const;
  /// Found damaged, or unreadable in the last ten minutes: it is not merged now.
  [[nodiscard]] bool is_damaged(const CounterFile& file) const;
  /// Compares all checksums. Whether any was wrong.
  [[nodiscard]] bool find(const CounterFiles& files) const;

 private:
  const Clock& clock_;
  const std::function<void()> wanted_;
};

/// The catalogue, and the files that it names.
///
/// Threads: any thread.
/// Source:  COUNTERS.md section 3.
class SealedFiles {
 public:
  /// Only who has it changes files and what was forgotten.
  struct Catalogue {
    std::unique_ptr<sqlite::CounterCatalogue> file;
    std::uint64_t first_log = 0;
    /// Files of changes that failed. If the power is cut now, such a change may have been made
    /// after all; the next change that succeeds rules that out.
    std::vector<std::string> unsure;
  };

  /// `files`: the folder of sealed files and logs. `mark`: of the key of the shingles; a catalogue
  /// without a mark gets it.
  /// Errors: those of CounterCatalogue; kInvalid if the catalogue has another mark.
  static Result<std::unique_ptr<SealedFiles>> open(const std::string& directory, FileSystem& files,
                                                   std::optional<std::uint64_t> mark);
  [[nodiscard]] Result<Timekeeper::State> time();

  /// What the catalogue names.
  struct Found {
    CounterFiles files;
    std::vector<sqlite::CataloguedFile> lost;  ///< not to be read
    std::vector<std::string> errors;           ///< of those
    std::vector<sqlite::GapRow> gaps;
    std::vector<sqlite::DoubtRow> doubts;
    std::vector<sqlite::ForgottenRow> forgotten;
    std::vector<std::uint64_t> logs;  ///< that count, in order
  };
  /// At the start: opens the files, removes what is left over, and sees which numbers were used.
  /// Errors: those of CounterCatalogue and of reading the folder; kCorrupt if a new catalogue has
  ///         sealed files beside it: those of a catalogue that is gone.
  Result<Found> take_up(FileNumbers& numbers);

  [[nodiscard]] Guarded<Catalogue>::Locked catalogue() { return catalogue_.lock(); }
  /// Nothing is unsure afterwards.
  Status settle(Catalogue& catalogue);

  using Opened = Result<std::shared_ptr<const CounterFile>>;
  Opened open_file(const sqlite::CataloguedFile& catalogued);
  Opened open_made(std::uint64_t number, const SealedFooter& footer);
  /// Kept for a person who wants to look at it; nobody reads it under that name.
  void move_aside(std::int64_t id);
  /// What cannot be removed is removed at the next start.
  void remove_all(std::vector<std::string>& names);

 private:
  SealedFiles(std::string directory, FileSystem& files,
              std::unique_ptr<sqlite::CounterCatalogue> catalogue);
  /// The first use of a catalogue. `unnamed`: files that it does not name.
  Status begin_catalogue(sqlite::CounterCatalogue& catalogue,
                         const std::vector<std::string>& unnamed) const;
  Status remove_leftovers(Catalogue& catalogue, const std::vector<std::string>& names,
                          const CounterFiles& files,
                          const std::vector<sqlite::CataloguedFile>& lost);

  const std::string directory_;
  FileSystem& files_;
  Guarded<Catalogue> catalogue_;
};

}  // namespace shingled::storage::counters
