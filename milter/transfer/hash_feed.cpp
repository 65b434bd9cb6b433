#include "milter/transfer/hash_feed.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "config/system/os_error.h"
#include "config/system/unique_fd.h"
#include "milter/input/message_file.h"
#include "milter/transfer/hash_line.h"
#include "storage/formats/import.h"
#include "storage/sqlite/hashes/rspamd_file.h"

namespace shingled::milter::transfer {

namespace {

constexpr std::uint64_t kBrokenShown = 1000;  ///< the others are only counted
constexpr std::string_view kSqliteMagic = "SQLite format 3";

/// Reads one source. The members are shared by the readers of its formats.
class HashFeed {
 public:
  HashFeed(const std::string& name,
           const std::function<Status(const storage::sqlite::FuzzyRow&)>& take, std::uint32_t now,
           const storage::Watcher& watcher, const Complain& complain)
      : name_(name), take_(take), now_(now), watcher_(watcher), complain_(complain) {}

  Result<FeedReport> run();

 private:
  Status read_lines(UniqueFd fd);
  Status read_line(std::string_view text, std::uint64_t number);
  Status read_database();
  Status read_rspamd();
  bool watch(std::string_view step, std::uint64_t done, std::uint64_t total);
  void broken(std::string_view where, std::string_view why);

