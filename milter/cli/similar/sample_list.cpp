#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "milter/cli/access/printing.h"
#include "milter/cli/similar/sample_client.h"
#include "milter/cli/similar/sample_commands.h"
#include "milter/process/interrupt.h"
#include "milter/similar/files/signature_csv.h"

namespace shingled::milter::cli {

namespace {

Json sample_json(const storage::Sample& sample) {
  return {{"id", sample.id},       {"list", sample.list},   {"name", sample.name},
          {"bytes", sample.bytes}, {"added", sample.added}, {"signature", sample.signature.text()},
          {"parts", sample.parts}};
}

std::string sample_text(const storage::Sample& sample) {
  return fmt::format("{:>8}  {:<20}  {:>12}  {}", sample.id, sample.list, sample.bytes,
                     terminal_safe(sample.name));
}

/// The samples to delete: those that meet all conditions.
class SampleChoice {
 public:
  explicit SampleChoice(const SampleDelArguments& arguments)
      : list_(arguments.list),
        names_(arguments.names.begin(), arguments.names.end()),
        ids_(arguments.ids.begin(), arguments.ids.end()),
        by_file_(!arguments.input.names.empty()) {}

  void add(const fingerprint::Spamsum& signature) { signatures_.insert(signature.text()); }
  [[nodiscard]] const std::string& list() const { return list_; }
  [[nodiscard]] bool takes(const storage::Sample& sample) const {
    return (names_.empty() || names_.contains(sample.name)) &&
           (ids_.empty() || ids_.contains(sample.id)) &&
           (!by_file_ || signatures_.contains(sample.signature.text()));
  }

 private:
  std::string list_;
  std::set<std::string> names_;
  std::set<std::uint64_t> ids_;
  bool by_file_;
  std::set<std::string> signatures_;
};

int delete_chosen(const SampleDelArguments& arguments, const SampleChoice& choice,
                  SampleClient& client, Console& console) {
  std::vector<std::uint64_t> ids;
  const Status read = client.library().each(choice.list(), [&](const storage::Sample& sample) {
    if (!choice.takes(sample)) return !process::interrupted();
    ids.push_back(sample.id);
    if (arguments.json) {
      console.json(sample_json(sample));
    } else if (arguments.dry_run) {
      console.line(sample_text(sample));
    }
    return !process::interrupted();
  });
  if (process::interrupted()) return process::kExitInterrupted;
  if (!read) return client.failed(read.error());
  std::uint64_t gone = ids.size();
  if (!arguments.dry_run) {
    auto removed = client.library().remove(ids);
    if (!removed) return client.failed(removed.error());
    gone = *removed;
  }
  if (!arguments.json) {
    console.line((arguments.dry_run ? "would be: " : "") + counted(gone, "sample", "samples") +
                 " deleted");
  }
  return gone == 0 ? EX_NOINPUT : EX_OK;
}

}  // namespace

int run_similar_list(const SampleListArguments& arguments, Console& console) {
  SampleClient client(console);
  if (const int code = client.open(arguments.library, LibraryUse::kRead); code != EX_OK)
    return code;
  if (arguments.csv) {
    console.line(similar::kSignatureHeadline);
  } else if (!arguments.json) {
    console.line(fmt::format("{:>8}  {:<20}  {:>12}  {}", "id", "list", "bytes", "name"));
  }
  std::uint64_t shown = 0;
  const Status read = client.library().each(arguments.list, [&](const storage::Sample& sample) {
    if (arguments.json) {
      console.json(sample_json(sample));
    } else if (arguments.csv) {
      console.line(similar::signature_line(sample.signature, sample.name));
    } else {
      console.line(sample_text(sample));
    }
    ++shown;
    return (arguments.limit == 0 || shown < arguments.limit) && !process::interrupted() &&
           !console.broken();
  });
  if (process::interrupted()) return process::kExitInterrupted;
  return read ? EX_OK : client.failed(read.error());
}

int run_similar_del(const SampleDelArguments& arguments, Console& console) {
  if (arguments.list.empty() && arguments.names.empty() && arguments.ids.empty() &&
      arguments.input.names.empty()) {
    console.error("del", "give --list, --name, --id or a file");
    return EX_USAGE;
  }
  SampleClient client(console);
  const auto use = arguments.dry_run ? LibraryUse::kRead : LibraryUse::kChange;
  if (const int code = client.open(arguments.library, use); code != EX_OK) return code;
  SampleChoice choice(arguments);
  similar::SigningOptions signing = signing_for(client.options(), arguments.raw);
  signing.parts = false;
  const int code = similar::for_each_signed(arguments.input, signing, console,
                                            [&](const similar::SignedInput& input) {
                                              choice.add(input.pieces.front().signature);
                                              return EX_OK;
                                            });
  if (process::interrupted()) return process::kExitInterrupted;
  return worse_exit_code(code, delete_chosen(arguments, choice, client, console));
}

}  // namespace shingled::milter::cli
