#include "mime/analysis_parts.h"

#include <span>
#include <utility>

#include "mime/calendar/calendar_text.h"
#include "mime/charset/charset.h"

namespace shingled::mime {
namespace {

constexpr Steps kStepsADecodedByte = 3;     // to check whether it is UTF-8
constexpr Steps kStepsAConvertedByte = 10;  // if it is not
constexpr Steps kStepsAQuoteByte = 10;      // to find what is quoted, and count the words

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
  text.quotes = {};  // a card quotes nothing
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

/// The hidden text that is not quoted: neither by an element, nor amid quoted text.
std::string own_hidden_of(const HtmlText& html, std::span<const TextSpan> quoted) {
  std::string out;
  const std::vector<HiddenRun>& runs = html.quotes.hidden;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::size_t end = i + 1 < runs.size() ? runs[i + 1].begin : html.hidden.size();
    if (runs[i].quoted || (runs[i].place > 0 && lies_in(quoted, runs[i].place))) continue;
    out += std::string_view(html.hidden).substr(runs[i].begin, end - runs[i].begin);
  }
  return out;
}

/// Elements that are not quoted, and the base of links.
std::vector<HtmlElement> own_elements_of(const HtmlText& html, std::span<const TextSpan> quoted) {
  std::vector<HtmlElement> out;
  const HtmlQuotes& quotes = html.quotes;
  for (std::size_t i = 0; i < html.elements.size(); ++i) {
    const bool known = i < quotes.places.size() && html.elements[i].name != "base";
    if (known && (quotes.elements[i] || lies_in(quoted, quotes.places[i]))) continue;
    out.push_back(html.elements[i]);
  }
  return out;
}

/// Whether there is work for it. Without it the quote is the body; the hashes need not go without.
bool may_read_quotes(std::string_view text, WorkMeter& meter) {
  return meter.left() / kStepsAQuoteByte >= text.size() &&
         meter.spend(text.size(), kStepsAQuoteByte);
}

/// The quotes of a plain text with so much HTML in it that rspamd takes it for HTML, such as a
/// bounce with the source of a message. Mail programs show it as it is.
void read_plain_quotes(std::string_view plain, Answer answer, WorkMeter& meter, TextStages& text) {
  if (!may_read_quotes(plain, meter)) return;
  const Quotes quotes = find_quotes(plain);
  if (!quotes.hold(answer)) return;
  text.without_quotes = {.text = without_spans(plain, quotes.spans),
                         .quoted = quoted_text(plain, quotes.spans),
                         .hidden = {},
                         .elements = {},
                         .is_less = quotes.own_words < quotes.quoted_words};
}

void read_quotes(Answer answer, WorkMeter& meter, TextStages& text) {
  const std::string_view seen = text.seen();
  if (!may_read_quotes(seen, meter)) return;
  Quotes quotes = find_quotes(seen, text.html.quotes.spans);
  quotes.sourced = quotes.sourced || text.html.quotes.sourced;
  if (!quotes.hold(answer)) return;
  text.without_quotes = {.text = without_spans(seen, quotes.spans),
                         .quoted = quoted_text(seen, quotes.spans),
                         .hidden = own_hidden_of(text.html, quotes.spans),
                         .elements = own_elements_of(text.html, quotes.spans),
                         .is_less = quotes.own_words < quotes.quoted_words};
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
  if (views == Views::kRspamdAndBrowser && !text.raw && !card) {
    if (html && mail_part.type.subtype == "plain")
      read_plain_quotes(decoded.utf8, parts.answer, meter, text);
    if (!text.without_quotes) read_quotes(parts.answer, meter, text);
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
