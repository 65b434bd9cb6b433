#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/system/file_system.h"
#include "storage/counters/sealed/sealed_file.h"

namespace shingled::storage::counters {

/// Writes a sealed file. It has a temporary name until `finish` has put all of it on the disk, and
/// is removed if that never happens.
/// Errors:  those of FileSystem and AppendFile, with the name.
/// Threads: one thread.
/// Cost:    memory for the index, four bytes for about twelve rows, and for the first 16384 rows.
class SealedWriter {
 public:
  /// `rows_expected`: at most this many rows will come. `range`: of all their entries.
  static Result<SealedWriter> begin(FileSystem& files, std::string name,
                                    std::uint64_t rows_expected, const PeriodRange& range);
  ~SealedWriter();
  SealedWriter(SealedWriter&& other) noexcept = default;
  SealedWriter& operator=(SealedWriter&& other) = delete;
  SealedWriter(const SealedWriter&) = delete;
  SealedWriter& operator=(const SealedWriter&) = delete;

  /// Rows come in order, each key once, each with at least one entry.
  Status add(const CounterKey& key, const std::vector<Entry>& entries);
  /// The file has its name and is on the disk afterwards.
  Result<SealedFooter> finish();

 private:
  struct PendingRow {
    CounterKey key;
    std::size_t entries = 0;
  };

  SealedWriter(FileSystem& files, std::string name, std::unique_ptr<AppendFile> file,
               const SealedFooter& footer);
  Status end_sample();
  Status put(const CounterKey& key, std::span<const Entry> entries);
  /// Writes the buckets before `bucket`: the rows that came, then empty ones.
  Status close_buckets_before(std::uint64_t bucket);
  void write_bucket();
  void note_offset();
  void write_index();
  Status flush(std::size_t bytes_least);

  FileSystem* files_;
  std::string name_;
  std::unique_ptr<AppendFile> file_;
  SealedFooter footer_;
  /// The first rows. As shingles are spread evenly, they are like all rows; the codes are made for
  /// them.
  std::vector<Row> sample_;
  std::optional<RowCode> code_;  ///< after the sample
  std::uint64_t bucket_ = 0;     ///< the one that rows are put into
  std::vector<PendingRow> rows_;
  std::vector<Entry> entries_;  ///< of rows_
  std::vector<std::uint64_t> groups_;
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint64_t> sums_;
  Bytes out_;                ///< not written yet; begins at a block
  std::uint64_t begun_ = 0;  ///< bytes before out_
};

}  // namespace shingled::storage::counters
