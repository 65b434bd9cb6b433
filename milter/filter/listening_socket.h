#pragma once

#include <string_view>

#include "config/options/milter_options.h"
#include "config/system/socket_address.h"

namespace shingled::milter::filter {

/// Finds out whether a stream socket can be bound: libmilter tells only syslog why not. A unix
/// socket nobody answers on is removed; anything else that bears its name is left alone.
/// Errors: kUnavailable (in use), kDenied, kInvalid (no socket, name too long), kNotFound (no such
/// directory or host); each names the option and the socket.
Status prepare_listening_socket(const SocketSpec& spec, std::string_view option = "milter.socket");

/// Gives a unix socket its mode and group.
/// Errors: kNotFound (group), kDenied.
Status set_socket_access(const MilterOptions& options);

/// Lets the connections of this process's listening TCP sockets send at once (TCP_NODELAY, which
/// accepted connections inherit). libmilter answers in several small writes; with Nagle's algorithm
/// and the delayed acknowledgement of the other side each message would wait 40 ms for the second.
/// Errors: none; a socket that refuses stays as it is.
void send_without_delay();

}  // namespace shingled::milter::filter
