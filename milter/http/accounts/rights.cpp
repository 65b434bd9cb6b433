#include "milter/http/accounts/rights.h"

#include <algorithm>
#include <array>

namespace shingled::milter::http {

namespace {

constexpr std::array<std::string_view, 6> kRoles = {"off",   "metrics", "read",
                                                    "count", "report",  "change"};

}  // namespace

std::string_view to_string(Role role) { return kRoles[static_cast<std::size_t>(role)]; }

std::optional<Role> parse_role(std::string_view text) {
  const auto* const found = std::ranges::find(kRoles, text);
  if (found == kRoles.end()) return std::nullopt;
  return static_cast<Role>(found - kRoles.begin());
}

Role role_for(Right right) {
  for (std::size_t i = 0; i < kRoles.size(); ++i)
    if (may(static_cast<Role>(i), right)) return static_cast<Role>(i);
  return Role::kChange;
}

}  // namespace shingled::milter::http
