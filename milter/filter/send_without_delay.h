#pragma once

namespace shingled::milter::filter {

/// Lets the connections of this process's listening TCP sockets send at once (TCP_NODELAY, which
/// accepted connections inherit). libmilter answers in several small writes; with Nagle's algorithm
/// and the delayed acknowledgement of the other side each message would wait 40 ms for the second.
/// Errors: none; a socket that refuses stays as it is.
void send_without_delay();

}  // namespace shingled::milter::filter
