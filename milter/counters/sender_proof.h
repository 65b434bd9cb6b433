#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/system/socket_address.h"
#include "mime/model/mail.h"
#include "mime/pieces/authentication_results.h"

namespace shingled::milter::counters {

/// What is believed of the fields Authentication-Results of the servers named in `authserv_ids`,
/// case ignored. A field of a stranger counts for nothing. The first server
/// of ours removes fields that pretend to be ours (RFC 8601 section 5); if it does not, they are
/// below ours:
///
/// - Below the Received of a stranger nothing is ours. Above it are those that our servers wrote
///   (is_own_hop with `local`) and the one of the server that took the message from a stranger.
/// - Filters of one server add a field each, for DKIM, SPF and DMARC. So the topmost field with a
///   method has its results; fields below it with that method are not believed. Nor is DMARC below
///   DKIM, as it is made of it and added later, nor anything below a field without a result.
///
/// Output:  at most kBelievedFieldsMax fields, with the results that are believed.
/// Threads: stateless.
std::vector<mime::AuthenticationResults> believed_results(std::span<const mime::HeaderField> fields,
                                                          std::span<const std::string> authserv_ids,
                                                          const std::vector<Network>& local);

inline constexpr std::size_t kBelievedFieldsMax = 16;

/// Whether one of the results proves that the owner of `domain`, the domain of From, sent or signed
/// the message: a DKIM signature that passed with header.d aligned, SPF that passed with
/// smtp.mailfrom aligned, or DMARC that passed with header.from aligned. Aligned is relaxed as in
/// RFC 7489 3.1: both have the same registrable domain. DMARC that failed for it says that none of
/// them proves it, whatever stands below.
/// Threads: any.
bool is_proved(std::span<const mime::AuthenticationResults> believed, std::string_view domain);

/// The domains of DKIM signatures that passed, each once, in their order.
/// Threads: any.
std::vector<std::string> signing_domains(std::span<const mime::AuthenticationResults> believed);

}  // namespace shingled::milter::counters
