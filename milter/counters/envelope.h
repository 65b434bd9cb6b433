#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/system/socket_address.h"

namespace shingled::milter::counters {

/// What is known of a message besides its bytes.
struct Envelope {
  std::string sender;                   ///< path of MAIL: "<a@example.org>", "<>"; empty: not known
  std::vector<std::string> recipients;  ///< paths of RCPT, of accepted recipients
  std::optional<IpAddress> client;
  std::string helo;
  std::string client_name;  ///< reverse name that the MTA has verified; empty if it could not
  std::string user;         ///< login of SMTP AUTH; empty without one
  std::string country;      ///< of the client, two letters; empty if it is not known
};

}  // namespace shingled::milter::counters
