#pragma once

#include <map>
#include <string>

#include "config/base/result.h"
#include "mime/fingerprint/fingerprint.h"

namespace shingled::milter::api {

/// Parses the arguments of a request for `/matches`:
///
///   digest=128 hexadecimal digits   shingles=32 decimal numbers with commas (optional)
///
/// Errors: kInvalid. The text says what is wrong, without anything of the request.
Result<Fingerprint> parse_match_question(const std::map<std::string, std::string>& arguments);
/// The arguments for a fingerprint: "digest=...&shingles=...".
std::string match_question(const Fingerprint& fingerprint);

}  // namespace shingled::milter::api
