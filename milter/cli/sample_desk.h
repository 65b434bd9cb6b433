#pragma once

#include <memory>

#include "config/base/clock.h"
#include "config/options/settings.h"
#include "milter/cli/sample_commands.h"
#include "milter/cli/work_meter.h"
#include "storage/similar/sample_library.h"

namespace shingled::milter {

/// What a command does with the library.
enum class LibraryUse : std::uint8_t {
  kNone,    ///< nothing, it need not be there
  kSearch,  ///< reads the file and makes the index
  kRead,    ///< reads the file
  kChange,  ///< changes the file, which is made if it is not there
};

/// The library that a command works on, with the settings it belongs to.   Threads: one thread.
class SampleDesk {
 public:
  explicit SampleDesk(Console& console) : console_(console) {}

  /// Opens it; another code than EX_OK ends the command, and the reason was said.
  int open(const LibraryChoice& choice, LibraryUse use);

  [[nodiscard]] const SimilarOptions& options() const { return settings_->similar; }
  [[nodiscard]] storage::SampleLibrary& library() { return *library_; }
  /// Says why the library failed; the exit code.
  int failed(const Error& error);

 private:
  Console& console_;
  std::string file_;
  std::shared_ptr<const Settings> settings_;
  std::unique_ptr<storage::SampleLibrary> library_;
};

/// How the files of a command are signed that are to be found in the library, or put there.
SigningOptions signing_for(const SimilarOptions& similar, bool raw);

/// Whether a list may have this name.
bool is_sample_list(std::string_view name);

}  // namespace shingled::milter
