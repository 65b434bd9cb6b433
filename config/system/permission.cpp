#include "config/system/permission.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>

namespace shingled {

namespace {

/// "shingled", or "user 1005" if that number has no name.
std::string user_name(uid_t user) {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) {
    return found->pw_name;
  }
  return "user " + std::to_string(user);
}

std::string parent_of(const std::string& path) {
  const std::size_t last = path.find_last_not_of('/');
  const std::size_t slash = path.find_last_of('/', last);
  if (last == std::string::npos) return "/";
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

std::string mode_text(mode_t mode) {
  constexpr std::size_t kDigits = 4;
  std::array<char, kDigits> digits{};
  const auto [end, failure] =
      std::to_chars(digits.data(), digits.data() + digits.size(), mode & 07777U, 8);
  const std::string text(digits.data(), end);
  return std::string(kDigits - text.size(), '0') + text;
}

std::optional<std::string> missing_permission(const std::string& path, int mode) {
  if (::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0) return std::nullopt;
  if (errno != EACCES && errno != EPERM) return std::nullopt;
  // A file that cannot even be examined is below the closed folder.
  std::string barrier = path;
  struct stat status {};
  while (::stat(barrier.c_str(), &status) != 0) {
    const std::string above = parent_of(barrier);
    if (errno != EACCES || above == barrier) return std::nullopt;
    barrier = above;
  }
  const uid_t self = ::geteuid();
  const std::string what = "permission denied: " + barrier;
  if (status.st_uid == self) {
    return what + " is ours, but its mode " + mode_text(status.st_mode) + " does not allow it";
  }
  const std::string owner = user_name(status.st_uid);
  return what + " belongs to " + owner + ", this runs as " + user_name(self) +
         "; run it as that user: sudo -u " + owner + " shingled ...";
}

void give_to_folder_owner(int fd, const std::string& path) {
  if (::geteuid() != 0) return;
  const std::string folder = std::filesystem::path(path).parent_path();
  struct stat info {};
  if (::stat(folder.empty() ? "." : folder.c_str(), &info) != 0 || info.st_uid == 0) return;
  static_cast<void>(::fchown(fd, info.st_uid, info.st_gid) == 0);
}

}  // namespace shingled
