#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "config/system/stream_listener.h"

namespace shingled {

/// Who may connect to a unix socket.
struct UnixAccess {
  mode_t mode = 0660;
  std::string group{};  ///< empty: that of the process
};

/// While it lives, what the process makes is its owner's alone: nobody connects to a unix socket
/// before it has its mode.
/// Threads: one thread makes files meanwhile; the umask is the whole process's.
class OwnerOnly {
 public:
  OwnerOnly();
  ~OwnerOnly();
  OwnerOnly(const OwnerOnly&) = delete;
  OwnerOnly& operator=(const OwnerOnly&) = delete;
  OwnerOnly(OwnerOnly&&) = delete;
  OwnerOnly& operator=(OwnerOnly&&) = delete;

 private:
  mode_t before_;
};

/// Makes room for a stream socket and finds out whether it can be bound, for a library that does
/// not say why not. A unix socket that nobody answers on is removed. Anything else with its name is
/// left alone. `option` is the setting that names the socket.
/// Errors: kUnavailable (in use), kDenied, kInvalid (not a socket, path too long), kNotFound (no
/// such folder or host); each names the option and the socket.
Status prepare_listening_socket(const SocketSpec& spec, std::string_view option);

/// Gives a unix socket its group and mode; other sockets have neither.
/// Errors: kNotFound (group), kDenied; each names the option.
Status set_socket_access(const SocketSpec& spec, const UnixAccess& access, std::string_view option);

/// Listens on every address that `spec` names, by the rules of the two above.
/// Errors: as above.
Result<std::vector<StreamListener>> listen_on(const SocketSpec& spec, int backlog,
                                              const UnixAccess& access, std::string_view option);

}  // namespace shingled
