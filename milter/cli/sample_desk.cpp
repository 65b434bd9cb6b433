#include "milter/cli/sample_desk.h"

#include <fmt/format.h>
#include <sysexits.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "milter/cli/exit_code.h"
#include "milter/cli/interrupt.h"

namespace shingled::milter {

void LibraryChoice::add_to(CLI::App& command) {
  settings->add_to(command);
  command.add_option("--file", file, "Library (similar.file of the configuration)")
      ->type_name("PATH");
}

int SampleDesk::open(const LibraryChoice& choice, LibraryUse use) {
  settings_ = choice.settings->load(console_);
  if (!settings_) return EX_CONFIG;
  if (use == LibraryUse::kNone) return EX_OK;
  file_ = choice.file.empty() ? options().file : choice.file;
  if (file_.empty()) {
    console_.error("similar", "similar.file is empty: say --file PATH");
    return EX_USAGE;
  }
  if (use != LibraryUse::kChange && ::access(file_.c_str(), F_OK) != 0) {
    console_.error(file_, "there is no library yet: `shingled similar add` makes one");
    return EX_NOINPUT;
  }
  const SystemClock clock;
  WorkMeter meter(console_, clock);
  const bool search = use == LibraryUse::kSearch;
  auto opened = storage::SampleLibrary::open(
      {.file = file_,
       .part_block_size = options().part_block_size,
       .exact = search,
       .parts = search && options().parts,
       .read_only = use != LibraryUse::kChange},
      [&](std::uint64_t done, std::uint64_t total) {
        static_cast<void>(meter.report({"reading the library", done, total}));
      });
  if (!opened) return failed(opened.error());
  library_ = *std::move(opened);
  if (interrupted()) return kExitInterrupted;
  return EX_OK;
}

int SampleDesk::failed(const Error& error) {
  console_.error(error.message.find(file_) == std::string::npos ? file_ : "similar", error.message);
  return error.code == ErrorCode::kUnavailable ? EX_TEMPFAIL : exit_code(error.code);
}

SigningOptions signing_for(const SimilarOptions& similar, bool raw) {
  SigningOptions out;
  out.lists = true;
  out.open_containers = similar.containers.open && !raw;
  out.parts = similar.parts;
  out.similar = similar;
  return out;
}

bool is_sample_list(std::string_view name) {
  return !name.empty() && name.size() <= storage::Sample::kListMax &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.' || c == '-';
         });
}

}  // namespace shingled::milter
