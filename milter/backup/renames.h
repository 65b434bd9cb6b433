#pragma once

#include <string>
#include <vector>

#include "config/base/result.h"

namespace shingled::milter::backup {

/// Renames that are made together. What is not kept is undone by the destructor, in reverse order.
/// If the process dies in between, some are made.
/// Threads: one thread.
class Renames {
 public:
  Renames() = default;
  ~Renames();
  Renames(const Renames&) = delete;
  Renames& operator=(const Renames&) = delete;

  /// Errors: those of os_write_error, with the path; also kInvalid: `to` exists.
  Status add(const std::string& from, const std::string& to);
  /// Does nothing if `from` does not exist.
  Status add_if_there(const std::string& from, const std::string& to);
  /// They stay, and are on the disk.
  Status keep();

 private:
  struct Rename {
    std::string from;
    std::string to;
  };
  std::vector<Rename> made_;
};

}  // namespace shingled::milter::backup
