#include "milter/backup/take_backup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "config/base/random.h"
#include "config/effective.h"
#include "config/system/os_error.h"
#include "milter/api/counters/counter_lines.h"
#include "milter/backup/file_copy.h"
#include "milter/backup/new_folder.h"
#include "milter/backup/packed_folder.h"
#include "milter/backup/site_parts.h"
#include "storage/counters/counter_key.h"
#include "storage/formats/backup.h"
#include "storage/formats/verify.h"

namespace shingled::milter::backup {

namespace {

constexpr unsigned kCopiedModeBits = 0777;
constexpr mode_t kCopyMode = 0600;

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Whether a file of settings has secrets in it, or may have: it cannot be read whole.
bool has_secrets(const std::string& file) {
  const config::Effective effective = config::effective_settings_file(file);
  if (effective.keys.empty()) return true;
  return std::ranges::any_of(effective.keys, [](const config::EffectiveKey& key) {
    return key.is_secret && key.source != "default";
  });
}

/// The mark in the first line of an export.
std::optional<std::uint64_t> mark_of_export(const std::string& file) {
  constexpr std::size_t kLineBytesMax = 100;
  const auto fd = open_to_read(file);
  if (!fd) return std::nullopt;
  std::array<char, kLineBytesMax> buffer{};
  const ssize_t count = ::read(fd->get(), buffer.data(), buffer.size());
  std::string_view text(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  const auto mark = api::take_mark_line(text);
  return mark && *mark ? std::optional(**mark) : std::nullopt;
}

/// A part that is taken.
struct Chosen {
  const SitePart* part;
  std::optional<storage::formats::BackupSource> source = {};  ///< of a database, held at its moment
};

class BackupRun {
 public:
  BackupRun(const Settings& settings, const BackupOptions& options, const CounterExport& counters,
            const Clock& clock, const storage::Watcher& watcher)
      : settings_(settings),
        options_(options),
        counters_(counters),
        clock_(clock),
        watcher_(watcher),
        site_(site_of(settings, options.settings_file)) {}

  Result<TakenBackup> run() {
    Manifest& manifest = out_.manifest;
    manifest.program = SHINGLED_VERSION;
    manifest.time = clock_.wall();
    manifest.host = host_name();
    manifest.with_keys = options_.with_keys;
    manifest.key_mark = mark_of_key();
    if (Status chosen = choose(); !chosen) return chosen.error();
    auto folder = NewFolder::create(options_.folder);
    if (!folder) return folder.error();
    for (Chosen& one : chosen_) {
      if (Status copied = copy(one, *folder); !copied) return copied.error();
      one.source.reset();  // its WAL may begin anew
    }
    if (Status summed = sum_up(*folder); !summed) return summed.error();
    if (Status written = write_file(folder->file(kManifestName), manifest_text(manifest)); !written)
      return written.error();
    if (Status named = folder->commit(); !named) return named.error();
    out_.folder = folder->path();
    return std::move(out_);
  }

 private:
  void leave_out(const std::string& what, const std::string& why) {
    out_.manifest.left_out.push_back({what, why});
  }

  /// A key that cannot be read is no error: the export of the counters says under which key it is.
  [[nodiscard]] std::optional<std::uint64_t> mark_of_key() const {
    const std::string path = settings_.counters.key_path();
    if (::access(path.c_str(), R_OK) != 0) return std::nullopt;
    SystemRandom random;
    const auto key = storage::counters::read_or_make_key(path, random);
    return key ? std::optional(storage::counters::key_mark(*key)) : std::nullopt;
  }

  /// Opens all databases before the first one is copied, so that they fit together.
  Status choose() {
    for (const SitePart& part : site_.parts) {
      if (!wants(part)) continue;
      Chosen one{&part};
      if (part.form == PartForm::kHashes || part.form == PartForm::kDatabase) {
        auto source = part.form == PartForm::kHashes
                          ? storage::formats::BackupSource::of_hashes(part.path)
                          : storage::formats::BackupSource::of_other(part.path);
        if (!source) return with_advice(source.error(), part);
        one.source.emplace(*std::move(source));
      }
      chosen_.push_back(std::move(one));
    }
    for (const LeftOut& left : site_.elsewhere) leave_out(left.what, left.why);
    return {};
  }

  /// Whether a part is taken. If not, the manifest says why.
  bool wants(const SitePart& part) {
    const bool is_unwanted = options_.without.contains(part.kind);
    const std::string path =
        part.form == PartForm::kCounters ? part.path + "/counters.db" : part.path;
    const bool is_missing = ::access(path.c_str(), F_OK) != 0 && errno == ENOENT;
    // Without hashes, somebody has named the wrong file.
    const bool is_needed = part.form == PartForm::kHashes && settings_.storage.enabled;
    if (is_missing && (is_unwanted || !is_needed)) {
      if (part.form != PartForm::kFile && part.form != PartForm::kFolder)
        leave_out(part.name, path + ": there is none yet");
      return false;
    }
    if (is_unwanted) return leave_out(part.name, "as told"), false;
    if (options_.with_keys) return true;
    if (part.kind == "keys") {
      leave_out(part.name, part.path + ": a secret; --with-keys takes it");
      return false;
    }
    if (part.name == kSettingsPart && has_secrets(part.path)) {
      leave_out(part.name, part.path + ": has passwords or private keys; --with-keys takes it");
      return false;
    }
    return true;
  }

  static Status with_advice(const Error& error, const SitePart& part) {
    if (part.form == PartForm::kHashes) return error;
    return Error{error.code, error.message + "; --without " + part.kind + " leaves this out"};
  }

  Status copy(Chosen& one, const NewFolder& folder) {
    const SitePart& part = *one.part;
    const std::string to = folder.file(part.file);
    StoredPart stored{.name = part.name, .kind = part.kind, .file = part.file, .path = part.path};
    struct stat info {};
    if (::stat(part.path.c_str(), &info) == 0) stored.mode = info.st_mode & kCopiedModeBits;
    Status copied;
    switch (part.form) {
      case PartForm::kHashes:
        copied = copy_hashes(one, to, stored);
        break;
      case PartForm::kDatabase:
        copied = copy_database(one, to);
        if (copied) copied = storage::formats::check_copy(to);
        break;
      case PartForm::kCounters:
        copied = export_counters(to, stored);
        break;
      case PartForm::kFile: {
        ByteProgress progress(watcher_, "copying", 0);
        const auto sum = read_through_links(part.path, to, progress);
        if (!sum) copied = sum.error();
        break;
      }
      case PartForm::kFolder: {
        ByteProgress progress(watcher_, "copying", 0);
        const auto packed = pack_folder(part.path, to, progress);
        if (packed) stored.count = packed->files;
        if (!packed) copied = packed.error();
      }
    }
    if (!copied) return with_advice(copied.error(), part);
    out_.manifest.parts.push_back(std::move(stored));
    return {};
  }

  /// What settings name may be a link that the administrator made.
  static Result<FileSum> read_through_links(const std::string& from, const std::string& to,
                                            ByteProgress& progress) {
    const std::unique_ptr<char, decltype(&::free)> real(::realpath(from.c_str(), nullptr), &::free);
    if (real == nullptr) return os_error(errno, from);
    return copy_file(real.get(), to, progress);
  }

  Status copy_database(Chosen& one, const std::string& to) {
    if (Status made = write_file(to, ""); !made) return made;
    return one.source->copy_to(to, watcher_);
  }

  Status copy_hashes(Chosen& one, const std::string& to, StoredPart& stored) {
    if (Status copied = copy_database(one, to); !copied) return copied;
    const auto report = storage::formats::verify_file(
        to, {.with_index = false, .now = unix_seconds(clock_.wall())}, watcher_);
    if (!report) return report.error();
    if (report->problem_count != 0) {
      return Error{
          ErrorCode::kCorrupt,
          fmt::format("{}: damaged ({} problem{}), so no backup was made; see shingled "
                      "verify",
                      stored.path, report->problem_count, report->problem_count == 1 ? "" : "s")};
    }
    stored.count = report->rows;
    out_.warnings = report->warning_count;
    return {};
  }

  Status export_counters(const std::string& to, StoredPart& stored) {
    const auto numbers = counters_(to);
    if (!numbers) return numbers.error();
    stored.count = *numbers;
    const auto mark = mark_of_export(to);
    const auto known = out_.manifest.key_mark;
    if (mark && known && *mark != *known)
      return Error{ErrorCode::kInvalid, storage::counters::other_key_error(
                                            "the counters of the running daemon", *mark, *known)};
    if (mark) out_.manifest.key_mark = mark;
    return {};
  }

  /// Syncs each file and notes its sum. A copy is read again, so what is noted is what is there.
  Status sum_up(const NewFolder& folder) {
    std::uint64_t total = 0;
    for (StoredPart& part : out_.manifest.parts) {
      struct stat info {};
      const std::string path = folder.file(part.file);
      if (::stat(path.c_str(), &info) != 0) return os_error(errno, path);
      total += static_cast<std::uint64_t>(info.st_size);
    }
    ByteProgress progress(watcher_, "checking", total);
    for (StoredPart& part : out_.manifest.parts) {
      const std::string path = folder.file(part.file);
      // Also on the disk, and for nobody else.
      if (Status given = give_to(path, ::geteuid(), ::getegid(), kCopyMode); !given) return given;
      auto sum = sum_of(path, progress);
      if (!sum) return sum.error();
      part.bytes = sum->bytes;
      part.sha256 = std::move(sum->sha256);
    }
    return {};
  }

  const Settings& settings_;
  const BackupOptions& options_;
  const CounterExport& counters_;
  const Clock& clock_;
  const storage::Watcher& watcher_;
  const Site site_;
  std::vector<Chosen> chosen_;
  TakenBackup out_;
};

}  // namespace

Result<TakenBackup> take_backup(const Settings& settings, const BackupOptions& options,
                                const CounterExport& counters, const Clock& clock,
                                const storage::Watcher& watcher) {
  return BackupRun(settings, options, counters, clock, watcher).run();
}

}  // namespace shingled::milter::backup
