#include "milter/setup/machine.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "config/system/os_error.h"
#include "config/system/unique_fd.h"
#include "config/system/whole_file.h"

namespace shingled::milter::setup {

namespace {

constexpr std::size_t kFileBytesMax = std::size_t{16} * 1024 * 1024;
constexpr mode_t kNewFileMode = 0644;
constexpr mode_t kModeBits = 07777;
constexpr int kNoSuchProgram = 127;

/// Where a program is: administrators' programs are not in everybody's PATH.
std::string program_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  for (const char* folder :
       {"/usr/sbin/", "/usr/bin/", "/sbin/", "/usr/local/sbin/", "/usr/local/bin/"}) {
    std::string path = folder + name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return name;
}

std::string content_of(const UniqueFd& fd) {
  std::string out;
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return out;
  out.resize(static_cast<std::size_t>(facts.st_size));
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        ::pread(fd.get(), out.data() + done, out.size() - done, static_cast<off_t>(done));
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  out.resize(done);
  return out;
}

Status write_whole(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t put = ::write(fd, content.data(), content.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return os_write_error(errno, path);
    content.remove_prefix(static_cast<std::size_t>(put));
  }
  return ::fsync(fd) == 0 ? Status() : Status(os_write_error(errno, path));
}

/// The file that a symbolic link leads to; `path` itself where there is none.
std::string file_behind(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

/// A file beside `path`, renamed to it; with the mode and owner of `like`, if that exists.
Status put_file(const std::string& path, std::string_view content, const std::string& like) {
  const std::string half = path + ".shingled-new";
  struct stat facts {};
  const bool known = ::stat(like.c_str(), &facts) == 0;
  ::unlink(half.c_str());
  const UniqueFd file(
      ::open(half.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, known ? 0600 : kNewFileMode));
  if (!file) return os_write_error(errno, half);
  Status done = write_whole(file.get(), content, half);
  if (done && known && ::fchown(file.get(), facts.st_uid, facts.st_gid) != 0)
    done = os_write_error(errno, half);
  if (done && ::fchmod(file.get(), known ? facts.st_mode & kModeBits : kNewFileMode) != 0)
    done = os_write_error(errno, half);
  if (done && ::rename(half.c_str(), path.c_str()) != 0) done = os_write_error(errno, path);
  if (!done) ::unlink(half.c_str());
  return done;
}

class ThisMachine final : public Machine {
 public:
  Result<std::string> run(const std::vector<std::string>& arguments) override {
    const std::string& name = arguments.front();
    const std::string path = program_path(name);
    // Files in memory, so that no pipe can be full.
    const UniqueFd out(::memfd_create("output", MFD_CLOEXEC));
    const UniqueFd errors(::memfd_create("errors", MFD_CLOEXEC));
    if (!out || !errors) return os_error(errno, name);
    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, errors.get(), STDERR_FILENO);
    pid_t child = 0;
    const int failure =
        ::posix_spawnp(&child, path.c_str(), &actions, nullptr, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) return os_error(failure, name);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
      if (errno != EINTR) return os_error(errno, name);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return content_of(out);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchProgram)
      return Error{ErrorCode::kNotFound, name + ": there is no such program"};
    std::string reason = content_of(errors);
    reason.resize(std::min(reason.find('\n'), reason.size()));
    return Error{
        ErrorCode::kInvalid,
        name + ": " + (reason.empty() ? std::string("it failed without a reason") : reason)};
  }

  Result<std::string> read(const std::string& path) override {
    auto file = read_whole_file(path, kFileBytesMax);
    if (!file) return file.error();
    return std::move(file->text);
  }

  bool is_link(const std::string& path) override {
    std::error_code error;
    return std::filesystem::is_symlink(path, error);
  }

  bool is_newer(const std::string& path, const std::string& than) override {
    std::error_code errors[2];
    const auto time = std::filesystem::last_write_time(path, errors[0]);
    const auto other = std::filesystem::last_write_time(than, errors[1]);
    return !errors[0] && !errors[1] && time >= other;
  }

  Status write(const std::string& path, std::string_view content) override {
    return put_file(file_behind(path), content, path);
  }

  Status copy(const std::string& from, const std::string& to) override {
    const auto content = read(from);
    if (!content) return content.error();
    return put_file(to, *content, from);
  }
};

}  // namespace

std::unique_ptr<Machine> this_machine() { return std::make_unique<ThisMachine>(); }

}  // namespace shingled::milter::setup
