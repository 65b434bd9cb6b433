#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "config/base/byte_reader.h"
#include "config/base/clock.h"
#include "config/base/result.h"
#include "milter/http/endpoint.h"

namespace shingled::milter::http {

/// The client's side of a TLS connection over a socket: the peer must have a certificate for its
/// host that one of the trusted ones has signed, or, of an own service, that very certificate.
/// Threads: one thread; waits.
/// Source:  GnuTLS; this is its only client.
class TlsClient {
 public:
  /// `fd` is connected to the server and does not block; it must outlive this.
  /// Errors:  kDenied (the certificate: the text says what is wrong with it), kInvalid (`ca_file`),
  ///          kTimeout, kUnavailable.
  static Result<std::unique_ptr<TlsClient>> connect(int fd, const Endpoint& server,
                                                    TimePoint deadline, const Clock& clock);
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;
  TlsClient(TlsClient&&) = delete;
  TlsClient& operator=(TlsClient&&) = delete;

  Status send_all(BytesView bytes, TimePoint deadline, const Clock& clock);
  /// Waits for bytes; 0 at the end.
  Result<std::size_t> receive(std::span<std::uint8_t> into, TimePoint deadline, const Clock& clock);

 private:
  struct Session;
  explicit TlsClient(std::unique_ptr<Session> session);
  std::unique_ptr<Session> session_;
};

}  // namespace shingled::milter::http
