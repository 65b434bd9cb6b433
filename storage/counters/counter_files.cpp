#include "storage/counters/counter_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "config/base/number_text.h"
#include "config/system/os_error.h"
#include "config/system/permission.h"
#include "config/system/unique_fd.h"

namespace shingled::storage::counters {

namespace {

constexpr std::string_view kSealedEnd = ".counts";
constexpr std::string_view kLogEnd = ".log";
constexpr std::string_view kTemporaryEnd = ".tmp";

std::optional<std::uint64_t> number_before(std::string_view name, std::string_view end) {
  if (!name.ends_with(end)) return std::nullopt;
  name.remove_suffix(end.size());
  if (name.size() > 1 && name.starts_with('0')) return std::nullopt;  // not as it is written here
  return parse_whole<std::uint64_t>(name);
}

}  // namespace

std::string sealed_name(std::int64_t id) { return fmt::format("{}{}", id, kSealedEnd); }
std::string damaged_name(std::int64_t id) { return sealed_name(id) + ".damaged"; }
std::string log_name(std::uint64_t number) { return fmt::format("{}{}", number, kLogEnd); }
std::optional<std::uint64_t> log_number(std::string_view name) {
  return number_before(name, kLogEnd);
}

bool is_sealed_file(std::string_view name) { return number_before(name, kSealedEnd).has_value(); }

bool is_counter_file(std::string_view name) {
  if (name.ends_with(kTemporaryEnd)) name.remove_suffix(kTemporaryEnd.size());
  return log_number(name) || is_sealed_file(name);
}

namespace {

constexpr mode_t kFolderMode = 0700;

}  // namespace

Status make_counter_folder(const std::string& path) {
  if (::mkdir(path.c_str(), kFolderMode) != 0) {
    const int reason = errno;
    struct stat there {};
    const bool is_folder = ::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode);
    if (reason == EEXIST && is_folder) return {};
    return os_write_error(reason == EEXIST ? ENOTDIR : reason, path);
  }
  const UniqueFd made(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (made) give_to_folder_owner(made.get(), path);
  return {};
}

void drop_log(FileSystem& files, std::uint64_t number, bool is_damaged) {
  const std::string name = log_name(number);
  static_cast<void>(is_damaged ? files.rename(name, name + ".damaged") : files.remove(name));
}

}  // namespace shingled::storage::counters
