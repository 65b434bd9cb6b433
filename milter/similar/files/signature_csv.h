#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "config/system/unique_fd.h"
#include "mime/fingerprint/spamsum.h"

namespace shingled::milter::similar {

/// A line of ssdeep's CSV: a name and its signature.
struct SignatureRow {
  fingerprint::Spamsum signature;
  std::string name;
};

// ssdeep 2.14 writes `signature,"name"` below a headline. In a name only a quotation mark gets a
// backslash before it; a backslash stays as it is, also at the end. Reading gives back the same
// name, with one exception that the format cannot hold: a line feed in a name ends the line
// (ssdeep's own `-m` then fails). We write it as `\x0a`, four characters.

inline constexpr std::string_view kSignatureHeadline = "ssdeep,1.1--blocksize:hash:hash,filename";

/// Whether a file with this beginning is a list of signatures: the headline of any version 1.
bool begins_signature_list(std::string_view beginning);
/// This many bytes are enough for that.
inline constexpr std::size_t kHeadlineSeen = 9;

/// `signature,"name"` without a line end.
std::string signature_line(const fingerprint::Spamsum& signature, std::string_view name);

/// A line without its line end; a carriage return at its end is ignored. A line without a comma has
/// no name.
/// Errors: kInvalid with the reason.
Result<SignatureRow> parse_signature_line(std::string_view line);

/// Reads all rows of a list of which `beginning` was already read; `take` returns false to stop.
/// Invalid lines go to `refuse`; empty lines are skipped.
///
/// Errors: kUnavailable with the system's reason, kLimit for a line of more than kSignatureLineMax
/// bytes, kTimeout after Ctrl-C.
/// Memory: one line.
Status read_signature_list(const UniqueFd& fd, std::string beginning,
                           const std::function<bool(SignatureRow)>& take,
                           const std::function<void(std::uint64_t line, const Error&)>& refuse);
inline constexpr std::size_t kSignatureLineMax = std::size_t{64} << 10;

}  // namespace shingled::milter::similar
