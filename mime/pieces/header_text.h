#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "mime/model/mail.h"

namespace shingled::mime {

// Small forms of header fields. None of them fails: a field without what is asked for gives an
// empty text.
// Threads: stateless.
// Cost:    linear.

/// Without blanks at the ends; each run of blanks and line breaks is one space.
std::string single_spaced(std::string_view text);

/// With each ASCII digit as 0: numbers of versions and messages vary.
std::string with_zero_digits(std::string_view text);

/// The program that X-Mailer or User-Agent names: single_spaced(), with_zero_digits().
std::string normal_mailer(std::string_view value);

/// The right side of a Message-ID, in the form of ascii_host().
std::string message_id_domain(std::string_view value);

/// The identifier of a List-Id in lower case, without the phrase before it (RFC 2919).
std::string list_id(std::string_view value);

/// The names of the fields below the last Received as written, joined by colons: the hand of the
/// sending program. Servers on the way add theirs above. The first kOrderedNamesMax names.
std::string header_order(std::span<const HeaderField> fields);

/// The names of those fields that programs which write mail set, as written and in their order,
/// joined by colons. Unlike header_order() it does not depend on what servers and filters add.
std::string header_names(std::span<const HeaderField> fields);

inline constexpr std::size_t kOrderedNamesMax = 64;

/// The rest of a longer subject is not read.
inline constexpr std::size_t kSubjectBytesMax = 1024;

/// The subject that a thread, and a wave of spam, has in common: folded by fold_letters() (lower
/// case, digits as 0, look-alikes as the Latin letter), each run of blanks one space, without
/// "Re:", "Fwd:" and their like in the common languages and without the tags of lists, "[list]", in
/// front.
///
/// Input:   decoded, UTF-8.
/// Output:  empty only if nothing else is there; a lone "Re:" stays. The form of a form is itself.
/// Threads: any; a table is made at the first call.
/// Cost:    linear.
std::string normal_subject(std::string_view subject);

/// Whether a subject begins with "Re:", "Fwd:" or their like, after the tags of lists.
bool has_answer_mark(std::string_view subject);

/// A display name as a reader sees it: folded by fold_letters(), each run of blanks one space.
std::string normal_display_name(std::string_view name);

}  // namespace shingled::mime
