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

/// The library of a command, with its settings.
/// Threads: one thread.
class SampleClient {
 public:
  explicit SampleClient(Console& console) : console_(console) {}

  /// Opens the library. Any code but EX_OK ends the command; the reason is printed.
  int open(const LibraryChoice& choice, LibraryUse use);
  /// Reads the whole library into an index, for many searches. Returns like `open`.
  int make_index();
  /// SampleLibrary::scan, for a few.
  Result<std::vector<storage::similar::SampleScan::Answer>> scan(
      std::span<const storage::similar::SampleScan::Question> questions, std::size_t most);

  [[nodiscard]] const SimilarOptions& options() const { return settings_->similar; }
  [[nodiscard]] storage::similar::SampleLibrary& library() { return *library_; }
  /// Prints why the library failed and returns the exit code.
  int failed(const Error& error);

 private:
  int open(storage::similar::LibraryOptions options);

  Console& console_;
  SystemClock clock_;
  std::string file_;
  std::shared_ptr<const Settings> settings_;
  std::unique_ptr<storage::similar::SampleLibrary> library_;
};

/// The library of known files, to look messages up as the daemon would; null where the settings do
/// not want that.
/// Errors: of SampleLibrary::open, naming the file.
/// Cost: reads all of it.
Result<std::shared_ptr<const storage::similar::SampleLibrary>> open_samples(
    const SimilarOptions& options);

/// How the files of a command are signed that are to be found in the library, or put there.
SigningOptions signing_for(const SimilarOptions& similar, bool raw);

}  // namespace shingled::milter::cli
