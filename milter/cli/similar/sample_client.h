#pragma once

#include <memory>
#include <span>
#include <vector>

#include "config/base/clock.h"
#include "config/options/settings.h"
#include "milter/cli/similar/sample_commands.h"
#include "storage/similar/sample_library.h"

namespace shingled::milter::cli {

/// What a command does with the library.
enum class LibraryUse : std::uint8_t {
  kNone,    ///< nothing, it need not be there
  kRead,    ///< reads the file
  kSearch,  ///< searches it
  kChange,  ///< changes the file, which is made if it is not there
};

/// The library that a command works on, with the settings it belongs to.
/// Threads: one thread.
class SampleClient {
 public:
  explicit SampleClient(Console& console) : console_(console) {}

  /// Opens it; another code than EX_OK ends the command, and the reason was said.
  int open(const LibraryChoice& choice, LibraryUse use);
  /// Reads all of the library into an index, for many searches; returns what `open` does.
  int make_index();
  /// SampleLibrary::scan, for a few.
  Result<std::vector<storage::similar::SampleScan::Answer>> scan(
      std::span<const storage::similar::SampleScan::Question> questions, std::size_t most);

  [[nodiscard]] const SimilarOptions& options() const { return settings_->similar; }
  [[nodiscard]] storage::similar::SampleLibrary& library() { return *library_; }
  /// Says why the library failed; the exit code.
  int failed(const Error& error);

 private:
  int open(storage::similar::LibraryOptions options);

  Console& console_;
  SystemClock clock_;
  std::string file_;
  std::shared_ptr<const Settings> settings_;
  std::unique_ptr<storage::similar::SampleLibrary> library_;
};

/// How the files of a command are signed that are to be found in the library, or put there.
SigningOptions signing_for(const SimilarOptions& similar, bool raw);

/// Whether a list may have this name.
bool is_sample_list(std::string_view name);

}  // namespace shingled::milter::cli
