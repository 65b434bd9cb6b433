#include "mime/pieces/text_collector.h"

#include <algorithm>
#include <string>
#include <vector>

#include "mime/pieces/phrases.h"
#include "mime/pieces/text_pieces.h"
#include "mime/text/robust_words.h"

namespace shingled::mime {

namespace {

constexpr Steps kStepsARobustByte = 15;  // as for the robust hash

}  // namespace

void TextCollector::add(std::size_t part, const TextStages& text) {
  if (parts_.of_others[part]) return;
  if (!has_room()) return pieces_.note_dropped();
  ++count_;
  const bool html = parts_.contents[part].kind == ContentKind::kHtml;
  add_text_pieces({.content = text.own(),
                   .form = html ? TextForm::kHtml : TextForm::kPlain,
                   .elements = text.own_elements()},
                  parts_.options.compat, options_, meter_, pieces_);
  if (!std::binary_search(parts_.body.begin(), parts_.body.end(), part)) return;
  quotes_ = quotes_ || text.without_quotes;
  add_phrases(text, html);
}

void TextCollector::add_phrases(const TextStages& text, bool html) {
  const std::size_t bytes = std::min(text.own().size(), kRobustTextBytesMax);
  if (!meter_.spend(bytes, kStepsARobustByte)) return pieces_.note_dropped();
  const WordList& words = text.read_robust(html ? TextForm::kHtml : TextForm::kPlain).with_notices;
  const Phrases phrases = sample_phrases(words);
  for (const std::string& own : phrases.own) pieces_.add(PieceType::kPhrase, own);
  for (const std::string& notice : phrases.notices) pieces_.add(PieceType::kNotice, notice);
  pieces_.add(PieceType::kShortText, short_text(words));
  if (html) add_hidden(text.own_hidden());
  if (text.without_quotes) add_quoted(text.without_quotes->quoted, html);
}

void TextCollector::add_quoted(std::string_view quoted, bool html) {
  quoted = quoted.substr(0, kRobustTextBytesMax);
  if (!meter_.spend(quoted.size(), kStepsARobustByte)) return pieces_.note_dropped();
  const TextForm form = html ? TextForm::kHtml : TextForm::kPlain;
  const std::vector<std::string> phrases =
      sample_phrases(robust_words(quoted, form, Notices::kKept).words).own;
  for (std::size_t i = 0; i < std::min<std::size_t>(phrases.size(), kQuotedPhrasesOfTextMax); ++i) {
    pieces_.add(PieceType::kQuotedPhrase, phrases[i]);
  }
}

void TextCollector::add_hidden(std::string_view hidden) {
  if (hidden.empty()) return;
  if (!meter_.spend(hidden.size(), kStepsARobustByte)) return pieces_.note_dropped();
  const RobustText robust = robust_words(hidden, TextForm::kHtml, Notices::kKept);
  for (const std::string& phrase : sample_phrases(robust.words).own) {
    pieces_.add(PieceType::kHiddenPhrase, phrase);
  }
}

void TextCollector::add_all() {
  for (const std::uint32_t part : parts_.body) read(part);
  for (std::size_t i = 0; i < parts_.mail.parts.size(); ++i) {
    const bool body = std::binary_search(parts_.body.begin(), parts_.body.end(), i);
    if (!body && parts_.is_readable(i)) read(i);
  }
}

void TextCollector::read(std::size_t part) {
  if (parts_.of_others[part]) return;
  if (!has_room() || meter_.refused()) return pieces_.note_dropped();
  TextStages text;
  read_content(parts_, part, meter_, text);
  if (!text.complete) return pieces_.note_dropped();
  add(part, text);
}

}  // namespace shingled::mime
