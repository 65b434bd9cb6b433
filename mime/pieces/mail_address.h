#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// A mailbox of From, Reply-To and the like.
struct Mailbox {
  std::string name;     ///< display name, or the comment after a bare address; still encoded
  std::string address;  ///< as written, with its quotes; may be empty
  friend bool operator==(const Mailbox&, const Mailbox&) = default;
};

/// The mailboxes of an address field, the first `count_max` of them. Groups are taken apart.
///
/// Input:   the raw value, folded or not, possibly malformed.
/// Errors:  none; of several addresses in angle brackets in one mailbox the last one counts, as
///          most programs show it.
/// Threads: stateless.
/// Cost:    linear.
/// Source:  RFC 5322 3.4.
std::vector<Mailbox> read_mailboxes(std::string_view value, std::size_t count_max);

/// Longer addresses are not valid (RFC 5321 4.5.3.1 allows 64 and 255 bytes).
inline constexpr std::size_t kAddressBytesMax = 320;

/// A mailbox as the counters tell it apart: the same person or program has one of them.
struct NormalAddress {
  std::string local;
  std::string domain;  ///< in the form of DNS; empty for a local name

  /// "local@domain", or the local part alone.
  [[nodiscard]] std::string text() const { return domain.empty() ? local : local + '@' + domain; }
  friend bool operator==(const NormalAddress&, const NormalAddress&) = default;
};

/// The normal form of an address. It removes the marks that differ from message to message:
///
/// - case, quotes, control characters, the root's dot; the domain becomes ASCII (ascii_host())
/// - `+tag`
/// - BATV: `prvs=0123456789=user`, also `btv1==...==user` and `msprvs1=...=user`
/// - SRS: `SRS0=HASH=TT=example.org=user@forwarder` is user@example.org; SRS1 likewise
/// - VERP: `news-return-17-joe=example.net@example.org` is news-return@example.org
///
/// Input:   an address without angle brackets, UTF-8.
/// Errors:  nullopt without a local part, or if it is too long. The form of a form is itself.
/// Threads: stateless.
/// Cost:    a few passes over at most kAddressBytesMax bytes.
/// Source:  draft-levine-smtp-batv-01, www.libsrs2.org/srs/srs.pdf, cr.yp.to/proto/verp.txt.
std::optional<NormalAddress> normal_address(std::string_view address);

}  // namespace shingled::mime
