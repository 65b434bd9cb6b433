#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "config/base/result.h"
#include "storage/sqlite/base/owned_file.h"

namespace shingled::storage::sqlite {

/// The text of a piece, under its type and shingle.
struct PieceNameRow {
  std::uint8_t type = 0;
  std::uint64_t shingle = 0;
  std::string text;
};

/// The texts of counted pieces on disk (COUNTERS.md section 3). A write that succeeded survives the
/// end of the process; a crash of the machine may lose the last writes.
///
/// Errors:  those of OwnedFile and Database; kCorrupt for a file that is not one of names. One
///          process at a time can have it open.
/// Threads: one thread at a time.
class PieceNameTable {
 public:
  ~PieceNameTable();
  PieceNameTable(const PieceNameTable&) = delete;
  PieceNameTable& operator=(const PieceNameTable&) = delete;
  PieceNameTable(PieceNameTable&&) = delete;
  PieceNameTable& operator=(PieceNameTable&&) = delete;

  /// Opens or makes the file.
  static Result<std::unique_ptr<PieceNameTable>> open(const std::string& path);

  /// Stores the rows as seen at `now` (Unix seconds), then removes what was seen the longest ago
  /// until at most `most` rows are left. One transaction.
  Status write(std::span<const PieceNameRow> rows, std::int64_t now, std::size_t most);
  /// nullopt if it is not there.
  Result<std::optional<std::string>> find(std::uint8_t type, std::uint64_t shingle);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Statements;
  PieceNameTable(OwnedFile file, std::unique_ptr<Statements> statements, std::size_t size);

  OwnedFile file_;
  std::unique_ptr<Statements> statements_;  ///< end before the database
  std::size_t size_;
};

}  // namespace shingled::storage::sqlite
