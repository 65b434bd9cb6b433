#include "milter/cli/similar/signature_commands.h"

#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "milter/cli/access/printing.h"
#include "milter/input/ordered_work.h"
#include "milter/process/interrupt.h"
#include "milter/similar/files/signature_csv.h"
#include "mime/fingerprint/spamsum_compare.h"
#include "storage/similar/sample_index.h"

namespace shingled::milter::cli {

namespace {

/// A name in quotation marks, as in ssdeep.
std::string quoted_name(std::string_view name) {
  const std::string line = similar::signature_line({}, name);
  return line.substr(line.find('"'));
}

/// All signatures of one run, and the similar pairs among them.
class Comparison {
 public:
  Comparison(const CompareArguments& arguments, Console& console)
      : arguments_(arguments), console_(console), index_({.exact = true, .parts = false}) {}

  void add(similar::SignedInput input) {
    storage::Sample sample;
    sample.id = names_.size();
    sample.signature = std::move(input.pieces.front().signature);
    index_.add(sample);
    names_.push_back(std::move(input.name));
    signatures_.push_back(std::move(sample.signature));
    any_list_ = any_list_ || input.listed;
  }

  void show() {
    if (names_.size() == 2 && !any_list_) {
      show(0, 1, fingerprint::spamsum_score(signatures_[0], signatures_[1]));
      return;
    }
    using Matches = std::vector<storage::similar::SimilarMatch>;
    const unsigned jobs = arguments_.input.jobs != 0
                              ? arguments_.input.jobs
                              : std::max(1U, std::thread::hardware_concurrency());
    const SystemClock clock;
    ProgressMeter meter(console_, clock);
    input::in_order<Matches>(
        names_.size(), jobs,
        [this](std::size_t i) { return index_.similar(signatures_[i], names_.size()); },
        [&](std::size_t i, const Matches& matches) {
          for (const storage::similar::SimilarMatch& match : matches) {
            // Each pair once, at its second file.
            if (match.id < i && match.score >= arguments_.threshold) show(i, match.id, match.score);
          }
          return meter.report({"comparing", i, names_.size()}) && !console_.broken();
        });
  }

 private:
  void show(std::size_t one, std::size_t other, int score) {
    if (arguments_.json) {
      console_.json({{"file", names_[one]}, {"like", names_[other]}, {"score", score}});
    } else if (arguments_.csv) {
      console_.line(
          fmt::format("{},{},{}", quoted_name(names_[one]), quoted_name(names_[other]), score));
    } else {
      console_.line(fmt::format("{:3}  {}  {}", score, terminal_safe(names_[one]),
                                terminal_safe(names_[other])));
    }
  }

  const CompareArguments& arguments_;
  Console& console_;
  storage::similar::SampleIndex index_;
  std::vector<std::string> names_;
  std::vector<fingerprint::Spamsum> signatures_;
  bool any_list_ = false;
};

}  // namespace

int run_sign(const SignArguments& arguments, Console& console) {
  if (!arguments.json) console.line(similar::kSignatureHeadline);
  return similar::for_each_signed(
      arguments.input, {}, console, [&](const similar::SignedInput& input) {
        const similar::SignedInput::Piece& whole = input.pieces.front();
        if (arguments.json) {
          console.json({{"file", input.name},
                        {"bytes", whole.bytes},
                        {"signature", whole.signature.text()}});
        } else {
          console.line(similar::signature_line(whole.signature, input.name));
        }
        return EX_OK;
      });
}

int run_compare(const CompareArguments& arguments, Console& console) {
  Comparison comparison(arguments, console);
  similar::SigningOptions options;
  options.lists = true;
  const int code =
      similar::for_each_signed(arguments.input, options, console, [&](similar::SignedInput input) {
        comparison.add(std::move(input));
        return EX_OK;
      });
  if (process::interrupted()) return process::kExitInterrupted;
  comparison.show();
  return process::interrupted() ? process::kExitInterrupted : code;
}

}  // namespace shingled::milter::cli
