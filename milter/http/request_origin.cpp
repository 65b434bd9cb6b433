#include "milter/http/request_origin.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <string_view>
#include <utility>

#include "milter/http/http_message.h"

namespace shingled::milter::http {

namespace {

/// The address of one end of the connection; nullopt for a unix socket.
std::optional<IpAddress> ip_of(int (*ask)(int, sockaddr*, socklen_t*), int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (ask(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return std::nullopt;
  return IpAddress::from(reinterpret_cast<const sockaddr*>(&address), length);
}

bool names_loopback(std::string_view host) {
  const std::string_view name = without_port(host);
  const auto ip = IpAddress::parse(name);
  return name == "localhost" || (ip && ip->is_loopback());
}

}  // namespace

RequestOrigin::RequestOrigin(int socket, Header header)
    : header_(std::move(header)),
      peer_(ip_of(&::getpeername, socket)),
      own_(ip_of(&::getsockname, socket)) {}

bool RequestOrigin::host_is_wrong(const HostCheck& hosts) const {
  const char* host = header_("Host");
  return host != nullptr && !is_unix() && on_this_machine() && !hosts.is_ours(host);
}

bool RequestOrigin::is_direct() const {
  const char* host = header_("Host");
  const bool relayed = header_("X-Forwarded-For") != nullptr || header_("Forwarded") != nullptr ||
                       header_("Via") != nullptr;
  const bool is_here = is_unix() || (peer_ && peer_->is_loopback());
  return is_here && !relayed && host != nullptr && names_loopback(host) &&
         header_(kDirectHeader) != nullptr;
}

}  // namespace shingled::milter::http
