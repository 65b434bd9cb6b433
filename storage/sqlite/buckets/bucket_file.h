#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "storage/sqlite/base/owned_file.h"

namespace shingled::storage::sqlite {

/// One row of the file of rate limits (SCHEMA.md, "The file of the rate limits").
struct BucketRow {
  std::string key;
  std::int64_t empty_at = 0;  ///< Unix nanoseconds; a row in the past is removed
  std::int64_t room = 0;      ///< nanoseconds until a full bucket is empty
  std::int64_t unit = 0;      ///< nanoseconds until one drop has leaked
};

/// The leaky buckets of the rate limits on disk. A write that succeeded survives the end of the
/// process, even if it is killed; a crash of the machine may lose the last writes.
///
/// Errors: those of OwnedFile; kCorrupt for a file that is not a file of rate limits. Only one
/// process at a time can have it open.
/// Threads: one thread at a time.
class BucketFile {
 public:
  ~BucketFile();
  BucketFile(const BucketFile&) = delete;
  BucketFile& operator=(const BucketFile&) = delete;
  BucketFile(BucketFile&&) = delete;
  BucketFile& operator=(BucketFile&&) = delete;

  /// Opens or creates the file.
  static Result<std::unique_ptr<BucketFile>> open(const std::string& path);

  /// The time of the last write, Unix nanoseconds; 0 = never.
  Result<std::int64_t> written_at();
  Status read(const std::function<void(const BucketRow&)>& take);
  /// Stores the rows in one transaction: each row replaces the stored one with its key, and a row
  /// whose `empty_at` is not after `now` removes it. Many rows should be sorted by key, so that
  /// each page of the file is written once.
  Status write(std::span<const BucketRow> rows, std::int64_t now);
  /// Looks at the next `most` rows and removes those whose `empty_at` is not after `now`. Continues
  /// where the call before ended; after the last row it starts again.
  Status sweep(std::size_t most, std::int64_t now);
  [[nodiscard]] Result<std::size_t> size();
  Status clear();

 private:
  struct Statements;
  BucketFile(OwnedFile file, std::unique_ptr<Statements> statements);

  OwnedFile file_;
  std::unique_ptr<Statements> statements_;  ///< destroyed before the database
  std::string swept_;                       ///< last key of the sweep before; empty = start
};

}  // namespace shingled::storage::sqlite
