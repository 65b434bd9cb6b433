#pragma once

#include <cstddef>
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

}  // namespace shingled::mime
