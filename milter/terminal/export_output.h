#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/result.h"
#include "config/system/unique_fd.h"
#include "milter/terminal/console.h"
#include "storage/formats/new_file.h"

namespace shingled::milter::terminal {

/// The destination of an export: "-" is the console; a file appears only when it is complete
/// (NewFile); a device or pipe is written directly.
///
/// Errors: those of NewFile; kUnavailable when it cannot be written.
/// Threads: one thread.
class ExportOutput {
 public:
  static Result<ExportOutput> open(const std::string& name,
                                   storage::formats::NewFile::Existing existing, Console& console);

  /// Writes whole lines.
  Status write(std::string_view lines);
  /// Keeps what was written: syncs and renames the file.
  Status finish();

 private:
  ExportOutput(std::string name, Console& console) : name_(std::move(name)), console_(&console) {}

  std::string name_;
  Console* console_;
  std::optional<storage::formats::NewFile> file_;
  UniqueFd device_;
};

}  // namespace shingled::milter::terminal
