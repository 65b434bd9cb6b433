#pragma once

#include <functional>
#include <optional>

#include "config/system/socket_address.h"
#include "milter/http/host_check.h"

namespace shingled::milter::http {

/// Who sent a request: the ends of its connection, and its headers.
/// Threads: one thread.
class RequestOrigin {
 public:
  /// The value of a header; nullptr if there is none.
  using Header = std::function<const char*(const char* name)>;

  /// `socket`: of the connection.
  RequestOrigin(int socket, Header header);

  [[nodiscard]] bool is_unix() const { return !peer_ && !own_; }
  /// Whether the header Host has a name that is not ours, in a request from this machine: it may
  /// come from a page in a browser, whose name was made to resolve to this server. Requests from
  /// other machines are allowed by the addresses of the listener, with any name.
  [[nodiscard]] bool host_is_wrong(const HostCheck& hosts) const;
  /// HttpRequest::direct.
  [[nodiscard]] bool is_direct() const;

 private:
  [[nodiscard]] bool on_this_machine() const {
    return is_unix() || (peer_ && (peer_->is_loopback() || peer_ == own_));
  }

  Header header_;
  std::optional<IpAddress> peer_;
  std::optional<IpAddress> own_;
};

}  // namespace shingled::milter::http
