#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"

namespace shingled::milter::setup {

/// The programs and files of other servers on this machine; tests put another one in its place.
/// Threads: one thread; waits.
class Machine {
 public:
  virtual ~Machine() = default;
  /// Runs a program, found in PATH, /usr/sbin or /sbin, and returns what it printed.
  /// Errors: kNotFound (no such program), kInvalid (it ended with another code than 0; the text is
  ///         the first line of its error stream), those of os_error.
  virtual Result<std::string> run(const std::vector<std::string>& arguments) = 0;
  /// Errors: kNotFound, kDenied, and others of os_error, with the path.
  virtual Result<std::string> read(const std::string& path) = 0;
  [[nodiscard]] virtual bool is_link(const std::string& path) = 0;
  /// Whether both files are there and `path` was not changed before `than`.
  [[nodiscard]] virtual bool is_newer(const std::string& path, const std::string& than) = 0;
  /// Replaces the file at once, or makes it with mode 0644. Mode and owner stay, and so does a
  /// symbolic link to the file.
  /// Errors: those of os_error, with the path.
  virtual Status write(const std::string& path, std::string_view content) = 0;
  /// A file of the same content, mode and owner.
  /// Errors: as `write`; kNotFound.
  virtual Status copy(const std::string& from, const std::string& to) = 0;
};

std::unique_ptr<Machine> this_machine();

}  // namespace shingled::milter::setup
