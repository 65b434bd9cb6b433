#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mime/analyze.h"
#include "mime/html/html_to_text.h"
#include "mime/message/mail.h"
#include "mime/message/part_kind.h"
#include "mime/text/text_words.h"

namespace shingled::mime {

/// What became of the body of a text part on its way to words.
struct TextStages {
  std::string charset;       ///< what the body was taken for
  std::string converted;     ///< the body as UTF-8, where that is not the body itself
  HtmlText html;             ///< of an HTML part
  std::string_view content;  ///< the text a reader sees: in one of the above or in the message
  TextWords words;
};

/// The inside of an Analysis, for what prints its stages. Parallel lists: `contents[i]` and
/// `texts[i]` belong to `mail.parts[i]`; `texts[i]` of what is no text is empty.
struct Analysis::Parts {
  Mail mail;
  std::string subject;  ///< decoded; empty if there is none
  std::vector<PartContent> contents;
  std::vector<TextStages> texts;
  Compat compat = Compat::kRspamd4;
};

}  // namespace shingled::mime
