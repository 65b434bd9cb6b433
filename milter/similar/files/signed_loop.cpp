#include "milter/similar/files/signed_loop.h"

#include <fmt/format.h>
#include <sysexits.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "milter/input/file_tree.h"
#include "milter/input/ordered_work.h"
#include "milter/process/interrupt.h"
#include "milter/similar/files/file_signer.h"
#include "milter/similar/files/signature_csv.h"
#include "milter/terminal/exit_code.h"
#include "milter/terminal/progress_meter.h"

namespace shingled::milter::similar {

namespace {

/// One command's way through its files.
class InputLoop {
 public:
  InputLoop(const InputArguments& arguments, const similar::SigningOptions& options,
            terminal::Console& console, const std::function<int(similar::SignedInput)>& take)
      : arguments_(arguments),
        options_(options),
        console_(console),
        take_(take),
        files_(input::files_of(arguments.names)) {}

  int run() {
    const SystemClock clock;
    terminal::ProgressMeter meter(console_, clock);
    const unsigned jobs =
        arguments_.jobs != 0 ? arguments_.jobs : std::max(1U, std::thread::hardware_concurrency());
    input::in_order<Result<similar::ReadFile>>(
        files_.size(), jobs,
        [this](std::size_t i) -> Result<similar::ReadFile> {
          if (files_[i].error) return *files_[i].error;
          return similar::sign_file(files_[i], options_);
        },
        [this, &meter](std::size_t i, Result<similar::ReadFile> read) {
          return meter.report({"signing files", i, files_.size()}) && handle(i, std::move(read));
        });
    return process::interrupted() ? process::kExitInterrupted : worst_;
  }

 private:
  bool handle(std::size_t number, Result<similar::ReadFile> read) {
    if (process::interrupted()) return false;
    const std::string& name = files_[number].name;
    if (!read) return failed(name, read.error());
    if (!read->list) return give(std::move(read->input));
    bool more = true;
    const Status done = similar::read_signature_list(
        read->list, std::move(read->beginning),
        [&](similar::SignatureRow row) {
          similar::SignedInput input;
          input.name = std::move(row.name);
          input.listed = true;
          input.pieces.push_back({.path = "", .bytes = 0, .signature = row.signature, .parts = ""});
          more = give(std::move(input));
          return more;
        },
        [&](std::uint64_t line, const Error& error) {
          static_cast<void>(failed(fmt::format("{}:{}", name, line), error));
        });
    if (process::interrupted()) return false;
    return (done || failed(name, done.error())) && more;
  }

  bool failed(const std::string& name, const Error& error) {
    console_.error(name, error.message);
    worst_ = terminal::worse_exit_code(worst_, terminal::exit_code(error.code));
    return true;
  }

  bool give(similar::SignedInput input) {
    input.name = shown_name(std::move(input.name), input.listed);
    const int code = take_(std::move(input));
    worst_ = terminal::worse_exit_code(worst_, code);
    constexpr std::size_t kLookEvery = 256;  // at the output, which costs a flush
    if (++given_ % kLookEvery == 0 && console_.broken()) return false;
    return (code == EX_OK || code == EX_DATAERR) && !process::interrupted();
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
  const similar::SigningOptions& options_;
  terminal::Console& console_;
  const std::function<int(similar::SignedInput)>& take_;
  std::vector<input::TreeFile> files_;
  std::size_t given_ = 0;
  int worst_ = EX_OK;
};

}  // namespace

int for_each_signed(const InputArguments& arguments, const similar::SigningOptions& options,
                    terminal::Console& console,
                    const std::function<int(similar::SignedInput)>& take) {
  const auto& names = arguments.names;
  if (std::find(names.begin(), names.end(), "-") != names.end() && ::isatty(STDIN_FILENO) == 1) {
    console.note("shingled: reading from the terminal; end it with Ctrl-D");
  }
  return InputLoop(arguments, options, console, take).run();
}

}  // namespace shingled::milter::similar
