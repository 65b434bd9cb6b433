#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "milter/cli/access/printing.h"
#include "milter/cli/similar/sample_client.h"
#include "milter/cli/similar/sample_commands.h"
#include "milter/process/interrupt.h"

namespace shingled::milter::cli {

namespace {

/// Collects samples for the library; some hundred share one transaction.
class SampleFeed {
 public:
  SampleFeed(const AddArguments& arguments, SampleClient& client, Console& console)
      : arguments_(arguments), client_(client), console_(console) {}

  /// The exit code for this one.
  int take(similar::SignedInput input) {
    if (!arguments_.name.empty()) {
      if (seen_ > 0) {
        console_.error(input.name, "--name is for one sample only");
        waiting_.clear();  // nobody knows which one was meant
        return EX_USAGE;
      }
      input.name = arguments_.name;
    }
    ++seen_;
    for (const std::string& note : input.notes) console_.error(input.name, note);
    if (input.name.size() > storage::Sample::kNameMax) {
      console_.error(input.name.substr(0, 80) + "...", "a name of more than 4096 bytes");
      return EX_DATAERR;
    }
    similar::SignedInput::Piece& whole = input.pieces.front();
    storage::Sample sample;
    sample.list = arguments_.list;
    sample.name = std::move(input.name);
    sample.bytes = whole.bytes;
    sample.signature = std::move(whole.signature);
    sample.added = unix_seconds(clock_.wall());
    if (whole.parts.size() <= storage::Sample::kPartsMax) {
      sample.parts = std::move(whole.parts);
    } else {
      console_.error(sample.name, "too large to sign its parts: found only as a whole");
    }
    waiting_bytes_ += sample.name.size() + sample.parts.size();
    waiting_.push_back(std::move(sample));
    if (waiting_.size() < kSamplesAtOnce && waiting_bytes_ < kBytesAtOnce &&
        clock_.now() < flush_at_) {
      return EX_OK;
    }
    return flush();
  }

  /// Stores the collected samples and prints them.
  int flush() {
    if (waiting_.empty()) return EX_OK;
    std::vector<std::uint64_t> ids(waiting_.size());
    if (!arguments_.dry_run) {
      auto stored = client_.library().add_batch(waiting_);
      if (!stored) {
        waiting_.clear();
        return client_.failed(stored.error());
      }
      ids = std::move(stored->ids);
      known_ += stored->known;
    }
    for (std::size_t i = 0; i < waiting_.size(); ++i) say(waiting_[i], ids[i]);
    stored_ += waiting_.size();
    waiting_.clear();
    waiting_bytes_ = 0;
    flush_at_ = clock_.now() + kFlushEvery;
    return EX_OK;
  }

  void sum_up() {
    if (arguments_.json) return;
    if (arguments_.dry_run) {
      console_.line(fmt::format("would be: {} added to {}", counted(stored_, "sample", "samples"),
                                arguments_.list));
      return;
    }
    std::string line = fmt::format("{} added to {}", counted(stored_ - known_, "sample", "samples"),
                                   arguments_.list);
    if (known_ > 0) line += fmt::format(", {} already known", known_);
    console_.line(line);
  }

 private:
  static constexpr std::size_t kSamplesAtOnce = 1000;
  static constexpr std::size_t kBytesAtOnce = std::size_t{16} << 20;
  static constexpr std::chrono::seconds kFlushEvery{1};

  void say(const storage::Sample& sample, std::uint64_t id) {
    if (!arguments_.json) return;
    console_.json({{"file", sample.name},
                   {"list", sample.list},
                   {"id", arguments_.dry_run ? Json(nullptr) : Json(id)},
                   {"bytes", sample.bytes},
                   {"signature", sample.signature.text()}});
  }

  const AddArguments& arguments_;
  SampleClient& client_;
  Console& console_;
  SystemClock clock_;
  TimePoint flush_at_ = clock_.now() + kFlushEvery;
  std::vector<storage::Sample> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t stored_ = 0;  ///< now there, also those that were
  std::uint64_t known_ = 0;   ///< were there
};

}  // namespace

int run_similar_add(const AddArguments& arguments, Console& console) {
  if (!storage::is_sample_list(arguments.list)) {
    console.error("--list", "must be 1 to 64 letters, digits, '_', '.' or '-'");
    return EX_USAGE;
  }
  SampleClient client(console);
  const auto use = arguments.dry_run ? LibraryUse::kNone : LibraryUse::kChange;
  if (const int code = client.open(arguments.library, use); code != EX_OK) return code;
  SampleFeed feed(arguments, client, console);
  int code = similar::for_each_signed(
      arguments.input, signing_for(client.options(), arguments.raw), console,
      [&](similar::SignedInput input) { return feed.take(std::move(input)); });
  code = worse_exit_code(code, feed.flush());  // what was signed before Ctrl-C, too
  feed.sum_up();
  return process::interrupted() ? process::kExitInterrupted : code;
}

}  // namespace shingled::milter::cli
