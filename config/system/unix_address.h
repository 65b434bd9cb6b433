#pragma once

#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/system/socket_address.h"

namespace shingled {

/// The address of a unix socket in the file system. It has no IP and no port, so two of them are
/// equal for `==`: compare the paths.
/// Errors: kInvalid (empty, or longer than the 107 bytes of unix(7)), without the path.
Result<SocketAddress> unix_address(const std::string& path);

/// All addresses of a place: the one of its path, or those of its host (SocketAddress::resolve,
/// which may block on DNS).
Result<std::vector<SocketAddress>> addresses_of(const SocketSpec& spec);

}  // namespace shingled
