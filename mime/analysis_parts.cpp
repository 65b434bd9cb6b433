#include "mime/analysis_parts.h"

#include <utility>

#include "mime/calendar/calendar_text.h"
#include "mime/charset/charset.h"

namespace shingled::mime {
namespace {

constexpr Steps kStepsADecodedByte = 3;     // to check whether it is UTF-8
constexpr Steps kStepsAConvertedByte = 10;  // if it is not

/// Plain text in a multipart with two children has an HTML alternative (HASHING.md section 9).
UrlMode url_mode(const Mail& mail, const MailPart& part, bool html) {
  const bool one_of_two = part.parent && mail.parts[*part.parent].children == 2;
  return html || one_of_two ? UrlMode::kStrict : UrlMode::kFull;
}

/// What a card shows takes the place of HTML: its links are elements.
HtmlText card_to_text(std::string_view utf8, const HtmlLimits& limits, Compat compat,
                      WorkMeter& meter, Views views) {
  CalendarText calendar = read_calendar(utf8, meter);
  HtmlText text;
  if (!calendar.html.empty()) text = html_to_text(calendar.html, limits, compat, meter, views);
  text.links.clear();
  text.content.insert(0, calendar.text);
  if (text.seen) text.seen->insert(0, calendar.text);
  const bool is_cut = text.content.size() > limits.text_bytes_max;
  if (is_cut) text.content.resize(limits.text_bytes_max);
  for (std::string& link : calendar.links) {
    text.elements.push_back({.name = "a", .css_class = {}, .url = std::move(link)});
  }
  text.truncated = text.truncated || calendar.truncated || is_cut;
  return text;
}

}  // namespace

void read_content(const Analysis::Parts& parts, std::size_t part, WorkMeter& meter,
                  TextStages& text, Views views) {
  const MailPart& mail_part = parts.mail.parts[part];
  if (!meter.spend(mail_part.body.size(), kStepsADecodedByte)) return;
  // Plain text is read up to its limit; what HTML or a card shows may lie anywhere in it.
  const bool html = parts.contents[part].kind == ContentKind::kHtml;
  const bool card = parts.contents[part].card != CardKind::kNone;
  const std::size_t bytes_max =
      html || card ? parts.options.part_bytes_max : parts.options.text_bytes_max;
  DecodedText decoded =
      decode_text(mail_part.body, mail_part.type.charset, bytes_max + 1, text.converted, meter);
  if (!meter.spend(text.converted.size(), kStepsAConvertedByte)) return;
  text.charset = std::move(decoded.charset);
  text.raw = decoded.raw;
  text.content = decoded.utf8;
  if (html || card) {
    const HtmlLimits limits{.input_bytes_max = parts.options.part_bytes_max,
                            .text_bytes_max = parts.options.text_bytes_max,
                            .elements_max = parts.options.html_tags_max};
    const auto read = card ? card_to_text : html_to_text;
    text.html = read(decoded.utf8, limits, parts.options.compat, meter, views);
    text.content = text.html.content;
  }
  text.complete = !meter.refused();
}

void read_text(const Analysis::Parts& parts, std::size_t part, WorkMeter& meter, TextStages& text,
               Views views) {
  read_content(parts, part, meter, text, views);
  if (!text.complete) return;
  text.complete = false;
  const bool html = parts.contents[part].kind == ContentKind::kHtml;
  text.words = make_words({.content = text.content,
                           .form = html ? TextForm::kHtml : TextForm::kPlain,
                           .bytes = text.raw ? TextBytes::kRaw : TextBytes::kUtf8,
                           .urls = url_mode(parts.mail, parts.mail.parts[part], html),
                           .links = text.html.links},
                          parts.options, meter);
  text.complete = !meter.refused();
}

}  // namespace shingled::mime
