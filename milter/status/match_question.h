#pragma once

#include <map>
#include <string>

#include "config/base/result.h"
#include "mime/fingerprint/fingerprint.h"

namespace shingled::milter::status {

/// What `/matches` is asked, as arguments of its address:
///
///   digest=128 hexadecimal digits   shingles=32 decimal numbers with commas (not required)
///
/// Errors: kInvalid with what is wrong, showing nothing of what was sent.
Result<Fingerprint> parse_match_question(const std::map<std::string, std::string>& arguments);
/// The other way round: "digest=...&shingles=...".
std::string match_question(const Fingerprint& fingerprint);

}  // namespace shingled::milter::status
