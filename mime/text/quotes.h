#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mime/charset/utf8.h"

namespace shingled::mime {

/// Whether the header of a message says that it answers another: In-Reply-To or References.
enum class Answer : std::uint8_t { kNo, kYes };

inline constexpr std::size_t kQuotesMax = 16'384;      ///< what comes after them is its own
inline constexpr std::size_t kOwnWordsOfStranger = 8;  ///< as many as a phrase has

/// What a text quotes.
struct Quotes {
  std::vector<TextSpan> spans;  ///< ascending, disjoint, not empty
  std::size_t own_words = 0;    ///< outside the spans, counted by count_words()
  std::size_t quoted_words = 0;
  /// The text says whose words they are: they are marked with ">", or a line names their author, or
  /// their header is shown.
  bool sourced = false;

  /// Whether the quotes are not what the message says. Otherwise somebody only dresses a text as
  /// a quote, and the quote is the body:
  ///
  ///   sourced, and the message answers            at least one word of its own
  ///   sourced, or the message answers             at least kOwnWordsOfStranger
  ///   neither                                     the same, and as many as are quoted
  ///
  /// Source: HASHING.md section 17.
  [[nodiscard]] bool hold(Answer answer) const;
};

/// Finds the quotes in a text.
///
/// - lines that begin with ">", and above them the line that names their author (of up to three
///   lines, which ends with a colon and has a digit or an address, in any language)
/// - the rest of a text after "-----Original Message-----", "Begin forwarded message:", "--- Below
///   this line is a copy of the message." (announces_message()), or from a header on: lines next to
///   each other that show the author and two more fields (shown_field()), one of them the subject
///   or with an address
/// - the rest of a text after "On Monday at 9:30 A wrote:", if nothing below is marked with ">"
///
/// Input:   UTF-8, as its reader sees it. `known`: spans that are quotes, as the elements of HTML
///          tell, ascending and disjoint; they are among the result, with the line above that names
///          the author.
/// Errors:  none. Lines of more than kQuoteLineBytesMax are text, marked or not.
/// Threads: stateless.
/// Cost:    one pass; short lines that may be one of the above are folded.
Quotes find_quotes(std::string_view text, std::span<const TextSpan> known = {});

/// `text` without the spans; a line break stands for each.
std::string without_spans(std::string_view text, std::span<const TextSpan> spans);

/// What the spans hold, each from a new line on, without ">" and blanks at the begin of lines.
std::string quoted_text(std::string_view text, std::span<const TextSpan> spans);

/// Whether `offset` lies in one of the spans.
/// Cost: O(log spans).
bool lies_in(std::span<const TextSpan> spans, std::size_t offset);

/// Words with a letter, between blanks; of scripts without spaces two letters are a word.
std::size_t count_words(std::string_view text);

}  // namespace shingled::mime