  const std::string& name_;
  const std::function<Status(const storage::sqlite::FuzzyRow&)>& take_;
  std::uint32_t now_;
  const storage::Watcher& watcher_;
  const Complain& complain_;
  FeedReport report_;
  bool has_header_ = false;
  std::uint64_t announced_ = 0;
  std::uint64_t announced_before_ = 0;  ///< hash lines read when the last announcement came
  std::uint64_t hash_lines_ = 0;        ///< good and broken
  std::uint64_t bytes_total_ = 0;
};

Result<UniqueFd> open_source(const std::string& name) {
  UniqueFd fd(name == "-" ? ::dup(STDIN_FILENO) : ::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd) return fd;
  Error error = os_error(errno);
  if (error.code != ErrorCode::kNotFound) error.code = ErrorCode::kDenied;
  return error;
}

Result<FeedReport> HashFeed::run() {
  auto fd = open_source(name_);
  if (!fd) return fd.error();
  struct stat status {};
  if (::fstat(fd->get(), &status) == 0 && S_ISREG(status.st_mode)) {
    bytes_total_ = static_cast<std::uint64_t>(status.st_size);
  }
  std::array<char, kSqliteMagic.size()> head{};
  const bool is_database =
      bytes_total_ != 0 &&
      ::pread(fd->get(), head.data(), head.size(), 0) == static_cast<ssize_t>(head.size()) &&
      std::string_view(head.data(), head.size()) == kSqliteMagic;
  if (is_database && name_ == "-") {
    return Error{ErrorCode::kInvalid, "a database must be given as a file; it cannot be piped"};
  }
  const Status read = is_database ? read_database() : read_lines(*std::move(fd));
  if (!read) return read.error();
  return report_;
}

Status HashFeed::read_lines(UniqueFd fd) {
  input::LineReader lines(std::move(fd));
  std::uint64_t number = 0;
  for (;;) {
    const auto piece = lines.next();
    if (!piece) return piece.error();
    if (piece->bytes.empty()) break;
    if (!piece->starts_line) continue;  // of a line that was reported as too long
    ++number;
    const bool too_long = piece->bytes.size() >= input::LineReader::kPieceBytesMax;
    if (too_long && has_header_) {
      ++hash_lines_;
      broken(fmt::format(":{}", number), "longer than 64 KiB");
    } else if (Status read = read_line(piece->bytes, number); !read) {
      return read;
    }
    if (number % storage::kWatchEvery == 0 &&
        !watcher_({"reading", lines.position(), bytes_total_, storage::WorkDone::Unit::kBytes})) {
      return storage::stopped();
    }
  }
  if (!has_header_) return Error{ErrorCode::kInvalid, "it is empty"};
  if (announced_ != 0 && hash_lines_ - announced_before_ != announced_) {
    report_.complete = false;
    complain_(name_,
              fmt::format("its header announces {} {}, but {} were read", announced_,
                          announced_ == 1 ? "hash" : "hashes", hash_lines_ - announced_before_));
  }
  return {};
}

Status HashFeed::read_line(std::string_view text, std::uint64_t number) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
  const auto line = parse_hash_line(text, now_);
  if (!has_header_ && (!line || line->row)) {
    if (!line && line.error().code == ErrorCode::kLimit) return line.error();
    return Error{ErrorCode::kInvalid,
                 fmt::format("line {}: not the header of a shingled export", number)};
  }
  has_header_ = true;
  if (line && !line->row) {  // files may be strung together
    announced_ = line->announced.value_or(0);
    announced_before_ = hash_lines_;
    return {};
  }
  ++hash_lines_;
  if (line) return take_(*line->row);
  if (line.error().code == ErrorCode::kLimit) return line.error();
  broken(fmt::format(":{}", number), line.error().message);
  return {};
}

Status HashFeed::read_database() {
  const auto table = storage::sqlite::FuzzyTable::open_read_only(name_);
  if (!table) {
    // A newer version, a locked or a damaged file is still ours. Only the file of another program
    // may be rspamd's.
    const auto rspamd = storage::sqlite::RspamdReader::open(name_);
    return rspamd ? read_rspamd() : Status(table.error());
  }
  const auto total = (*table)->count();
  if (!total) return total.error();
  std::uint64_t done = 0;
  Status outcome;
  Status read = (*table)->for_each([&](const storage::sqlite::FuzzyRow& row) {
    outcome = take_(storage::formats::with_plausible_times(row, now_));
    if (outcome && ++done % storage::kWatchEvery == 0 &&
        !watch("reading rows", done, static_cast<std::uint64_t>(*total))) {
      outcome = storage::stopped();
    }
    return outcome.has_value();
  });
  return outcome ? read : outcome;
}

Status HashFeed::read_rspamd() {
  const auto reader = storage::sqlite::RspamdReader::open(name_);
  if (!reader) return reader.error();
  const auto total = (*reader)->count();
  if (!total) return total.error();
  std::uint64_t done = 0;
  Status outcome;
  Status read = (*reader)->for_each([&](const storage::sqlite::RspamdReader::Row& row) {
    if (!row.problem.empty()) {
      broken(fmt::format(": digests row {}", row.id), row.problem);
    } else {
      if (row.slots != 0 && row.slots != kShingleCount) ++report_.lost_slots;
      if (row.slots != 0 && !row.row.shingles) ++report_.lost_hashes;
      outcome = take_(storage::formats::with_plausible_times(row.row, now_));
    }
    if (outcome && ++done % storage::kWatchEvery == 0 &&
        !watch("reading rspamd's rows", done, static_cast<std::uint64_t>(*total))) {
      outcome = storage::stopped();
    }
    return outcome.has_value();
  });
  return outcome ? read : outcome;
}

bool HashFeed::watch(std::string_view step, std::uint64_t done, std::uint64_t total) {
  return watcher_({step, done, total});
}

void HashFeed::broken(std::string_view where, std::string_view why) {
  ++report_.broken;
  if (report_.broken <= kBrokenShown) complain_(name_ + std::string(where), why);
  if (report_.broken == kBrokenShown + 1) complain_(name_, "further ones are only counted");
}

}  // namespace

Result<FeedReport> feed_hashes(const std::string& name,
                               const std::function<Status(const storage::sqlite::FuzzyRow&)>& take,
                               std::uint32_t now, const storage::Watcher& watcher,
                               const Complain& complain) {
  return HashFeed(name, take, now, watcher, complain).run();
}

}  // namespace shingled::milter::transfer
