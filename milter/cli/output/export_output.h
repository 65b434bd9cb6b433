#pragma once

#include <optional>
#include <string>

#include "config/base/result.h"
#include "config/system/unique_fd.h"
#include "milter/cli/terminal/console.h"
#include "storage/formats/new_file.h"

namespace shingled::milter::cli {

/// Where an export goes: "-" is the console, a name is a file that is there only when it is
/// complete (NewFile), a device or pipe is written to as it is.
///
/// Errors: those of NewFile; kUnavailable when it cannot be written to.
/// Threads: one thread.
class ExportOutput {
 public:
  static Result<ExportOutput> open(const std::string& name,
                                   storage::formats::NewFile::Existing existing, Console& console);

  /// Writes whole lines.
  Status write(std::string_view lines);
  /// Makes what was written stay.
  Status finish();

 private:
  ExportOutput(std::string name, Console& console) : name_(std::move(name)), console_(&console) {}

  std::string name_;
  Console* console_;
  std::optional<storage::formats::NewFile> file_;
  UniqueFd device_;
};

}  // namespace shingled::milter::cli
