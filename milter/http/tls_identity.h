#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "config/base/result.h"

namespace shingled::milter::http {

/// Files of a server's certificate, PEM: the certificate with those that signed it, and its key.
struct TlsFiles {
  std::string certificate;  ///< empty: no TLS
  std::string key;          ///< empty: in the file of the certificate

  [[nodiscard]] bool enabled() const { return !certificate.empty(); }
  friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

/// The certificate that a server shows, for GnuTLS.
/// Threads: immutable.
class TlsIdentity {
 public:
  /// Errors: kNotFound, kDenied, kInvalid (no certificate, no key, or a key of another
  ///         certificate); each names the file.
  static Result<std::shared_ptr<const TlsIdentity>> read(const TlsFiles& files);
  ~TlsIdentity();
  TlsIdentity(const TlsIdentity&) = delete;
  TlsIdentity& operator=(const TlsIdentity&) = delete;
  TlsIdentity(TlsIdentity&&) = delete;
  TlsIdentity& operator=(TlsIdentity&&) = delete;

  /// Seconds since 1970 at which it ends.
  [[nodiscard]] std::int64_t expires() const;

  /// The one that handshakes of this process use from now on. The library asks without an argument,
  /// so there is one for all servers. Those before are kept: a handshake may still use them.
  static void use(std::shared_ptr<const TlsIdentity> identity);
  /// A function for MHD_OPTION_HTTPS_CERT_CALLBACK.
  static void* callback();

  struct Parts;

 private:
  explicit TlsIdentity(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace shingled::milter::http
