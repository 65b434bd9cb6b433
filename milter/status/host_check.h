#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/options/status_options.h"

namespace shingled::milter::status {

/// Which names a request on this machine may have for us (its header Host).
///
/// A page in a browser here may have had its own name made to point to us (DNS rebinding) and would
/// read everything as its own. Such a page has a name of its own making; so an address, localhost,
/// the name of this machine and the names in status.listen are ours, and nothing else is.
/// Threads: any thread, once it is made.
class HostCheck {
 public:
  HostCheck(const StatusOptions& options, std::string_view machine);

  /// `host` as in the header: with or without a port, an IPv6 address in brackets, any case.
  [[nodiscard]] bool is_ours(std::string_view host) const;

 private:
  std::vector<std::string> names_;  ///< in lower case
};

/// `host` without its port and brackets.
std::string_view without_port(std::string_view host);

/// The system's name of this machine; "" where it has none.
std::string machine_name();

}  // namespace shingled::milter::status
