#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/options/settings.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/similar/sample_commands.h"
#include "milter/desk/servers/asking.h"
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

/// The scanner of a command that looks messages up as the daemon would.
struct OpenedScanner {
  std::unique_ptr<judge::Scanner> scanner;  ///< null: the command ends with `code`
  int code = 0;
};

/// As open_scanner, with the library of known files if the settings want it. Prints errors in the
/// name of `command`.
/// Cost: reads the whole library.
OpenedScanner open_scanner_with_samples(const std::string& command,
                                        const desk::ServerArguments& arguments,
                                        const Settings& settings, Clock& clock, Random& random,
                                        Console& console);

/// How the files of a command are signed that are to be found in the library, or put there.
similar::SigningOptions signing_for(const SimilarOptions& similar, bool raw);

}  // namespace shingled::milter::cli
