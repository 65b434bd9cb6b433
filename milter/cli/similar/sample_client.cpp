#include "milter/cli/similar/sample_client.h"

#include <fmt/format.h>
#include <sysexits.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "config/system/permission.h"
#include "milter/cli/access/printing.h"
#include "milter/process/interrupt.h"

namespace shingled::milter::cli {

namespace {

storage::similar::SampleLibrary::Progress shown_by(ProgressMeter& meter) {
  return [&meter](std::uint64_t done, std::uint64_t total) {
    static_cast<void>(meter.report({"reading the library", done, total}));
  };
}

/// Null if the settings do not want known files. The error names the file.
Result<std::shared_ptr<const storage::similar::SampleLibrary>> open_samples(
    const SimilarOptions& options) {
  if (!options.enabled) return std::shared_ptr<const storage::similar::SampleLibrary>();
  auto opened = storage::similar::SampleLibrary::open({.file = options.file,
                                                       .part_block_size = options.part_block_size,
                                                       .parts = options.parts,
                                                       .read_only = true});
  if (!opened) return opened.error().in("similar.file " + options.file);
  return std::shared_ptr<const storage::similar::SampleLibrary>(*std::move(opened));
}

}  // namespace

void LibraryChoice::add_to(CLI::App& command) {
  settings->add_to(command);
  command.add_option("--file", file, "Library (similar.file of the configuration)")
      ->type_name("PATH");
}

int SampleClient::open(const LibraryChoice& choice, LibraryUse use) {
  settings_ = choice.settings->load(console_);
  if (!settings_) return EX_CONFIG;
  if (use == LibraryUse::kNone) return EX_OK;
  file_ = choice.file.empty() ? options().file : choice.file;
  if (file_.empty()) {
    console_.error("similar", "similar.file is empty: give --file PATH");
    return EX_USAGE;
  }
  if (use != LibraryUse::kChange && ::access(file_.c_str(), F_OK) != 0) {
    if (const auto why = missing_permission(file_, R_OK)) {
      return failed({ErrorCode::kDenied, file_ + ": " + *why});
    }
    console_.error(file_, "there is no library yet: `shingled similar add` makes one");
    return EX_NOINPUT;
  }
  return open({.file = file_,
               .part_block_size = options().part_block_size,
               .parts = use == LibraryUse::kSearch && options().parts,
               .index = false,
               .read_only = use != LibraryUse::kChange});
}

int SampleClient::make_index() {
  return open({.file = file_,
               .part_block_size = options().part_block_size,
               .parts = options().parts,
               .read_only = true});
}

int SampleClient::open(storage::similar::LibraryOptions options) {
  ProgressMeter meter(console_, clock_);
  auto opened = storage::similar::SampleLibrary::open(std::move(options), shown_by(meter));
  if (!opened) return failed(opened.error());
  library_ = *std::move(opened);
  return process::interrupted() ? process::kExitInterrupted : EX_OK;
}

Result<std::vector<storage::similar::SampleScan::Answer>> SampleClient::scan(
    std::span<const storage::similar::SampleScan::Question> questions, std::size_t most) {
  ProgressMeter meter(console_, clock_);
  return library_->scan(questions, most, shown_by(meter));
}

int SampleClient::failed(const Error& error) {
  console_.error(error.message.find(file_) == std::string::npos ? file_ : "similar", error.message);
  return database_exit_code(error);
}

OpenedScanner open_scanner_with_samples(const std::string& command,
                                        const desk::ServerArguments& arguments,
                                        const Settings& settings, Clock& clock, Random& random,
                                        Console& console) {
  auto samples = open_samples(settings.similar);
  if (!samples) {
    console.error(command, samples.error().message);
    return {nullptr, exit_code(samples.error().code)};
  }
  auto scanner = desk::open_scanner(arguments, settings, clock, random, *std::move(samples));
  if (!scanner) {
    console.error(command, scanner.error().message);
    return {nullptr, service_exit_code(scanner.error())};
  }
  return {*std::move(scanner), EX_OK};
}

similar::SigningOptions signing_for(const SimilarOptions& similar, bool raw) {
  similar::SigningOptions out;
  out.lists = true;
  out.open_containers = similar.containers.open && !raw;
  out.parts = similar.parts;
  out.similar = similar;
  return out;
}

}  // namespace shingled::milter::cli
