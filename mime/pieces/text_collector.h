#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/options/counter_options.h"
#include "mime/analysis_parts.h"
#include "mime/analyze.h"
#include "mime/model/work_meter.h"
#include "mime/pieces/piece_list.h"

namespace shingled::mime {

/// Collects what the texts of a message name (text_pieces.h), and phrases of its body (phrases.h),
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
  /// All of them must outlive it.
  TextCollector(const Analysis& analysis, const PieceOptions& options, WorkMeter& meter)
      : parts_(analysis.parts()), options_(options), meter_(meter), pieces_(options) {}

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
};

}  // namespace shingled::mime
