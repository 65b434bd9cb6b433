#include "milter/process/privileges.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "config/system/os_error.h"

namespace shingled::milter::process {

namespace {

constexpr std::size_t kEntryBytesMax = 65'536;  // of one line of passwd or group

Error user_error(const DaemonOptions& options) {
  return os_error(ErrorCode::kDenied, errno, "becoming daemon.user " + options.user);
}

}  // namespace

Result<Identity> daemon_identity(const DaemonOptions& options) {
  Identity identity;
  std::vector<char> buffer(kEntryBytesMax);
  if (!options.user.empty()) {
    passwd entry{};
    passwd* found = nullptr;
    ::getpwnam_r(options.user.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found == nullptr) {
      return Error{ErrorCode::kNotFound, "daemon.user " + options.user + ": no such user"};
    }
    identity = {found->pw_uid, found->pw_gid};
  }
  if (!options.group.empty()) {
    group entry{};
    group* found = nullptr;
    ::getgrnam_r(options.group.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found == nullptr) {
      return Error{ErrorCode::kNotFound, "daemon.group " + options.group + ": no such group"};
    }
    identity.group = found->gr_gid;
  }
  return identity;
}

std::optional<Identity> owner_of_files(const Settings& settings) {
  if (::geteuid() != 0 || !settings.daemon.user.empty()) return std::nullopt;
  const auto folder = std::filesystem::path(settings.storage.engine.hashfile).parent_path();
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0 || info.st_uid == 0) return std::nullopt;
  return Identity{info.st_uid, info.st_gid};
}

std::string user_name(uid_t user) {
  std::vector<char> buffer(kEntryBytesMax);
  passwd entry{};
  passwd* found = nullptr;
  ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
  return found != nullptr ? found->pw_name : std::to_string(user);
}

Status with_rights_of(const Identity& identity, const std::function<void()>& work) {
  const gid_t group = ::getegid();
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
  const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
  const auto failure = [] {
    return os_error(ErrorCode::kDenied, errno, "becoming another user for a moment");
  };
  if (count < 0) return failure();
  // Of a user without a name this is the group alone.
  const bool borrowed = ::initgroups(user_name(identity.user).c_str(), identity.group) == 0 &&
                        ::setegid(identity.group) == 0 && ::seteuid(identity.user) == 0;
  if (borrowed) work();
  const bool back = ::seteuid(0) == 0 && ::setegid(group) == 0 &&
                    ::setgroups(static_cast<std::size_t>(count), groups.data()) == 0;
  if (!borrowed || !back) return failure();
  return {};
}

Status drop_privileges(const DaemonOptions& options) {
  if (options.user.empty() && options.group.empty()) return {};
  const auto identity = daemon_identity(options);
  if (!identity) return identity.error();
  if (identity->user == ::geteuid() && identity->group == ::getegid()) return {};
  const int groups = options.user.empty() ? ::setgroups(0, nullptr)
                                          : ::initgroups(options.user.c_str(), identity->group);
  if (groups != 0 || ::setgid(identity->group) != 0 || ::setuid(identity->user) != 0) {
    return user_error(options);
  }
  return {};
}

}  // namespace shingled::milter::process
