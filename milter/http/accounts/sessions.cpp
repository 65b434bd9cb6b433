#include "milter/http/accounts/sessions.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "config/base/hex.h"
#include "config/base/zbase32.h"
#include "milter/http/accounts/key_file.h"

namespace shingled::milter::http {

namespace {

std::string place_of(std::string_view secret) { return to_hex(key_digest(secret).bytes); }

}  // namespace

std::string Sessions::secret(Random& random) {
  std::array<std::uint8_t, 32> bits{};
  random.fill(bits);
  return to_zbase32(bits);
}

std::string Sessions::open(const User& user, TimePoint now) {
  std::erase_if(sessions_, [&](const auto& entry) { return entry.second.end <= now; });
  if (sessions_.size() >= kSessionsMax) {
    sessions_.erase(std::ranges::min_element(sessions_, {},
                                             [](const auto& entry) { return entry.second.end; }));
  }
  std::string out = secret(random_);
  sessions_.emplace(place_of(out), Session{user, secret(random_), now + kSessionTime});
  return out;
}

std::optional<Sessions::Session> Sessions::find(std::string_view secret, TimePoint now) const {
  const auto found = sessions_.find(place_of(secret));
  if (found == sessions_.end() || found->second.end <= now) return std::nullopt;
  return found->second;
}

void Sessions::close(std::string_view secret) { sessions_.erase(place_of(secret)); }

void Sessions::keep(std::span<const User> users) {
  std::erase_if(sessions_, [&](const auto& entry) {
    return std::ranges::find(users, entry.second.user) == users.end();
  });
}

}  // namespace shingled::milter::http
