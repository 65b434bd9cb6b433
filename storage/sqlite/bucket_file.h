#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "storage/sqlite/owned_file.h"

namespace shingled::storage::sqlite {

/// One row of a file of buckets (SCHEMA.md, "The file of the rate limits").
struct BucketRow {
  std::string key;
  std::int64_t empty_at = 0;  ///< Unix nanoseconds; no row is written for one in the past
  std::int64_t room = 0;      ///< nanoseconds in which a full one gets empty
  std::int64_t unit = 0;      ///< nanoseconds in which one drop leaks
};

/// The leaky buckets of the rate limits on the disk. What `write` said yes to survives the end of
/// the process, however that comes; a crash of the machine may take the last writes.
///
/// Errors: those of Database; kCorrupt for a file that is not ours. One process has it.
/// Threads: one thread at a time.
class BucketFile {
 public:
  ~BucketFile();
  BucketFile(const BucketFile&) = delete;
  BucketFile& operator=(const BucketFile&) = delete;
  BucketFile(BucketFile&&) = delete;
  BucketFile& operator=(BucketFile&&) = delete;

  /// Opens or makes the file.
  static Result<std::unique_ptr<BucketFile>> open(const std::string& path);

  /// When it was written last, Unix nanoseconds; 0 = never.
  Result<std::int64_t> written_at();
  Status read(const std::function<void(const BucketRow&)>& take);
  /// In one transaction: each row in the place of the one it has, those in the past go. Many rows
  /// should come in the order of their keys: each page of the file is then written once.
  Status write(std::span<const BucketRow> rows, std::int64_t now);
  /// Drops what is in the past among the next `most` rows, beginning where it ended last.
  Status sweep(std::size_t most, std::int64_t now);
  [[nodiscard]] Result<std::size_t> size();
  Status clear();

 private:
  struct Statements;
  BucketFile(OwnedFile file, std::unique_ptr<Statements> statements);

  OwnedFile file_;
  std::unique_ptr<Statements> statements_;  ///< go before the database
  std::string swept_;                       ///< key up to which it was swept
};

}  // namespace shingled::storage::sqlite
