#pragma once

#include <string>
#include <string_view>

#include "config/base/result.h"
#include "milter/http/http_message.h"
#include "milter/view/json.h"

namespace shingled::milter::api {

/// The status of a reply that says an error, and the error of a status: one table for the pages and
/// for those who ask them.
///
///   400 kInvalid    403 kDenied    404 kNotFound    413 kLimit
///   500 kCorrupt, kInternal: trying again is vain
///   503 kTimeout, kUnavailable: the same request may come again later
/// Threads: stateless.
unsigned status_of(ErrorCode code);
ErrorCode code_of(unsigned status);

/// A reply with 200 and a JSON object.
http::HttpReply json_reply(const Json& object);

/// A reply that says an error, as a problem object: {"title", "status", "detail"}.
/// Source:  RFC 9457.
http::HttpReply problem(unsigned status, std::string_view detail);
http::HttpReply problem(const Error& error);

/// A word of a request in an error: short, and not in the way of the reader.
std::string shown(std::string_view word);

/// The reason that a reply with a status other than 200 gives: `detail`, or its first line.
Error error_of(const http::HttpReply& reply);

}  // namespace shingled::milter::api
