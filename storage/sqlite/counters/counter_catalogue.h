#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "storage/sqlite/base/owned_file.h"

namespace shingled::storage::sqlite {

/// One sealed file of counters, as the catalogue knows it.
struct CataloguedFile {
  std::int64_t id = 0;  ///< never used again
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint32_t day_first = 0;  ///< of all its entries; also if the file itself cannot be read
  std::uint32_t day_last = 0;
  /// Of its entries of ten minutes; first > last = it has none.
  std::uint32_t slot_first = 0;
  std::uint32_t slot_last = 0;
  friend bool operator==(const CataloguedFile&, const CataloguedFile&) = default;
};

/// A counter that was forgotten: what it has in files and logs with a number up to `last` does not
/// count.
struct ForgottenRow {
  std::uint64_t shingle = 0;
  std::uint8_t tag = 0;
  std::int64_t last = 0;
  friend bool operator==(const ForgottenRow&, const ForgottenRow&) = default;
};

/// What a file had and nobody can read any more: counters with these shingles may have had entries
/// of these periods.
struct GapRow {
  std::int64_t id = 0;  ///< of the file that had them
  std::uint64_t shingle_first = 0;
  std::uint64_t shingle_last = 0;
  std::uint32_t day_first = 0;
  std::uint32_t day_last = 0;
  std::uint32_t slot_first = 0;  ///< first > last = no entries of ten minutes
  std::uint32_t slot_last = 0;
  friend bool operator==(const GapRow&, const GapRow&) = default;
};

/// A unique counter that may be too small in one period.
struct DoubtRow {
  std::uint64_t shingle = 0;
  std::uint8_t tag = 0;
  bool is_day = false;
  std::uint32_t number = 0;  ///< of the slot or day
  friend auto operator<=>(const DoubtRow&, const DoubtRow&) = default;
};

/// What time it was when the catalogue was written last (storage/counters/timekeeper.h).
struct CatalogueTime {
  std::int64_t wall = 0;           ///< Unix seconds; 0 = never written
  std::int64_t doubted_until = 0;  ///< Unix seconds; 0 = not doubted
  friend bool operator==(const CatalogueTime&, const CatalogueTime&) = default;
};

/// Says which files hold the counters: a file counts from the transaction that names it, and a log
/// until the transaction that names the file made of it.
///
/// Errors:  those of Database; kCorrupt for a file that is not a catalogue. One process has it.
/// Threads: one thread at a time.
/// Source:  COUNTERS.md section 3.
class CounterCatalogue {
 public:
  ~CounterCatalogue();
  CounterCatalogue(const CounterCatalogue&) = delete;
  CounterCatalogue& operator=(const CounterCatalogue&) = delete;
  CounterCatalogue(CounterCatalogue&&) = delete;
  CounterCatalogue& operator=(CounterCatalogue&&) = delete;

  /// Opens or makes the file.
  static Result<std::unique_ptr<CounterCatalogue>> open(const std::string& path);

  /// Every file, by id.
  Result<std::vector<CataloguedFile>> files();
  /// Logs with a smaller number do not count any more.
  Result<std::uint64_t> first_log();
  /// Whether it was ever changed. If not, it knows of nothing.
  Result<bool> is_used();
  Result<CatalogueTime> time();
  /// Every forgotten counter, in no particular order.
  Result<std::vector<ForgottenRow>> forgotten();
  Result<std::vector<GapRow>> gaps();
  Result<std::vector<DoubtRow>> doubts();
  /// The mark of the key under which the counters are (COUNTERS.md section 2); nullopt = none yet.
  Result<std::optional<std::uint64_t>> key_mark();
  Status set_key_mark(std::uint64_t mark);
  /// The mark of a catalogue that another process may have; nullopt if there is none, or it cannot
  /// be read.
  static std::optional<std::uint64_t> read_key_mark(const std::string& path);

  struct Change {
    std::span<const std::int64_t> removed{};  ///< ids
    std::span<const CataloguedFile> added{};
    std::uint64_t first_log = 0;                ///< takes effect if it is larger than before
    std::span<const ForgottenRow> forgotten{};  ///< each takes the place of its counter's row
    std::span<const GapRow> gaps{};
    std::span<const DoubtRow> doubts{};
    std::uint32_t lost_from = 0;  ///< gaps and doubts of earlier days go
  };
  /// In one transaction, which is on the disk afterwards with all that was written before, also if
  /// it changes nothing. Forgotten counters go with the last file
  /// and log that they apply to.
  Status change(const Change& change);
  Status set_time(const CatalogueTime& time);

 private:
  struct Statements;
  CounterCatalogue(OwnedFile file, std::unique_ptr<Statements> statements);
  Status put_file(const CataloguedFile& file);
  Status put_losses(const Change& change);

  OwnedFile file_;
  std::unique_ptr<Statements> statements_;  ///< end before the database
};

}  // namespace shingled::storage::sqlite
