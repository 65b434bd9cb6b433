#include "storage/counters/counter_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "config/base/hex.h"
#include "config/system/byte_transfer.h"
#include "config/system/os_error.h"
#include "config/system/permission.h"
#include "config/system/unique_fd.h"
#include "config/system/whole_file.h"
#include "storage/sqlite/counters/counter_catalogue.h"

namespace shingled::storage::counters {

namespace {

constexpr mode_t kKeyMode = 0600;
constexpr std::size_t kFileBytesMax = 1024;

Result<CounterKeyBytes> read_key_file(const std::string& path) {
  const auto file = read_whole_file(path, kFileBytesMax);
  if (!file) return file.error();
  if (!file->is_private())
    return Error{ErrorCode::kDenied, path + ": others may read it; allowed: mode 0600"};
  std::string_view text = file->text;
  if (text.ends_with('\n')) text.remove_suffix(1);
  const auto bytes = from_hex(text);
  CounterKeyBytes key{};
  if (!bytes || bytes->size() != key.size())
    return Error{ErrorCode::kInvalid, path + ": is not a key: 32 hexadecimal digits"};
  std::ranges::copy(*bytes, key.begin());
  return key;
}

/// Under a name of its own first: a file that was cut off would be a wrong key from then on.
Status make_key(const std::string& path, Random& random) {
  CounterKeyBytes key{};
  random.fill(key);
  const std::string temporary = path + "." + std::to_string(::getpid());
  const UniqueFd fd(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kKeyMode));
  if (!fd) return os_write_error(errno, temporary);
  give_to_folder_owner(fd.get(), path);
  Status written = write_all(fd.get(), as_bytes(to_hex(key) + "\n"));
  if (written && ::fsync(fd.get()) != 0) written = os_write_error(errno, "fsync");
  // A link, unlike a rename, does not replace the key that another process made meanwhile.
  if (written && ::link(temporary.c_str(), path.c_str()) != 0 && errno != EEXIST)
    written = os_write_error(errno, "link");
  ::unlink(temporary.c_str());
  return written ? written : Status(written.error().in(path));
}

}  // namespace

Result<CounterKeyBytes> read_or_make_key(const std::string& path, Random& random) {
  auto key = read_key_file(path);
  if (key || key.error().code != ErrorCode::kNotFound) return key;
  if (Status made = make_key(path, random); !made) return made.error();
  return read_key_file(path);
}

Result<CounterKeyBytes> site_key(const CounterOptions& options, Random& random) {
  const std::string path = options.key_path();
  const std::string catalogue = options.embedded.directory + "/counters.db";
  const bool has_counters = !options.shared.enabled() && ::access(catalogue.c_str(), F_OK) == 0;
  if (has_counters && ::access(path.c_str(), F_OK) != 0 && errno == ENOENT)
    return Error{ErrorCode::kNotFound,
                 path + ": the key is gone, and " + options.embedded.directory +
                     " has counters that nobody can find without it; allowed: put the key back, "
                     "or move that folder away to begin anew"};
  return read_or_make_key(path, random);
}

std::uint64_t key_mark(const CounterKeyBytes& key) {
  // No piece type has the number 0, so no piece has this shingle but by chance.
  return piece_shingle(key, PieceType{}, "mark of the key of the counters");
}

std::string mark_text(std::uint64_t mark) { return fmt::format("{:016x}", mark); }

std::optional<std::uint64_t> parse_mark(std::string_view text) {
  const auto bytes = from_hex(text);
  if (!bytes || bytes->size() != sizeof(std::uint64_t)) return std::nullopt;
  std::uint64_t mark = 0;
  for (const std::uint8_t byte : *bytes) mark = mark << 8U | byte;
  return mark;
}

std::string other_key_error(const std::string& where, std::uint64_t mark, std::uint64_t ours) {
  return fmt::format(
      "{}: was counted with another key (mark {:016x}, that of counters.key_file is {:016x}), so "
      "none of its counters can be found; allowed: the key that it was counted with",
      where, mark, ours);
}

Status check_key_mark(const std::string& directory, std::uint64_t ours) {
  const auto mark = sqlite::CounterCatalogue::read_key_mark(directory + "/counters.db");
  if (!mark || *mark == ours) return {};
  return Error{ErrorCode::kInvalid, other_key_error(directory, *mark, ours)};
}

}  // namespace shingled::storage::counters
