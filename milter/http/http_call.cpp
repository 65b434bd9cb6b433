#include "milter/http/http_call.h"

#include <poll.h>

#include <array>
#include <vector>

#include "config/base/byte_reader.h"
#include "config/system/byte_transfer.h"
#include "config/system/connect_socket.h"
#include "config/system/unique_fd.h"
#include "config/system/unix_address.h"

namespace shingled::milter::http {

namespace {

std::string request_text(const HttpCall& call) {
  const bool post = call.method == HttpMethod::kPost;
  std::string text = (post ? "POST " : "GET ") + call.target + " HTTP/1.1\r\nHost: localhost\r\n" +
                     kDirectHeader + ": 1\r\nConnection: close\r\n";
  if (post) {
    text += "Content-Type: " + call.type +
            "\r\nContent-Length: " + std::to_string(call.body.size()) + "\r\n";
  }
  return text + "\r\n" + call.body;
}

/// The server may have done what was asked, so this is not as if there were no connection.
Error broken_off(Error error) {
  if (error.code == ErrorCode::kUnavailable) error.code = ErrorCode::kInvalid;
  return error;
}

Status read_reply(int fd, const Clock& clock, Duration patience, HttpReplyReader& reader) {
  std::vector<std::uint8_t> buffer(65'536);
  while (!reader.complete()) {
    const auto count = receive_some(fd, buffer);
    if (!count) return broken_off(count.error());
    if (!*count) {
      if (Status ready = wait_for(fd, POLLIN, clock.now() + patience, clock); !ready)
        return broken_off(ready.error());
    } else if (**count == 0) {
      return reader.end();
    } else if (Status read = reader.add(as_text(BytesView(buffer).first(**count))); !read) {
      return read;
    }
  }
  return {};
}

}  // namespace

Result<HttpReply> http_call(const SocketSpec& server, const HttpCall& call, const Clock& clock,
                            Duration patience, const HttpTaker& take) {
  const auto addresses = addresses_of(server);
  if (!addresses) return addresses.error();
  const auto fd = connect_within(*addresses, {}, clock.now() + patience, clock);
  if (!fd) return fd.error().in(server.to_string());
  const Status sent =
      send_all(fd->get(), as_bytes(request_text(call)), clock.now() + patience, clock);
  HttpReplyReader reader(take);
  // A server that refuses a body answers and closes before it has read all of it.
  const Status read = read_reply(fd->get(), clock, patience, reader);
  if (!reader.complete() && !sent) return broken_off(sent.error()).in(server.to_string());
  if (!read) return read.error().in(server.to_string());
  return reader.reply();
}

}  // namespace shingled::milter::http
