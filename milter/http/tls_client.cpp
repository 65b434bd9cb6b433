#include "milter/http/tls_client.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <poll.h>

#include <string>
#include <utility>

#include "config/system/connect_socket.h"
#include "milter/http/host_check.h"

namespace shingled::milter::http {

struct TlsClient::Session {
  explicit Session(int socket) : fd(socket) {}
  ~Session() {
    if (tls != nullptr) {
      gnutls_bye(tls, GNUTLS_SHUT_WR);
      gnutls_deinit(tls);
    }
    if (trusted != nullptr) gnutls_certificate_free_credentials(trusted);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  Session(Session&&) = delete;
  Session& operator=(Session&&) = delete;

  /// Waits for what the library wants, if `code` says that it waits for the socket.
  [[nodiscard]] Status wait(int code, TimePoint deadline, const Clock& clock) const {
    if (code == GNUTLS_E_INTERRUPTED) return {};
    if (code != GNUTLS_E_AGAIN)
      return Error{ErrorCode::kUnavailable, std::string("TLS: ") + gnutls_strerror(code)};
    const short events = gnutls_record_get_direction(tls) != 0 ? POLLOUT : POLLIN;
    return wait_for(fd, events, deadline, clock);
  }

  int fd;
  gnutls_session_t tls = nullptr;
  gnutls_certificate_credentials_t trusted = nullptr;
};

namespace {

/// Why the peer's certificate is not accepted.
std::string reason_of(gnutls_session_t tls) {
  gnutls_datum_t text{};
  const unsigned status = gnutls_session_get_verify_cert_status(tls);
  if (gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) < 0)
    return "the certificate is not accepted";
  std::string out(reinterpret_cast<const char*>(text.data), text.size);
  gnutls_free(text.data);
  while (out.ends_with(' ') || out.ends_with('\0')) out.pop_back();
  return out;
}

}  // namespace

TlsClient::TlsClient(std::unique_ptr<Session> session) : session_(std::move(session)) {}
TlsClient::~TlsClient() = default;

Result<std::unique_ptr<TlsClient>> TlsClient::connect(int fd, const Endpoint& server,
                                                      TimePoint deadline, const Clock& clock) {
  const std::string& ca_file = server.ca_file;
  auto session = std::make_unique<Session>(fd);
  const Error no_memory{ErrorCode::kUnavailable, "TLS: no memory"};
  if (gnutls_certificate_allocate_credentials(&session->trusted) < 0) return no_memory;
  const int anchors = ca_file.empty() ? gnutls_certificate_set_x509_system_trust(session->trusted)
                                      : gnutls_certificate_set_x509_trust_file(
                                            session->trusted, ca_file.c_str(), GNUTLS_X509_FMT_PEM);
  if (!ca_file.empty() && anchors <= 0) {
    return Error{ErrorCode::kInvalid,
                 ca_file + ": " + (anchors < 0 ? gnutls_strerror(anchors) : "has no certificate")};
  }
  if (gnutls_init(&session->tls, GNUTLS_CLIENT | GNUTLS_NONBLOCK) < 0) return no_memory;
  gnutls_session_t tls = session->tls;
  gnutls_set_default_priority(tls);
  gnutls_credentials_set(tls, GNUTLS_CRD_CERTIFICATE, session->trusted);
  const std::string name(without_port(server.host));
  const bool is_address = IpAddress::parse(name).has_value();
  if (!is_address) gnutls_server_name_set(tls, GNUTLS_NAME_DNS, name.data(), name.size());
  // Of an own service the certificate is known: whom else it names, and until when, says nothing.
  if (server.own) {
    gnutls_session_set_verify_cert(tls, nullptr, GNUTLS_VERIFY_DISABLE_TIME_CHECKS);
  } else {
    gnutls_session_set_verify_cert(tls, name.c_str(), 0);
  }
  gnutls_transport_set_int(tls, fd);
  for (;;) {
    const int code = gnutls_handshake(tls);
    if (code == GNUTLS_E_SUCCESS) break;
    if (code == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR)
      return Error{ErrorCode::kDenied, "TLS: " + reason_of(tls)};
    if (code == GNUTLS_E_WARNING_ALERT_RECEIVED) continue;
    if (Status ready = session->wait(code, deadline, clock); !ready) return ready.error();
  }
  return std::unique_ptr<TlsClient>(new TlsClient(std::move(session)));
}

Status TlsClient::send_all(BytesView bytes, TimePoint deadline, const Clock& clock) {
  while (!bytes.empty()) {
    const ssize_t sent = gnutls_record_send(session_->tls, bytes.data(), bytes.size());
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (Status ready = session_->wait(static_cast<int>(sent), deadline, clock); !ready) {
      return ready;
    }
  }
  return {};
}

Result<std::size_t> TlsClient::receive(std::span<std::uint8_t> into, TimePoint deadline,
                                       const Clock& clock) {
  for (;;) {
    const ssize_t count = gnutls_record_recv(session_->tls, into.data(), into.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    // A peer that closes without a farewell: HTTP knows by itself whether something is missing.
    if (count == GNUTLS_E_PREMATURE_TERMINATION) return std::size_t{0};
    if (Status ready = session_->wait(static_cast<int>(count), deadline, clock); !ready)
      return ready.error();
  }
}

}  // namespace shingled::milter::http
