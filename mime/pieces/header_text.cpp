#include "mime/pieces/header_text.h"

#include <algorithm>
#include <array>

#include "config/base/ascii.h"
#include "mime/charset/utf8.h"
#include "mime/message/header_block.h"
#include "mime/url/host_name.h"
#include "mime/words/letter_fold.h"

namespace shingled::mime {

namespace {

/// The text between the first "<" and the ">" after it, or all of it.
std::string_view in_angles(std::string_view text) {
  const std::size_t begin = text.find('<');
  if (begin == std::string_view::npos) return text;
  text.remove_prefix(begin + 1);
  return text.substr(0, text.find('>'));
}

/// Fields that programs which write mail set, and servers on the way hardly ever do.
bool is_of_writer(std::string_view name) {
  static constexpr auto kNames = std::to_array<std::string_view>({"bcc",
                                                                  "cc",
                                                                  "content-disposition",
                                                                  "content-language",
                                                                  "content-transfer-encoding",
                                                                  "content-type",
                                                                  "date",
                                                                  "errors-to",
                                                                  "feedback-id",
                                                                  "from",
                                                                  "importance",
                                                                  "in-reply-to",
                                                                  "list-unsubscribe",
                                                                  "message-id",
                                                                  "mime-version",
                                                                  "organization",
                                                                  "precedence",
                                                                  "references",
                                                                  "reply-to",
                                                                  "sender",
                                                                  "subject",
                                                                  "thread-index",
                                                                  "thread-topic",
                                                                  "to",
                                                                  "user-agent",
                                                                  "x-mailer",
                                                                  "x-mimeole",
                                                                  "x-msmail-priority",
                                                                  "x-priority"});
  return std::ranges::any_of(
      kNames, [&](std::string_view known) { return ascii::equal_ignoring_case(name, known); });
}

}  // namespace

std::string single_spaced(std::string_view text) {
  std::string out;
  for (const char c : ascii::trim_space(text)) {
    if (!ascii::is_space(c)) {
      out += c;
    } else if (!out.ends_with(' ')) {
      out += ' ';
    }
  }
  return out;
}

std::string with_zero_digits(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = ascii::is_digit(c) ? '0' : c;
  return out;
}

std::string normal_mailer(std::string_view value) { return with_zero_digits(single_spaced(value)); }

std::string message_id_domain(std::string_view value) {
  const std::string id = single_spaced(unfold(value));
  const std::string_view inside = in_angles(id);
  const std::size_t at = inside.rfind('@');
  if (at == std::string_view::npos) return {};
  const std::string_view domain = ascii::trim_space(inside.substr(at + 1));
  return ascii_host(domain.substr(0, domain.find(' ')));
}

std::string list_id(std::string_view value) {
  const std::string text = single_spaced(unfold(value));
  return ascii::to_lower(ascii::trim_space(in_angles(text)));
}

std::string header_names(std::span<const HeaderField> fields) {
  std::string out;
  std::size_t count = 0;
  for (const HeaderField& field : fields) {
    if (!is_of_writer(field.name)) continue;
    if (count++ == kOrderedNamesMax) break;
    if (!out.empty()) out += ':';
    out += field.name;
  }
  return out;
}

std::string header_order(std::span<const HeaderField> fields) {
  for (std::size_t i = fields.size(); i > 0; --i) {
    if (!ascii::equal_ignoring_case(fields[i - 1].name, "Received")) continue;
    fields = fields.subspan(i);
    break;
  }
  std::string out;
  for (const HeaderField& field : fields.first(std::min(fields.size(), kOrderedNamesMax))) {
    if (!out.empty()) out += ':';
    out += field.name;
  }
  return out;
}

namespace {

/// What mail programs put before the subject of an answer or of a forwarded message.
const FoldedWords& answer_marks() {
  static const FoldedWords words(
      "re fw fwd forward forwarded "  // English
      "aw antw antwort wg "           // German
      "antw doorst dst "              // Dutch
      "sv vs vb vl "                  // Swedish, Danish, Norwegian, Finnish
      "r\u00E9 tr ref "               // French
      "rv res enc resp "              // Spanish, Portuguese
      "r i rif inoltro "              // Italian
      "odp pd "                       // Polish
      "vb\u00E1 tov\u00E1bb tov "     // Hungarian
      "odg fyi "                      // Croatian
      "ynt ilt yan "                  // Turkish
      "atb p\u0101rs "                // Latvian
      "bls hal trs "                  // Indonesian, Malay
      "\u03B1\u03C0 \u03C3\u03C7\u03B5\u03C4 \u03C0\u03C1\u03B8 "  // Greek
      "\u043E\u0442\u0432 \u043E\u0442\u0432\u0435\u0442 \u043F\u0435\u0440\u0435\u0441\u043B "
      "\u043D\u0430 \u043E\u0442\u043D \u0432\u0456\u0434\u043F "  // Russian and others
      "\u05D4\u05E9\u05D1 \u05D4\u05D5\u05E2\u05D1\u05E8 "         // Hebrew
      "\u0631\u062F \u0625\u0639\u0627\u062F\u0629 "               // Arabic
      "\u56DE\u590D \u56DE\u8986 \u7B54\u590D \u7B54\u8986 "       // Chinese: answer
      "\u8F6C\u53D1 \u8F49\u5BC4 \u8F49\u767C "                    // Chinese: forward
      "\u8FD4\u4FE1 \u8EE2\u9001 \u56DE\u5FA9 "                    // Japanese
      "\uB2F5\uC7A5 \uD68C\uC2E0 \uC804\uB2EC");                   // Korean
  return words;
}

constexpr std::size_t kMarkBytesMax = 32;
constexpr std::size_t kTagBytesMax = 64;

std::string_view without_blank(std::string_view text) {
  if (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

/// The rest after "re:", "re[0]:", "re(0):", "re^0:", "re 00 :"; the same text if it begins
/// otherwise.
std::string_view without_mark(std::string_view text) {
  const std::size_t colon = text.substr(0, kMarkBytesMax).find(':');
  if (colon == std::string_view::npos) return text;
  std::string_view mark = text.substr(0, colon);
  constexpr ascii::CharSet kCount("0[]()^* ");
  while (!mark.empty() && kCount.has(mark.back())) mark.remove_suffix(1);
  return answer_marks().has(mark) ? without_blank(text.substr(colon + 1)) : text;
}

std::string_view without_list_tag(std::string_view text) {
  if (!text.starts_with('[')) return text;
  const std::size_t end = text.substr(0, kTagBytesMax).find(']');
  return end == std::string_view::npos ? text : without_blank(text.substr(end + 1));
}

std::string folded(std::string_view text) {
  std::string out;
  fold_letters(clipped(text, kSubjectBytesMax), out);
  out = single_spaced(out);
  out.resize(clipped(out, kSubjectBytesMax).size());
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

}  // namespace

std::string normal_subject(std::string_view subject) {
  const std::string all = folded(subject);
  std::string_view rest = all;
  const auto take = [&rest](std::string_view shorter) {
    if (shorter.empty() || shorter.size() == rest.size()) return false;
    rest = shorter;
    return true;
  };
  while (take(without_mark(rest)) || take(without_list_tag(rest))) {
  }
  return std::string(rest);
}

bool has_answer_mark(std::string_view subject) {
  const std::string all = folded(subject);
  std::string_view rest = all;
  for (;;) {
    if (without_mark(rest).size() < rest.size()) return true;
    const std::string_view shorter = without_list_tag(rest);
    if (shorter.size() == rest.size()) return false;
    rest = shorter;
  }
}

std::string normal_display_name(std::string_view name) { return folded(name); }

}  // namespace shingled::mime
