#include "milter/http/http_call.h"

#include <poll.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "config/base/byte_reader.h"
#include "config/system/byte_transfer.h"
#include "config/system/connect_socket.h"
#include "config/system/unique_fd.h"
#include "config/system/unix_address.h"
#include "milter/http/tls_client.h"

namespace shingled::milter::http {

namespace {

constexpr std::size_t kReadBytes = 65'536;

std::string request_text(const Endpoint& server, const HttpCall& call) {
  std::string text = std::string(to_string(call.method)) + ' ' + server.prefix + call.target +
                     " HTTP/1.1\r\nHost: " + server.host + "\r\n" + kDirectHeader +
                     ": 1\r\nConnection: close\r\n";
  if (!server.key.empty()) text += "Authorization: Bearer " + server.key + "\r\n";
  if (call.method == HttpMethod::kPost) {
    text += "Content-Type: " + call.type +
            "\r\nContent-Length: " + std::to_string(call.body.size()) + "\r\n";
  }
  return text + "\r\n" + call.body;
}

/// The server may have done what was asked, so this is not as if there were no connection.
Error broken_off(Error error) {
  if (error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kInvalid)
    error.code = ErrorCode::kCorrupt;
  return error;
}

/// A connection with or without TLS.
struct Line {
  UniqueFd fd;
  std::unique_ptr<TlsClient> tls;  ///< null: none
  const Clock& clock;
  Duration patience;
  std::optional<TimePoint> last;  ///< of the whole call

  [[nodiscard]] TimePoint deadline_now() const {
    const TimePoint next = clock.now() + patience;
    return last ? std::min(next, *last) : next;
  }
  [[nodiscard]] Status send(BytesView bytes) const {
    const TimePoint deadline = deadline_now();
    return tls ? tls->send_all(bytes, deadline, clock) : send_all(fd.get(), bytes, deadline, clock);
  }
  /// Waits for bytes; 0 at the end.
  Result<std::size_t> receive(std::span<std::uint8_t> into) const {
    const TimePoint deadline = deadline_now();
    if (last && clock.now() >= *last)
      return Error{ErrorCode::kTimeout, "the reply was not complete in time"};
    if (tls) return tls->receive(into, deadline, clock);
    for (;;) {
      const auto count = receive_some(fd.get(), into);
      if (!count) return count.error();
      if (*count) return **count;
      if (Status ready = wait_for(fd.get(), POLLIN, deadline, clock); !ready) return ready.error();
    }
  }
};

Status read_reply(const Line& line, HttpReplyReader& reader) {
  std::vector<std::uint8_t> buffer(kReadBytes);
  while (!reader.complete()) {
    const auto count = line.receive(buffer);
    if (!count) return broken_off(count.error());
    if (*count == 0) return reader.end();
    if (Status read = reader.add(as_text(BytesView(buffer).first(*count))); !read) return read;
  }
  return {};
}

Result<Line> connect(const Endpoint& server, const Clock& clock, Duration patience,
                     std::optional<TimePoint> last) {
  const auto addresses = addresses_of(server.socket);
  if (!addresses) return addresses.error();
  Line line{{}, nullptr, clock, patience, last};
  const TimePoint deadline = line.deadline_now();
  auto fd = connect_within(*addresses, {}, deadline, clock);
  if (!fd) return fd.error();
  line.fd = *std::move(fd);
  if (server.tls) {
    auto tls = TlsClient::connect(line.fd.get(), server, deadline, clock);
    if (!tls) return tls.error();
    line.tls = *std::move(tls);
  }
  return line;
}

}  // namespace

Result<HttpReply> http_call(const Endpoint& server, const HttpCall& call, const Clock& clock,
                            Duration patience, const HttpTaker& take) {
  const auto line = connect(server, clock, patience, call.deadline);
  if (!line) return line.error().in(server.name());
  const Status sent = line->send(as_bytes(request_text(server, call)));
  HttpReplyReader reader(take);
  // A server that refuses a body answers and closes before it has read all of it.
  const Status read = read_reply(*line, reader);
  if (!reader.complete() && !sent) return broken_off(sent.error()).in(server.name());
  if (!read) return read.error().in(server.name());
  return reader.reply();
}

}  // namespace shingled::milter::http
