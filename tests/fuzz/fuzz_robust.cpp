// Any bytes as a text for the robust fingerprint; the first byte chooses the form. Folding twice is
// the same as folding once, and the text becomes at most three times as long. Words are within
// their limits, and zero-width characters between letters change nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mime/fingerprint/shingles.h"
#include "mime/text/robust_words.h"
#include "mime/words/letter_fold.h"

namespace {

using namespace shingled;
using namespace shingled::mime;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_folding(std::string_view text) {
  std::string once;
  std::string twice;
  fold_letters(text, once);
  require(once.size() <= 3 * text.size());
  fold_letters(once, twice);
  require(once == twice);
}

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string with_hidden(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const bool inside = i + 1 < text.size() && is_ascii_letter(text[i + 1]);
    if (inside && is_ascii_letter(text[i])) out += "\u200B";
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const TextForm form = (data[0] & 1) != 0 ? TextForm::kHtml : TextForm::kPlain;
  check_folding(text);
  const RobustText robust = robust_words(text, form);
  require(robust.words.size() <= kRobustWordsMax);
  require(robust.telling_words <= kRobustTellingWordsMin);
  for (std::size_t i = 0; i < robust.words.size(); ++i) {
    require(!robust.words[i].empty() && robust.words[i].size() <= 40);
  }
  // The limit of bytes counts hidden bytes, too.
  if (4 * size < kRobustTextBytesMax) {
    require(robust_words(with_hidden(text), form).words == robust.words);
  }
  if (robust.words.empty()) return 0;
  const auto keys = fingerprint::derive_robust_keys({});
  require(fingerprint::robust_fingerprint(keys, robust.words).shingles.has_value());
  return 0;
}
