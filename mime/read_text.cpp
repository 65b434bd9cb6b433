#include "mime/read_text.h"

#include <algorithm>
#include <utility>

#include "mime/message/charset.h"

namespace shingled::mime {
namespace {

// Steps a byte, of what costs most (tests/bench/worst_time.cpp).
constexpr Steps kStepsADecodedByte = 10;
constexpr Steps kStepsAnHtmlByte = 20;
constexpr Steps kStepsATextByte = 50;

/// Plain text in a multipart of two has an HTML sister that says the same (hashing.md section 9).
UrlMode url_mode(const Mail& mail, const MailPart& part, bool html) {
  const bool one_of_two = part.parent && mail.parts[*part.parent].children == 2;
  return html || one_of_two ? UrlMode::kStrict : UrlMode::kFull;
}

}  // namespace

void read_content(const Analysis::Parts& parts, std::size_t part, WorkMeter& meter,
                  TextStages& text) {
  const MailPart& mail_part = parts.mail.parts[part];
  if (!meter.spend(mail_part.body.size(), kStepsADecodedByte)) return;
  // Of plain text only so much is read; the visible text of HTML may lie anywhere in it.
  const bool html = parts.contents[part].kind == ContentKind::kHtml;
  const std::size_t bytes_max = html ? parts.options.part_bytes_max : parts.options.text_bytes_max;
  DecodedText decoded =
      decode_text(mail_part.body, mail_part.type.charset, bytes_max + 1, text.converted, meter);
  if (meter.refused()) return;
  text.charset = std::move(decoded.charset);
  text.raw = decoded.raw;
  text.content = decoded.utf8;
  if (html) {
    if (!meter.spend(decoded.utf8.size(), kStepsAnHtmlByte)) {
      text.content = {};
      return;
    }
    const HtmlLimits limits{.input_bytes_max = parts.options.part_bytes_max,
                            .text_bytes_max = parts.options.text_bytes_max,
                            .elements_max = parts.options.html_tags_max};
    text.html = html_to_text(decoded.utf8, limits, parts.options.compat);
    text.content = text.html.content;
  }
  text.complete = true;
}

void read_text(const Analysis::Parts& parts, std::size_t part, WorkMeter& meter, TextStages& text) {
  read_content(parts, part, meter, text);
  if (!text.complete) return;
  text.complete = false;
  const bool html = parts.contents[part].kind == ContentKind::kHtml;
  const std::size_t bytes =
      std::min<std::size_t>(text.content.size(), parts.options.text_bytes_max);
  if (!meter.spend(bytes, kStepsATextByte)) return;
  text.words = make_words({.content = text.content,
                           .form = html ? TextForm::kHtml : TextForm::kPlain,
                           .bytes = text.raw ? TextBytes::kRaw : TextBytes::kUtf8,
                           .urls = url_mode(parts.mail, parts.mail.parts[part], html),
                           .links = text.html.links},
                          parts.options);
  text.complete = true;
}

}  // namespace shingled::mime
