#pragma once

#include <string>
#include <string_view>

#include "mime/model/work_meter.h"

namespace shingled::mime {

// Converts text of any charset. The only user of ICU's converters (HASHING.md section 6).
// Threads: any; each thread keeps up to kConvertersMax converters.

inline constexpr std::size_t kConvertersMax = 16;

// Costs that decode_text() and decode_word() pay to the meter: for a converter, even if this thread
// has it open already, and for a guess. The caller pays for the bytes.
inline constexpr Steps kStepsAConverter = 1'500;
inline constexpr Steps kStepsAGuess = 7'000;
inline constexpr Steps kStepsAGuessedByte = 500;

/// The bytes of UTF-8 that become of a byte of another charset, at most.
inline constexpr std::size_t kUtf8BytesMax = 3;

/// A body as UTF-8: a view of the input if that is UTF-8 already, else of `storage`.
struct DecodedText {
  std::string_view utf8;
  std::string charset;  ///< "utf-8", the label or a guess
  bool raw = false;     ///< unknown charset with ASCII in it: the bytes as sent
};

bool is_valid_utf8(std::string_view bytes);

/// Turns a text body into UTF-8.
///
/// - The label of a known charset is believed, even if the bytes are valid UTF-8.
/// - Otherwise (no label, an unknown one, ASCII, UTF-8) the byte order mark of UTF-16 or UTF-32
///   decides, as in browsers; valid UTF-8 stays as it is, and for other bytes the charset is
///   guessed (charset_guess.h).
/// - UTF-8 with a few wrong bytes stays as it is.
/// - If the guess saw only ASCII, each other byte becomes "?" under the label ASCII or UTF-8;
///   without such a label the text is raw.
///
/// Input:   any bytes, any label.
/// Output:  see DecodedText. Bytes that a converter cannot read become U+FFFD or, in some charsets,
///          U+001A. A conversion stops once it has `utf8_bytes_max` bytes.
/// Errors:  none; if `meter` refuses, the bytes stay as they are, raw.
/// Cost:    one pass, no copy for UTF-8.
DecodedText decode_text(std::string_view bytes, std::string_view label, std::size_t utf8_bytes_max,
                        std::string& storage, WorkMeter& meter);

/// The same for an encoded word of a header, where rspamd does not guess: under the label UTF-8 or
/// ASCII each invalid byte becomes "?"; under an unknown label only valid UTF-8 is kept. Empty if
/// `meter` refuses.
std::string decode_word(std::string_view bytes, std::string_view label, WorkMeter& meter);

/// `bytes` with U+FFFD for each byte that is not part of valid UTF-8.
std::string replace_invalid_utf8(std::string_view bytes);

/// The converter for a label that no mail standard defines but senders use, as browsers and rspamd
/// read it: "x-gbk", "sjis", "euc-cn", "uhc". Labels that ICU knows by a standard name keep ICU's
/// meaning and are asked of it first, so that hashes stay rspamd's.
///
/// Input:   a label in lower case, without blanks around it.
/// Output:  a name that ICU opens; empty if the label is unknown. "x-user-defined" and
///          "replacement" are not there: they say nothing about the text, so it is guessed.
/// Errors:  none.
/// Threads: stateless.
/// Cost:    a binary search.
/// Source:  WHATWG Encoding Standard 4.2; the labels that rspamd adds.
std::string_view converter_of_label(std::string_view label);

}  // namespace shingled::mime
