#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "milter/http/accounts/rights.h"

namespace shingled::milter::http {

/// A person who may sign in: a line of `http.users_file`.
struct User {
  std::string name;  ///< as that of a key (key_file.h)
  Role role = Role::kRead;
  std::string hash;  ///< storage/crypto/password.h

  friend bool operator==(const User&, const User&) = default;
};

inline constexpr std::size_t kUsersMax = 1000;

/// Reads lines `NAME:ROLE:HASH`; empty ones and those that begin with '#' do not count.
/// Errors:  kInvalid, with `path`, the line and what is wrong; never a hash.
/// Threads: stateless.
Result<std::vector<User>> parse_users(std::string_view text, const std::string& path);
std::string users_text(std::span<const User> users);

}  // namespace shingled::milter::http
