#include "milter/process/privileges.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace shingled::milter {

namespace {

constexpr std::size_t kEntryBytesMax = 65'536;  // of one line of passwd or group

struct Identity {
  uid_t user = ::geteuid();
  gid_t group = ::getegid();
};

Result<Identity> look_up(const DaemonOptions& options) {
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

Error refused(const DaemonOptions& options) {
  return {ErrorCode::kDenied,
          "becoming daemon.user " + options.user + ": " + std::generic_category().message(errno)};
}

}  // namespace

Status drop_privileges(const DaemonOptions& options) {
  if (options.user.empty() && options.group.empty()) return {};
  const auto identity = look_up(options);
  if (!identity) return identity.error();
  if (identity->user == ::geteuid() && identity->group == ::getegid()) return {};
  const int groups = options.user.empty() ? ::setgroups(0, nullptr)
                                          : ::initgroups(options.user.c_str(), identity->group);
  if (groups != 0 || ::setgid(identity->group) != 0 || ::setuid(identity->user) != 0) {
    return refused(options);
  }
  return {};
}

}  // namespace shingled::milter
