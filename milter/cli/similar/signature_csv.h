#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "config/system/unique_fd.h"
#include "mime/fingerprint/spamsum.h"

namespace shingled::milter::cli {

/// A line of ssdeep's CSV: whose signature it is, and which.
struct SignatureRow {
  fingerprint::Spamsum signature;
  std::string name;
};

// ssdeep 2.14 writes `signature,"name"` below a headline. In a name a quotation mark has a
// backslash before it, and nothing else has: a backslash stands for itself, also at the end. What
// comes back is what was written, but for one thing it cannot write at all: a line feed in a name,
// which ends the line (its own `-m` then fails). We write `\x0a` there, four characters.

inline constexpr std::string_view kSignatureHeadline = "ssdeep,1.1--blocksize:hash:hash,filename";

/// Whether a file that begins so is a list of signatures: the headline of any version 1.
bool begins_signature_list(std::string_view beginning);
/// So many bytes are enough to see it.
inline constexpr std::size_t kHeadlineSeen = 9;

/// `signature,"name"` without a line end.
std::string signature_line(const fingerprint::Spamsum& signature, std::string_view name);

/// A line without its line end; a carriage return at its end does not count. A line without a comma
/// is one without a name.
/// Errors: kInvalid with the reason.
Result<SignatureRow> parse_signature_line(std::string_view line);

/// Reads all rows of a list of which `beginning` was read already; `take` returns false to stop.
/// Lines that are no rows go to `refuse`, empty ones to nobody.
///
/// Errors: kUnavailable with the system's reason, kLimit for a line of more than kSignatureLineMax
/// bytes, kTimeout after Ctrl-C.
/// Memory: one line.
Status read_signature_list(const UniqueFd& fd, std::string beginning,
                           const std::function<bool(SignatureRow)>& take,
                           const std::function<void(std::uint64_t line, const Error&)>& refuse);
inline constexpr std::size_t kSignatureLineMax = std::size_t{64} << 10;

}  // namespace shingled::milter::cli
