#include "mime/language/language.h"

#include <algorithm>
#include <vector>

#include "mime/language/script.h"
#include "mime/language/stop_words.h"
#include "mime/language/trigram_vote.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kTokensForStatistics = 10;
constexpr std::uint32_t kStopWordsMin = 4;           ///< fewer say nothing
constexpr std::uint32_t kEnglishStopWordsSure = 10;  ///< beside a language with diacritics

Alphabet alphabet_of(const ScriptGuess& script) {
  if (script.cyrillic) return Alphabet::kCyrillic;
  if (script.devanagari) return Alphabet::kDevanagari;
  if (script.arabic) return Alphabet::kArabic;
  return Alphabet::kLatin;
}

std::string_view commonest_language(Alphabet alphabet) {
  switch (alphabet) {
    case Alphabet::kCyrillic:
      return "ru";
    case Alphabet::kDevanagari:
      return "hi";
    case Alphabet::kArabic:
      return "ar";
    case Alphabet::kLatin:
      break;
  }
  return "en";
}

/// The language with the largest share of its list in the text; empty if no share is large enough.
std::string_view language_by_stop_words(const StopCounts& counts) {
  bool diacritics = false;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0 && kStopLanguages[i].diacritics) diacritics = true;
  }
  std::string_view best;
  double best_share = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const StopLanguage& language = kStopLanguages[i];
    if (counts[i] < kStopWordsMin) continue;
    if (language.code == "en" && diacritics && counts[i] < kEnglishStopWordsSure) continue;
    const double share = static_cast<double>(counts[i]) / language.list_size;
    if (share > best_share) {
      best = language.code;
      best_share = share;
    }
  }
  return best;
}

/// The language of the trigrams; English if they do not decide.
std::string_view language_by_trigrams(std::string_view line, std::span<const Token> tokens,
                                      Alphabet alphabet, Compat compat, WorkMeter& meter) {
  std::vector<Token> drawn_from(tokens.begin(), tokens.end());
  if (compat == Compat::kRspamd4) {  // which keeps no decayed words
    std::erase_if(drawn_from, [](const Token& t) { return t.kind == TokenKind::kDecayed; });
  }
  const std::string_view code =
      elect_language(expect_trigram_shares(line, drawn_from, alphabet, meter));
  return code.empty() ? commonest_language(Alphabet::kLatin) : code;
}

}  // namespace

std::string_view to_string(LanguageBy by) {
  switch (by) {
    case LanguageBy::kScript:
      return "script";
    case LanguageBy::kStopWords:
      return "stop";
    case LanguageBy::kShort:
      return "short";
    case LanguageBy::kTrigrams:
      return "ngram";
    case LanguageBy::kNone:
      break;
  }
  return "none";
}

Language detect_language(std::string_view line, std::span<const Token> tokens, Compat compat,
                         WorkMeter& meter) {
  if (tokens.empty()) return {};
  const ScriptGuess script = guess_script(line);
  if (!script.language.empty()) return {.code = script.language, .by = LanguageBy::kScript};

  const Alphabet alphabet = alphabet_of(script);
  const StopCounts counts = count_stop_words(line, alphabet, compat);
  if (const std::string_view code = language_by_stop_words(counts); !code.empty()) {
    return {.code = code, .by = LanguageBy::kStopWords};
  }
  if (tokens.size() < kTokensForStatistics) {
    return {.code = commonest_language(alphabet), .by = LanguageBy::kShort};
  }
  return {.code = language_by_trigrams(line, tokens, alphabet, compat, meter),
          .by = LanguageBy::kTrigrams};
}

}  // namespace shingled::mime
