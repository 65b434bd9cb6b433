#pragma once

#include <string>
#include <string_view>

namespace shingled::milter::ratelimit {

/// A mailbox, in the form in which buckets distinguish mailboxes.
struct EnvelopeAddress {
  std::string local;   ///< lower case, without quotes; empty for the empty sender
  std::string domain;  ///< lower case, without a final dot; empty for a local name

  [[nodiscard]] bool is_empty() const { return local.empty() && domain.empty(); }
  /// "local@domain"; only "local" if there is no domain.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const EnvelopeAddress&, const EnvelopeAddress&) = default;
};

/// The mailbox of a path of MAIL or RCPT, as a milter gets it: "<@relay:User@Example.ORG>" is
/// user@example.org. Angle brackets, a source route, quotes around a local part and the case of
/// letters make no difference. RFC 5321 section 2.4 allows two mailboxes that differ only in case,
/// but nobody has them, and each spelling would get a new bucket. It has a result for every text,
/// of any length: make_bucket_key bounds it. Pure.
/// Cost: O(input).
EnvelopeAddress parse_envelope_address(std::string_view path);

/// The same mailbox without the marks that differ from message to message (mail_address.h: tags,
/// BATV, SRS, VERP), its domain in the form of DNS. Otherwise each mark would get a new bucket.
/// An address that has no such form stays as it is. Pure.
EnvelopeAddress normal_mailbox(const EnvelopeAddress& address);

/// A domain, or the domain of an address, in the form of DNS. Pure.
std::string in_dns(std::string_view name);

/// A login as limits and counters tell users apart: without blanks around it, in lower case, a
/// domain after '@' in the form of DNS. Pure.
std::string normal_login(std::string_view login);

/// Whether mail of this sender is a bounce: the local part is empty, postmaster, mailer-daemon,
/// null, fetchmail-daemon or mdaemon.
bool is_bounce_sender(const EnvelopeAddress& sender);

}  // namespace shingled::milter::ratelimit
