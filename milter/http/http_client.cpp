#include "milter/http/http_client.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "config/base/ascii.h"
#include "config/base/number_text.h"
#include "config/system/byte_transfer.h"
#include "config/system/connect_socket.h"
#include "config/system/unique_fd.h"
#include "config/system/unix_address.h"

namespace shingled::milter::http {

namespace {

Result<UniqueFd> connect_to(const SocketSpec& server, const Clock& clock, TimePoint deadline) {
  const auto addresses = addresses_of(server);
  if (!addresses) return addresses.error();
  auto fd = connect_within(*addresses, {}, deadline, clock);
  if (!fd) return fd.error().in(server.to_string());
  return fd;
}

Result<std::string> receive_all(const UniqueFd& fd, const Clock& clock, TimePoint deadline) {
  std::string bytes;
  std::array<std::uint8_t, 65'536> buffer{};
  while (bytes.size() <= kReplyBytesMax) {
    const auto count = receive_some(fd.get(), buffer);
    if (!count) return count.error();
    if (*count == 0) return bytes;
    if (*count) {
      bytes += as_text(BytesView(buffer).first(**count));
    } else if (Status ready = wait_for(fd.get(), POLLIN, deadline, clock); !ready) {
      return ready.error();
    }
  }
  return Error{ErrorCode::kLimit, "the reply is too long"};
}

}  // namespace

Result<HttpReply> parse_http_reply(std::string_view bytes) {
  const Error no_http{ErrorCode::kInvalid, "the answer is not HTTP"};
  const std::size_t head_end = bytes.find("\r\n\r\n");
  if (!bytes.starts_with("HTTP/1.") || head_end == std::string_view::npos) return no_http;
  std::string_view head = bytes.substr(0, head_end + 2);
  HttpReply reply;
  const std::size_t code = head.find(' ');
  if (code == std::string_view::npos || code + 4 > head.size()) return no_http;
  const auto status = parse_whole<unsigned>(head.substr(code + 1, 3));
  if (!status) return no_http;
  reply.status = *status;
  reply.body = bytes.substr(head_end + 4);
  for (std::size_t end = head.find("\r\n"); end != std::string_view::npos;
       head.remove_prefix(end + 2), end = head.find("\r\n")) {
    const std::string_view line = head.substr(0, end);
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::string name = ascii::to_lower(line.substr(0, colon));
    const std::string_view value = line.substr(colon + 2);
    if (name == "content-type") reply.type = value;
    if (name == "content-length" && value != std::to_string(reply.body.size())) {
      return Error{ErrorCode::kInvalid, "the answer is cut off"};
    }
  }
  return reply;
}

namespace {

Result<HttpReply> ask(const char* method, const SocketSpec& server, const std::string& target,
                      const Clock& clock, TimePoint deadline) {
  const auto fd = connect_to(server, clock, deadline);
  if (!fd) return fd.error();
  const std::string request = std::string(method) + ' ' + target +
                              " HTTP/1.1\r\nHost: localhost\r\n" + kDirectHeader +
                              ": 1\r\nConnection: close\r\n\r\n";
  if (Status sent = send_all(fd->get(), as_bytes(request), deadline, clock); !sent) {
    return sent.error().in(server.to_string());
  }
  auto bytes = receive_all(*fd, clock, deadline);
  if (!bytes) return bytes.error().in(server.to_string());
  auto reply = parse_http_reply(*bytes);
  if (!reply) return reply.error().in(server.to_string());
  return reply;
}

}  // namespace

Result<HttpReply> http_get(const SocketSpec& server, const std::string& target, const Clock& clock,
                           TimePoint deadline) {
  return ask("GET", server, target, clock, deadline);
}

Result<HttpReply> http_post(const SocketSpec& server, const std::string& target, const Clock& clock,
                            TimePoint deadline) {
  return ask("POST", server, target, clock, deadline);
}

}  // namespace shingled::milter::http
