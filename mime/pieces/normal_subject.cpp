#include "mime/pieces/normal_subject.h"

#include "config/base/ascii.h"
#include "mime/pieces/clipped.h"
#include "mime/pieces/header_text.h"
#include "mime/words/letter_fold.h"

namespace shingled::mime {

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
