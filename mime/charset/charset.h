#pragma once

#include <string>
#include <string_view>

#include "mime/model/work_meter.h"

namespace shingled::mime {

// The only door to ICU's converters (HASHING.md section 6).
// Threads: any; converters are kept per thread, at most kConvertersMax of them.

inline constexpr std::size_t kConvertersMax = 16;

// Costs beside those of the bytes, which whoever calls pays: to open a converter, whether or not
// this thread has it open, and to guess a charset.
inline constexpr Steps kStepsAConverter = 1'500;
inline constexpr Steps kStepsAGuess = 7'000;
inline constexpr Steps kStepsAGuessedByte = 500;

/// A body as UTF-8: a view of the input where it is UTF-8 already, else of `storage`.
struct DecodedText {
  std::string_view utf8;
  std::string charset;  ///< what it was taken for: "utf-8", the label or a guess
  bool raw = false;     ///< nothing is known of it but that it contains ASCII: the bytes as sent
};

bool is_valid_utf8(std::string_view bytes);

/// ServerSelection a text body into UTF-8. A known charset is believed, even if the bytes are valid
/// UTF-8. For none, an unknown one, ASCII or UTF-8 valid UTF-8 is kept and anything else is guessed
/// (see charset_guess.h). What is UTF-8 but for a few bytes stays as it is; where the guess saw
/// ASCII only, each stray byte becomes "?" under the label ASCII or UTF-8, and without one the text
/// is raw.
///
/// Input:   any bytes, any label.
/// Output: see DecodedText; invalid input of a converter becomes
///          U+FFFD or, in some charsets, U+001A.
/// A conversion ends behind `utf8_bytes_max` bytes.
/// Errors:  none; of what `meter` refuses the bytes stay as they are, raw.
/// Cost: one pass, no copy for UTF-8.
DecodedText decode_text(std::string_view bytes, std::string_view label, std::size_t utf8_bytes_max,
                        std::string& storage, WorkMeter& meter);

/// The same for encoded words of a header, where rspamd does not guess: what should be UTF-8 or
/// ASCII gets a "?" for each byte that is not; of an unknown charset only UTF-8 is kept.
/// Empty if `meter` refuses.
std::string decode_word(std::string_view bytes, std::string_view label, WorkMeter& meter);

/// Valid UTF-8 stays, each byte that is part of none becomes U+FFFD.
std::string replace_invalid_utf8(std::string_view bytes);

}  // namespace shingled::mime
