#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/result.h"
#include "milter/http/http_message.h"

namespace shingled::milter::http {

/// Gets the body of a reply, piece by piece. An error ends the reading.
using HttpTaker = std::function<Status(std::string_view)>;

/// Reads a reply of HTTP/1.1 while it comes in: with a length, in chunks, or up to the end of the
/// connection. The body of a reply with status 200 goes to `take`; any other body is short and is
/// kept in the reply.
/// Threads: one thread. Pure.
/// Source:  RFC 9112 sections 6 and 7.
class HttpReplyReader {
 public:
  static constexpr std::size_t kHeadBytesMax = 64UL * 1024;
  static constexpr std::size_t kErrorBytesMax = 64UL * 1024;  ///< of a body that is kept

  explicit HttpReplyReader(HttpTaker take) : take_(std::move(take)) {}

  /// The next bytes of the connection; what follows the reply is not read.
  /// Errors: kCorrupt (not HTTP, or a head that is too long), those of `take`.
  Status add(std::string_view bytes);
  /// The connection has ended.
  /// Errors: kCorrupt if the reply is not complete.
  Status end();

  /// The reply is complete: nothing more belongs to it.
  [[nodiscard]] bool complete() const { return place_ == Place::kDone; }
  /// Valid when it is complete; without the bytes that went to `take`.
  [[nodiscard]] const HttpReply& reply() const { return reply_; }

 private:
  enum class Place : std::uint8_t {
    kHead,
    kBody,       ///< `left_` bytes of it
    kBodyToEnd,  ///< up to the end of the connection
    kChunkSize,
    kChunk,     ///< `left_` bytes of it
    kChunkEnd,  ///< the line end after it
    kTrailer,
    kDone
  };

  Status read_head(std::string_view head);
  Status read_field(std::string_view line);
  /// Takes as many bytes of the body as belong to this place.
  Status take_body(std::string_view& bytes);
  Status deliver(std::string_view piece);
  /// Handles a line of chunked coding.
  Status read_line(std::string_view line);

  HttpTaker take_;
  HttpReply reply_;
  Place place_ = Place::kHead;
  std::string line_;  ///< head or line that is not complete yet
  std::uint64_t left_ = 0;
  bool chunked_ = false;
  bool has_length_ = false;
};

}  // namespace shingled::milter::http
