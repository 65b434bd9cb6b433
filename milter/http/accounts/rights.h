#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "config/options/http_options.h"

namespace shingled::milter::http {

/// What a request wants to do; each page asks for one.
enum class Right : std::uint8_t {
  kNothing,  ///< anybody may: whether the daemon lives
  kMetrics,  ///< numbers of the whole site
  kRead,     ///< history, hashes, rules, cases, limits
  kAsk,      ///< the counters of pieces of mail
  kCount,    ///< to add to counters
  kReport,   ///< to say of mail that it is spam or not
  kChange,   ///< everything else
};

/// What a program, a person or this machine may do; see may().
using Role = HttpRole;

constexpr bool may(Role role, Right right) {
  switch (right) {
    case Right::kNothing:
      return true;
    case Right::kMetrics:
      return role == Role::kMetrics || role == Role::kRead || role == Role::kChange;
    case Right::kRead:
      return role == Role::kRead || role == Role::kChange;
    case Right::kAsk:
      return role == Role::kRead || role == Role::kCount || role == Role::kChange;
    case Right::kCount:
      return role == Role::kCount || role == Role::kChange;
    case Right::kReport:
      return role == Role::kReport || role == Role::kChange;
    case Right::kChange:
      break;
  }
  return role == Role::kChange;
}

/// "off" "metrics" "read" "count" "report" "change"
std::string_view to_string(Role role);
std::optional<Role> parse_role(std::string_view text);
/// For errors: "metrics, read, count, report or change".
inline constexpr std::string_view kRolesText = "metrics, read, count, report or change";

/// A role that has the right, the smallest first: what an error names.
Role role_for(Right right);

}  // namespace shingled::milter::http
