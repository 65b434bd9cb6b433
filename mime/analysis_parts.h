#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/mime_options.h"
#include "mime/analyze.h"
#include "mime/html/html_to_text.h"
#include "mime/message/part_kind.h"
#include "mime/model/mail.h"
#include "mime/model/work_meter.h"
#include "mime/text/text_words.h"

namespace shingled::mime {

/// The inside of an Analysis, for what looks at parts themselves. `contents[i]` belongs to
/// `mail.parts[i]`.
struct Analysis::Parts {
  MimeOptions options;
  Mail mail;
  std::string subject;  ///< decoded; empty if there is none
  std::vector<PartContent> contents;
  std::vector<std::uint32_t> body;  ///< the parts that are the visible body
  Steps work_left = 0;              ///< for texts and hashes
  bool incomplete = false;          ///< a bound was met, and parts may be missing
  std::stop_token stop;

  [[nodiscard]] bool is_text(std::size_t part) const {
    const ContentKind kind = contents[part].kind;
    return kind == ContentKind::kText || kind == ContentKind::kHtml;
  }
};

/// What became of the body of a text part on its way to words. Its members are views of each other,
/// so it stays where it is made.
struct TextStages {
  std::string charset;       ///< what the body was taken for
  bool raw = false;          ///< nothing is known of its charset
  std::string converted;     ///< the body as UTF-8, where that is not the body itself
  HtmlText html;             ///< of an HTML part
  std::string_view content;  ///< the text a reader sees: in one of the above or in the message
  TextWords words;
  bool complete = false;  ///< false: its work was refused, and it has no words

  TextStages() = default;
  ~TextStages() = default;
  TextStages(const TextStages&) = delete;
  TextStages& operator=(const TextStages&) = delete;
  TextStages(TextStages&&) = delete;
  TextStages& operator=(TextStages&&) = delete;
};

/// Reads text part `part`: charset, HTML, words. `text` is new.
///
/// Errors:  none; what lies beyond a bound is left out.
/// Threads: stateless.
/// Cost:    linear in the body, paid to `meter`; memory for a few times its bytes.
void read_text(const Analysis::Parts& parts, std::size_t part, WorkMeter& meter, TextStages& text);

/// The first of that: the text a reader sees, without its words.
void read_content(const Analysis::Parts& parts, std::size_t part, WorkMeter& meter,
                  TextStages& text);

}  // namespace shingled::mime
