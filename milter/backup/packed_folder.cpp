#include "milter/backup/packed_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "config/base/ascii.h"
#include "config/base/number_text.h"
#include "config/system/os_error.h"
#include "config/system/whole_file.h"

namespace shingled::milter::backup {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameMax = 255;
constexpr std::size_t kFileBytesMax = 256UL << 20U;  ///< more than any report may have
constexpr std::size_t kHeadMax = kNameMax + 24;

bool is_plain_name(std::string_view name) {
  return !name.starts_with('.') && ascii::is_word(name, kNameMax, "._-");
}

Result<std::vector<std::string>> names_of(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    std::string name = at->path().filename().string();
    std::error_code unknown;
    if (is_plain_name(name) && at->symlink_status(unknown).type() == fs::file_type::regular)
      out.push_back(std::move(name));
  }
  if (failure) return os_error(failure.value(), folder);
  std::sort(out.begin(), out.end());
  return out;
}

Status put(const UniqueFd& fd, const std::string& path, std::string_view bytes) {
  Status written = write_all(fd.get(), as_bytes(bytes));
  return written ? written : Status(written.error().in(path));
}

}  // namespace

Result<PackedFolder> pack_folder(const std::string& folder, const std::string& to,
                                 ByteProgress& progress) {
  const auto names = names_of(folder);
  if (!names) return names.error();
  if (Status made = write_file(to, ""); !made) return made.error();
  const UniqueFd fd(::open(to.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return os_error(errno, to);
  PackedFolder out;
  for (const std::string& name : *names) {
    const auto file = read_whole_file(folder + '/' + name, kFileBytesMax);
    if (!file && file.error().code == ErrorCode::kNotFound) continue;
    if (!file) return file.error();
    const std::string head = fmt::format("{} {}\n", name, file->text.size());
    for (const std::string_view piece :
         {std::string_view(head), std::string_view(file->text), std::string_view("\n")}) {
      if (Status written = put(fd, to, piece); !written) return written.error();
    }
    ++out.files;
    out.bytes += file->text.size();
    if (!progress.add(file->text.size())) return storage::stopped();
  }
  if (::fsync(fd.get()) != 0) return os_write_error(errno, to);
  return out;
}

namespace {

/// Reads such a file from its beginning to its end.
class PackedReader {
 public:
  PackedReader(UniqueFd fd, const std::string& path) : fd_(std::move(fd)), path_(path) {}

  /// The name of the next file, and its bytes; an empty name = the end.
  Result<std::pair<std::string, std::string>> next() {
    if (Status read = fill(kHeadMax); !read) return read.error();
    if (rest_.empty()) return std::pair<std::string, std::string>();
    const std::size_t line = rest_.find('\n');
    const std::size_t blank = rest_.find(' ');
    if (line == std::string::npos || blank >= line) return broken();
    std::string name = rest_.substr(0, blank);
    const auto bytes = parse_whole<std::uint64_t>(
        std::string_view(rest_).substr(blank + 1, line - blank - 1), 0, kFileBytesMax);
    if (!is_plain_name(name) || !bytes) return broken();
    rest_.erase(0, line + 1);
    if (Status read = fill(*bytes + 1); !read) return read.error();
    if (rest_.size() <= *bytes || rest_[*bytes] != '\n') return broken();
    std::string text = rest_.substr(0, *bytes);
    rest_.erase(0, *bytes + 1);
    return std::pair(std::move(name), std::move(text));
  }

 private:
  /// Reads until so many bytes are there, or the file ends.
  Status fill(std::size_t wanted) {
    while (rest_.size() < wanted) {
      const std::size_t had = rest_.size();
      rest_.resize(wanted);
      const ssize_t count = ::read(fd_.get(), rest_.data() + had, wanted - had);
      const int reason = errno;
      rest_.resize(had + (count > 0 ? static_cast<std::size_t>(count) : 0));
      if (count < 0 && reason == EINTR) continue;
      if (count < 0) return os_error(ErrorCode::kUnavailable, reason, path_);
      if (count == 0) break;
    }
    return {};
  }

  [[nodiscard]] Error broken() const {
    return {ErrorCode::kCorrupt, path_ + ": is not a folder that was packed"};
  }

  UniqueFd fd_;
  const std::string& path_;
  std::string rest_;  ///< read, and not yet given
};

}  // namespace

Result<PackedFolder> unpack_folder(const std::string& from, const std::string& folder,
                                   ByteProgress& progress) {
  auto fd = open_to_read(from);
  if (!fd) return fd.error();
  PackedReader reader(*std::move(fd), from);
  PackedFolder out;
  for (;;) {
    const auto file = reader.next();
    if (!file) return file.error();
    const auto& [name, text] = *file;
    if (name.empty()) return out;
    if (Status made = write_file(folder + '/' + name, text); !made) return made.error();
    ++out.files;
    out.bytes += text.size();
    if (!progress.add(text.size())) return storage::stopped();
  }
}

}  // namespace shingled::milter::backup
