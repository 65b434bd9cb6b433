#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shingled::mime {

/// A field of another message's header, as mail programs show it above the text that they quote.
enum class ShownField : std::uint8_t { kNone, kFrom, kDate, kTo, kSubject };

/// Which field a line shows: "From: A", "*Von:* A", "De : A", "Отправлено: ...". The line is not
/// folded. Names of the main languages of Europe, and of Chinese, Japanese and Korean.
/// Threads: any; a table is made at the first call.
/// Cost:    its first 64 bytes are folded, if they have a colon.
ShownField shown_field(std::string_view line);

/// Whether another message follows below: begins_other_message() in more languages, and of more
/// programs. The robust form does not know these: they would change it for some texts.
/// `folded`: see fold_letters(), trimmed.
/// Threads: any; a table is made at the first call.
bool announces_message(std::string_view folded);

/// Whether a line may stand between a text and what it quotes: it ends with a colon and has a digit
/// or an address, in any language. `line`: trimmed, not folded.
bool may_be_attribution(std::string_view line);

/// Whether its reader sees that a line is quoted: it begins with ">", after a few blanks.
bool is_marked(std::string_view line);

inline constexpr std::size_t kQuoteLineBytesMax = 300;  ///< longer ones are text

}  // namespace shingled::mime
