#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/result.h"

namespace shingled::milter::backup {

/// Renames that are made together: all of them stay, or none.
///
///   add() each -> make() -> keep()
///
/// What is not kept is undone by the destructor, in reverse order. What is planned stands in a
/// journal from make() to keep(), so that take_back() undoes it after the process died in between.
/// Threads: one thread.
class Renames {
 public:
  /// The name of the journal, in a folder that exists when make() is called.
  static constexpr std::string_view kJournalName = "restore.journal";

  explicit Renames(std::string journal) : journal_(std::move(journal)) {}
  ~Renames();
  Renames(const Renames&) = delete;
  Renames& operator=(const Renames&) = delete;
  Renames(Renames&&) = delete;
  Renames& operator=(Renames&&) = delete;

  void add(std::string from, std::string to) {
    planned_.push_back({std::move(from), std::move(to)});
  }
  /// Does nothing if `from` does not exist.
  void add_if_there(std::string from, std::string to);
  /// Errors: those of os_write_error, with the path; also kInvalid: a `to` exists.
  Status make();
  /// They stay, and are on the disk.
  /// Errors: those of os_write_error.
  Status keep();

  /// Undoes what a journal says and was not kept. May be called again after an error, or after the
  /// process died here, too. Without a journal no name was changed: then it only removes one that
  /// was not finished.
  /// Errors: those of os_write_error; kCorrupt (no journal of ours, which is left).
  static Status take_back(const std::string& journal);

 private:
  struct Rename {
    std::string from;
    std::string to;
  };
  [[nodiscard]] Status write_journal() const;
  static Status sync_folders_of(const std::vector<Rename>& renames);

  const std::string journal_;
  std::vector<Rename> planned_;
  std::size_t made_ = 0;
  bool kept_ = false;
};

}  // namespace shingled::milter::backup
