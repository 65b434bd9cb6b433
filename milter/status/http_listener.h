#pragma once

#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"

namespace shingled::milter::status {

/// A socket that is bound and listens.
struct HttpListener {
  UniqueFd fd;
  std::string address;    ///< "127.0.0.1:11340", "unix:/path"
  std::string unix_path;  ///< to be removed at the end; empty for TCP
};

/// Binds every address that `spec` names. A unix socket gets mode 0660; one nobody answers on is
/// replaced.
/// Errors: as prepare_listening_socket, naming `option`.
Result<std::vector<HttpListener>> listen_on(const SocketSpec& spec, std::string_view option);

}  // namespace shingled::milter::status
