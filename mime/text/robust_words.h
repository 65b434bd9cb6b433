#pragma once

#include <cstddef>
#include <string_view>

#include "mime/fingerprint/word_list.h"
#include "mime/text/oneline.h"

namespace shingled::mime {

inline constexpr std::size_t kRobustTextBytesMax = 1024UL * 1024;  ///< the rest is not read
inline constexpr std::size_t kRobustWordsMax = 1024;               ///< the rest is not kept
inline constexpr std::size_t kRobustTellingWordsMin = 16;
inline constexpr std::size_t kRobustOwnWordsMin = 24;
inline constexpr std::size_t kRobustCommonWordsMax = 64;  ///< counted

/// A text without what spammers vary from copy to copy.
struct RobustText {
  WordList words;
  /// Different words of four letters and more, counted up to kRobustTellingWordsMin. Short words
  /// are mostly those every text has, in any language.
  std::size_t telling_words = 0;
  /// Such words by whether others write them, too (common_words.h), counted up to
  /// kRobustOwnWordsMin and kRobustCommonWordsMax.
  std::size_t own_words = 0;
  std::size_t common_words = 0;
  bool cut = false;  ///< boiler-plate was left out

  /// A text that says too little is not worth a fingerprint: others say it, too.
  [[nodiscard]] bool is_telling() const { return telling_words >= kRobustTellingWordsMin; }

  /// Many senders write such a text: few of its words are its own, or little was left of the
  /// `text_words` it had. What looks like it need not be the same message.
  [[nodiscard]] bool is_common(std::size_t text_words) const;
};

/// The words of a text in the normal form of the robust fingerprint. What is removed:
///
/// - differences of letters: see fold_letters()
/// - links, host names and mail addresses, whole
/// - words with a digit; words of more than 40 bytes
/// - the distance between letters: three and more single letters in a row are one word
/// - boiler-plate: the greeting at the beginning, quoted lines (`>`) and who wrote them, a message
///   that is answered or forwarded below (quotes.h), the signature behind `-- `, the paragraph
///   behind a ruled line (list footers, advertisements of providers); a fixed list of words that
///   unsubscribe notices, disclaimers and imprints are made of, in eight languages; and whole
///   paragraphs of which every fifth word is one of these
///
/// Words are what stands between all that: letters and apostrophes. Scripts without spaces (CJK,
/// Thai, ...) give overlapping pairs of letters. A paragraph is a line of HTML's visible text; in
/// plain text it ends at an empty line.
///
/// Input:   the visible text, UTF-8, with its line breaks.
/// Errors:  none; beyond the bounds above a text is cut.
/// Threads: stateless.
/// Cost: O(content). The form is stored in databases: a change that concerns most texts must change
/// kRobustForm (robust_shingles.h). What is cut from a few more texts need not: only they are no
/// longer found.
RobustText robust_words(std::string_view content, TextForm form);

}  // namespace shingled::mime
