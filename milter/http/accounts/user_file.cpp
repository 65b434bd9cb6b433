#include "milter/http/accounts/user_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "milter/http/accounts/account_lines.h"
#include "milter/http/accounts/key_file.h"
#include "storage/crypto/password.h"

namespace shingled::milter::http {

namespace {

Result<User> parse_user(std::string_view line) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
  if (second == std::string_view::npos) {
    return Error{ErrorCode::kInvalid,
                 "is not a line of `shingled passwd`: a name, a role and a hash"};
  }
  User user{std::string(line.substr(0, first)), Role::kRead, std::string(line.substr(second + 1))};
  const auto role = parse_role(line.substr(first + 1, second - first - 1));
  if (!is_account_name(user.name))
    return Error{ErrorCode::kInvalid,
                 "the name has characters other than letters, digits, - _ . @"};
  if (role != Role::kRead && role != Role::kChange)
    return Error{ErrorCode::kInvalid, "the role must be read or change"};
  if (!storage::crypto::is_password_hash(user.hash))
    return Error{ErrorCode::kInvalid, "the hash is not one of `shingled passwd`"};
  user.role = *role;
  return user;
}

}  // namespace

Result<std::vector<User>> parse_users(std::string_view text, const std::string& path) {
  return parse_accounts(text, path, kUsersMax, "people", parse_user);
}

std::string users_text(std::span<const User> users) {
  std::string out =
      "# People who may sign in at http.listen, written by `shingled passwd`: name, role, hash.\n";
  for (const User& user : users)
    out += fmt::format("{}:{}:{}\n", user.name, to_string(user.role), user.hash);
  return out;
}

}  // namespace shingled::milter::http
