#include "milter/cli/similar/signed_input.h"

#include <fmt/format.h>
#include <sysexits.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <thread>

#include "milter/cli/input/file_tree.h"
#include "milter/cli/input/ordered_work.h"
#include "milter/cli/output/progress_meter.h"
#include "milter/cli/similar/file_signer.h"
#include "milter/cli/similar/signature_csv.h"
#include "milter/cli/terminal/exit_code.h"
#include "milter/cli/terminal/interrupt.h"

namespace shingled::milter::cli {

namespace {

/// One command's way through its files.
class InputLoop {
 public:
  InputLoop(const InputArguments& arguments, const SigningOptions& options, Console& console,
            const std::function<int(SignedInput)>& take)
      : arguments_(arguments),
        options_(options),
        console_(console),
        take_(take),
        files_(files_of(arguments.names)) {}

  int run() {
    const SystemClock clock;
    ProgressMeter meter(console_, clock);
    const unsigned jobs =
        arguments_.jobs != 0 ? arguments_.jobs : std::max(1U, std::thread::hardware_concurrency());
    in_order<Result<ReadFile>>(
        files_.size(), jobs,
        [this](std::size_t i) -> Result<ReadFile> {
          if (files_[i].error) return *files_[i].error;
          return sign_file(files_[i], options_);
        },
        [this, &meter](std::size_t i, Result<ReadFile> read) {
          return meter.report({"signing files", i, files_.size()}) && handle(i, std::move(read));
        });
    return interrupted() ? kExitInterrupted : worst_;
  }

 private:
  bool handle(std::size_t number, Result<ReadFile> read) {
    if (interrupted()) return false;
    const std::string& name = files_[number].name;
    if (!read) return failed(name, read.error());
    if (!read->list) return give(std::move(read->input));
    bool more = true;
    const Status done = read_signature_list(
        read->list, std::move(read->beginning),
        [&](SignatureRow row) {
          SignedInput input;
          input.name = std::move(row.name);
          input.listed = true;
          input.pieces.push_back({.path = "", .bytes = 0, .signature = row.signature, .parts = ""});
          more = give(std::move(input));
          return more;
        },
        [&](std::uint64_t line, const Error& error) {
          static_cast<void>(failed(fmt::format("{}:{}", name, line), error));
        });
    if (interrupted()) return false;
    return (done || failed(name, done.error())) && more;
  }

  bool failed(const std::string& name, const Error& error) {
    console_.error(name, error.message);
    worst_ = worse_exit_code(worst_, exit_code(error.code));
    return true;
  }

  bool give(SignedInput input) {
    input.name = shown_name(std::move(input.name), input.listed);
    const int code = take_(std::move(input));
    worst_ = worse_exit_code(worst_, code);
    constexpr std::size_t kLookEvery = 256;  // at the output, which costs a flush
    if (++given_ % kLookEvery == 0 && console_.broken()) return false;
    return (code == EX_OK || code == EX_DATAERR) && !interrupted();
  }

  [[nodiscard]] std::string shown_name(std::string name, bool listed) const {
    if (arguments_.bare_names) return name.substr(name.find_last_of('/') + 1);
    if (arguments_.absolute_names && !listed && name != "-") {
      std::error_code ignored;
      return std::filesystem::absolute(name, ignored).lexically_normal().string();
    }
    return name;
  }

  const InputArguments& arguments_;
  const SigningOptions& options_;
  Console& console_;
  const std::function<int(SignedInput)>& take_;
  std::vector<TreeFile> files_;
  std::size_t given_ = 0;
  int worst_ = EX_OK;
};

}  // namespace

void InputArguments::add_to(CLI::App& command, const std::string& what) {
  command
      .add_option("files", names,
                  "Files, directories with everything below them, - for standard input")
      ->type_name(what)
      ->required();
  command.add_option("-j,--jobs", jobs, "Number of files at the same time (one per processor)")
      ->type_name("N")
      ->check(CLI::Range(1U, kJobsMax));
  auto* bare = command.add_flag("-b,--bare-names", bare_names, "Names without their directories");
  command.add_flag("--absolute", absolute_names, "Names from the root")->excludes(bare);
}

int for_each_signed(const InputArguments& arguments, const SigningOptions& options,
                    Console& console, const std::function<int(SignedInput)>& take) {
  const auto& names = arguments.names;
  if (std::find(names.begin(), names.end(), "-") != names.end() && ::isatty(STDIN_FILENO) == 1) {
    console.note("shingled: reading from the terminal; end it with Ctrl-D");
  }
  return InputLoop(arguments, options, console, take).run();
}

}  // namespace shingled::milter::cli
