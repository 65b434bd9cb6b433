#pragma once

#include <string>
#include <string_view>

namespace shingled::milter::ratelimit {

/// A mailbox as buckets tell it apart.
struct EnvelopeAddress {
  std::string local;   ///< lower case, without quotes; empty for the empty sender
  std::string domain;  ///< lower case, without the root's dot; empty for a local name

  [[nodiscard]] bool is_empty() const { return local.empty() && domain.empty(); }
  /// "local@domain", or one of them alone.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const EnvelopeAddress&, const EnvelopeAddress&) = default;
};

/// The mailbox of a path of MAIL or RCPT as a milter gets it: "<@relay:User@Example.ORG>" is
/// user@example.org. Angle brackets, a source route, quotes around a local part and the case of
/// letters make no other mailbox: RFC 5321 section 2.4 would allow two that differ in case only,
/// but nobody has them, and each spelling would be a fresh bucket. Whatever it is, something comes
/// out; a reader of keys bounds its length.   Pure.
/// Cost: O(input).
EnvelopeAddress parse_envelope_address(std::string_view path);

/// Whether mail from it is a bounce: the empty sender, or the local part postmaster, mailer-daemon,
/// null, fetchmail-daemon or mdaemon.
bool is_bounce_sender(const EnvelopeAddress& sender);

}  // namespace shingled::milter::ratelimit
