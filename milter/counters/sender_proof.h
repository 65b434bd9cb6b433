#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mime/model/mail.h"
#include "mime/pieces/authentication_results.h"

namespace shingled::milter::counters {

/// The fields Authentication-Results of the servers named in `authserv_ids`, case ignored. A field
/// of a stranger counts for nothing. The first server of ours removes fields that pretend to be
/// ours (RFC 8601 section 5); nothing in the message itself could tell them from ours.
///
/// Output:  the first kBelievedFieldsMax of them.
/// Threads: stateless.
std::vector<mime::AuthenticationResults> believed_results(
    std::span<const mime::HeaderField> fields, std::span<const std::string> authserv_ids);

inline constexpr std::size_t kBelievedFieldsMax = 16;

/// Whether one of the results proves that the owner of `domain`, the domain of From, sent or signed
/// the message: a DKIM signature that passed with header.d aligned, SPF that passed with
/// smtp.mailfrom aligned, or DMARC that passed with header.from aligned. Aligned is relaxed as in
/// RFC 7489 3.1: both have the same registrable domain.
/// Threads: any.
bool is_proved(std::span<const mime::AuthenticationResults> believed, std::string_view domain);

/// The domains of DKIM signatures that passed, each once, in their order.
/// Threads: any.
std::vector<std::string> signing_domains(std::span<const mime::AuthenticationResults> believed);

}  // namespace shingled::milter::counters
