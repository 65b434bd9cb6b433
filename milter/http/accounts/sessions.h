#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "milter/http/accounts/user_file.h"

namespace shingled::milter::http {

/// People who have signed in. A session ends by itself after kSessionTime, by sign-out, and with a
/// change of the person's password or role. With more than kSessionsMax the oldest ends.
/// Threads: one at a time (Access has the lock).
class Sessions {
 public:
  static constexpr std::chrono::hours kSessionTime{12};
  static constexpr std::size_t kSessionsMax = 1000;

  struct Session {
    User user;
    std::string csrf;  ///< what changes must send besides the cookie
    TimePoint end;
  };

  explicit Sessions(Random& random) : random_(random) {}

  /// Returns the secret of the new session, for a cookie.
  std::string open(const User& user, TimePoint now);
  [[nodiscard]] std::optional<Session> find(std::string_view secret, TimePoint now) const;
  void close(std::string_view secret);
  /// Ends the sessions of those who are not among these any more as they were.
  void keep(std::span<const User> users);
  [[nodiscard]] std::size_t size() const { return sessions_.size(); }

  /// 256 random bits as text.
  static std::string secret(Random& random);

 private:
  Random& random_;
  // By a digest, so that neither a dump nor the time of a look-up tells a secret.
  std::map<std::string, Session, std::less<>> sessions_;
};

}  // namespace shingled::milter::http
