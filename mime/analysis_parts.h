#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/mime_options.h"
#include "mime/analyze.h"
#include "mime/html/html_to_text.h"
#include "mime/message/header_block.h"
#include "mime/message/part_kind.h"
#include "mime/model/mail.h"
#include "mime/model/work_meter.h"
#include "mime/text/quotes.h"
#include "mime/text/robust_words.h"
#include "mime/text/text_words.h"

namespace shingled::mime {

/// The inside of an Analysis, for code that looks at the parts themselves. `contents[i]` belongs to
/// `mail.parts[i]`.
struct Analysis::Parts {
  MimeOptions options;
  HeaderBlock header;  ///< of the message
  Mail mail;
  std::string subject;  ///< decoded; may be empty
  std::vector<PartContent> contents;
  std::vector<std::uint32_t> body;  ///< indices of the parts of the visible body
  std::vector<bool> of_others;      ///< by part: another message says it (part_roles.h)
  Answer answer = Answer::kNo;      ///< whether the message answers another
  Steps work_left = 0;              ///< for texts and hashes
  bool incomplete = false;          ///< a limit was reached, so parts may be missing
  std::stop_token stop;

  [[nodiscard]] bool is_text(std::size_t part) const {
    const ContentKind kind = contents[part].kind;
    return kind == ContentKind::kText || kind == ContentKind::kHtml;
  }
  /// Whether read_text() reads it: texts, and calendars and contacts, which have no compatible
  /// hashes.
  [[nodiscard]] bool is_readable(std::size_t part) const {
    return is_text(part) || contents[part].card != CardKind::kNone;
  }
};

/// The stages of a text part on its way to words. The members are views of each other, so the
/// object cannot be moved.
struct TextStages {
  std::string charset;       ///< the charset the body was read in
  bool raw = false;          ///< the charset is unknown
  std::string converted;     ///< the body as UTF-8, unless it was UTF-8 already
  HtmlText html;             ///< of an HTML part; of a card its text and links
  std::string_view content;  ///< the text rspamd hashes: in one of the above or in the message
  TextWords words;
  bool complete = false;  ///< false: the meter refused the work, and there are no words

  TextStages() = default;
  ~TextStages() = default;
  TextStages(const TextStages&) = delete;
  TextStages& operator=(const TextStages&) = delete;
  TextStages(TextStages&&) = delete;
  TextStages& operator=(TextStages&&) = delete;

  /// The text that a reader sees, which is for everything that rspamd does not have.
  [[nodiscard]] std::string_view seen() const { return html.seen ? *html.seen : content; }

  /// What the text says without what it quotes, if that is a quote (Quotes::hold()).
  struct Own {
    std::string text;    ///< of seen()
    std::string quoted;  ///< the rest of it, without marks
    std::string hidden;  ///< of html.hidden
    std::vector<HtmlElement> elements;
    bool is_less = false;  ///< fewer words than are quoted
  };
  /// nullopt: it quotes nothing, or the quote is the body, or only the view of rspamd was read.
  std::optional<Own> without_quotes;

  /// What the text says itself, for everything that rspamd does not have.
  [[nodiscard]] std::string_view own() const {
    return without_quotes ? std::string_view(without_quotes->text) : seen();
  }
  [[nodiscard]] std::string_view own_hidden() const {
    return without_quotes ? without_quotes->hidden : html.hidden;
  }
  [[nodiscard]] const std::vector<HtmlElement>& own_elements() const {
    return without_quotes ? without_quotes->elements : html.elements;
  }
  /// Whether most of its words are quoted.
  [[nodiscard]] bool is_mostly_quoted() const { return without_quotes && without_quotes->is_less; }

  /// The robust words of `own()`, read at the first call. `form`: that of the part.
  /// Threads: one.
  const RobustTexts& read_robust(TextForm form) const {
    if (!robust_) robust_ = robust_texts(own(), form);
    return *robust_;
  }
  /// nullptr if nobody has read them.
  [[nodiscard]] const RobustTexts* robust() const { return robust_ ? &*robust_ : nullptr; }

 private:
  mutable std::optional<RobustTexts> robust_;
};

/// Reads part `part`, a text or card: charset, HTML, words. `text` must be new.
///
/// Errors:  none; what exceeds a limit is left out.
/// Threads: stateless.
/// Cost:    linear in the body, paid to `meter`; memory for a few times its bytes.
void read_text(const Analysis::Parts& parts, std::size_t part, WorkMeter& meter, TextStages& text,
               Views views = Views::kRspamdAndBrowser);

/// The first half of read_text(): only the text that a reader sees.
void read_content(const Analysis::Parts& parts, std::size_t part, WorkMeter& meter,
                  TextStages& text, Views views = Views::kRspamdAndBrowser);

}  // namespace shingled::mime
