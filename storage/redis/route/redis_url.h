#pragma once

#include <string_view>

#include "config/base/result.h"
#include "config/options/redis_options.h"

namespace shingled::storage::redis {

/// Sets the server, login and database in `options` from a URL:
///
///   redis://[USER:PASSWORD@ | :PASSWORD@]HOST[:PORT][/DB]     unix:/PATH
///
/// In user and password "%41" stands for "A", so "%25" for a percent sign (RFC 3986, 2.1).
/// Errors: kInvalid; the message does not repeat the text, which may hold a password.
Status apply_redis_url(std::string_view url, RedisOptions& options);

}  // namespace shingled::storage::redis
