#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mime/fingerprint/fingerprint.h"
#include "mime/text/oneline.h"

namespace shingled::mime {

inline constexpr std::size_t kRobustTextBytesMax = 1024UL * 1024;  ///< the rest is not read
inline constexpr std::size_t kRobustWordsMax = 1024;               ///< the rest is not kept
inline constexpr std::size_t kRobustTellingWordsMin = 16;
inline constexpr std::size_t kRobustOwnWordsMin = 24;
inline constexpr std::size_t kRobustCommonWordsMax = 64;  ///< counted

/// A text without the parts that spammers vary from copy to copy.
struct RobustText {
  WordList words;
  /// Different words of four letters and more, counted up to kRobustTellingWordsMin. Short words
  /// are mostly the same in all texts of a language.
  std::size_t telling_words = 0;
  /// Such words that are not is_common(), and those that are, counted up to kRobustOwnWordsMin and
  /// kRobustCommonWordsMax.
  std::size_t own_words = 0;
  std::size_t common_words = 0;
  bool cut = false;  ///< boilerplate was left out

  /// Whether the text says enough for a fingerprint. Others write short texts, too.
  [[nodiscard]] bool is_telling() const { return telling_words >= kRobustTellingWordsMin; }

  /// Whether many senders write such a text: few of its words are its own, or few of its
  /// `text_words` are left. A similar text need not be the same message.
  [[nodiscard]] bool is_common(std::size_t text_words) const;
};

/// Whether the words and paragraphs of notices are in the list. The other parts of a text that are
/// no message of its sender are always left out: quotations, signature, footer of a list. With
/// kKept nothing is counted: only `words` is set.
enum class Notices : std::uint8_t { kRemoved, kKept };

/// The words of a text in the normal form of the robust fingerprint. It removes:
///
/// - differences of letters: see fold_letters()
/// - links, host names and mail addresses, whole
/// - words with a digit; words of more than 40 bytes
/// - spaces between letters: three or more single letters in a row become one word
/// - boilerplate: the greeting at the beginning, quoted lines (`>`) and who wrote them, an
///   answered or forwarded message below (begins_other_message()), the signature after `-- `, the
///   paragraph after a ruled line in the last 25 lines of a text, with at least as much text above
///   as below (list footers, advertisements of providers); a fixed list of
///   words that unsubscribe notices, disclaimers and imprints are made of, in eight languages; and
///   whole paragraphs of which every fifth word is one of these
///
/// The rest are words of letters and apostrophes. Scripts without spaces (CJK,
/// Thai, ...) give overlapping pairs of letters. A paragraph is a line of HTML's visible text; in
/// plain text it ends at an empty line.
///
/// Input:   the visible text, UTF-8, with its line breaks.
/// Errors:  none; the text is cut at the limits above.
/// Threads: stateless.
/// Cost:    O(content).
///
/// Databases hold fingerprints of this form: a change that affects most texts must also change
/// kRobustForm (shingles.h). After a change that affects only a few texts, these are no
/// longer found.
RobustText robust_words(std::string_view content, TextForm form,
                        Notices notices = Notices::kRemoved);

/// A text in both forms.
struct RobustTexts {
  RobustText own;         ///< without notices
  WordList with_notices;  ///< the words of the other
};
/// The same as robust_words() twice, but reads the text once.
RobustTexts robust_texts(std::string_view content, TextForm form);

}  // namespace shingled::mime
