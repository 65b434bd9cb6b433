#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/counter_options.h"
#include "mime/analysis_parts.h"
#include "mime/analyze.h"
#include "mime/fingerprint/fingerprint.h"
#include "mime/model/work_meter.h"
#include "mime/pieces/piece_list.h"
#include "mime/pieces/text_pieces.h"

namespace shingled::mime {

inline constexpr std::size_t kPhraseWords = 8;
inline constexpr std::size_t kPhraseWordsDense = 16;  ///< of a script without spaces, in pairs
inline constexpr std::size_t kPhrasesMax = 8;         ///< of a text, of each sort
inline constexpr std::size_t kNoticeWordsOfPhrase = 2;
inline constexpr std::size_t kShortTextWordsMin = 3;
inline constexpr std::size_t kShortTextBytesMin = 16;

/// What the phrases of a text say.
struct Phrases {
  std::vector<std::string> own;      ///< fewer than kNoticeWordsOfPhrase words are is_boilerplate()
  std::vector<std::string> notices;  ///< how to unsubscribe, and the like: services write them, too
};

/// Some of the phrases of a text: runs of kPhraseWords words, of kPhraseWordsDense if they begin
/// with a letter of a script without spaces. Those with the smallest hashes are taken, wherever
/// they stand. So two texts that share a part have some of them in common, whatever is around it:
/// if half of the phrases are the same, one of eight is with 99.6 %.
///
/// Input:   words in the normal form of robust_words(), with notices.
/// Output:  at most kPhrasesMax of each sort, their words separated by spaces; none of a shorter
///          text.
/// Threads: stateless.
/// Cost:    a hash of about 50 bytes for each word.
Phrases sample_phrases(const WordList& words);

/// A text that is too short for a phrase, as a whole, its words separated by spaces. Empty if it is
/// longer, or has fewer than kShortTextWordsMin words or kShortTextBytesMin bytes: people write
/// "thank you", too.
/// Threads: stateless.
std::string short_text(const WordList& words);

/// Collects what the texts of a message name (text_pieces.h), and phrases of its body,
/// as an observer of hash_message(), so that no text is read twice, or by reading them itself.
///
/// Only what the message says itself (TextStages::own()): no texts of other messages that it
/// forwards or returns, and of what it quotes a few phrases, as pieces of their own type.
///
/// Errors:  none; texts beyond `texts_max` and what `meter` refuses is left out, and the list notes
///          it.
/// Threads: one.
/// Cost:    linear in the texts, paid to `meter`.
class TextCollector {
 public:
  /// All of them must outlive it. `searched`: with kLinks no phrases are taken, and it does not
  /// know quotes().
  TextCollector(const Analysis& analysis, const PieceOptions& options, WorkMeter& meter,
                Searched searched = Searched::kAll)
      : parts_(analysis.parts()),
        options_(options),
        meter_(meter),
        pieces_(options),
        searched_(searched) {}

  /// A text that has been read.
  void add(std::size_t part, const TextStages& text);
  /// Reads and adds all texts, those of the body first.
  /// Cost:    reads them as for a hash (read_content()).
  void add_all();
  /// Whether a text of the body quotes another message (TextStages::without_quotes).
  [[nodiscard]] bool quotes() const { return quotes_; }
  [[nodiscard]] const PieceList& pieces() const { return pieces_; }
  /// To take the pieces out of it.
  [[nodiscard]] PieceList& pieces() { return pieces_; }

 private:
  [[nodiscard]] bool has_room() const { return count_ < options_.texts_max; }
  void read(std::size_t part);
  void add_phrases(const TextStages& text, bool html);
  void add_hidden(std::string_view hidden);
  void add_quoted(std::string_view quoted, bool html);

  const Analysis::Parts& parts_;
  const PieceOptions& options_;
  WorkMeter& meter_;
  PieceList pieces_;
  std::uint32_t count_ = 0;  ///< texts so far
  bool quotes_ = false;
  const Searched searched_;
};

}  // namespace shingled::mime
