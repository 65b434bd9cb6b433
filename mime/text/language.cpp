#include "mime/text/language.h"

#include <algorithm>

#include "mime/text/script.h"
#include "mime/text/stop_words.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kTokensForStatistics = 10;
constexpr std::uint32_t kStopWordsMin = 4;           ///< fewer say nothing
constexpr std::uint32_t kVotesMin = 3;               ///< fewer leave English
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

/// The language whose list is used up most; empty if none is used enough.
std::string_view language_by_stop_words(const StopCounts& counts) {
  bool diacritics = false;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] >= kStopWordsMin && kStopLanguages[i].diacritics) diacritics = true;
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

/// Our answer where rspamd votes by trigrams: for Latin text the language with the most different
/// stop words, shared ones included; English where none has more.
std::string_view vote(std::string_view text, const ScriptGuess& script) {
  if (!script.mostly_latin) return commonest_language(alphabet_of(script));
  const StopCounts counts = count_shared_stop_words(text);
  const auto best = std::max_element(counts.begin(), counts.end());  // the first one: en leads
  if (*best < kVotesMin) return commonest_language(Alphabet::kLatin);
  return kStopLanguages[static_cast<std::size_t>(best - counts.begin())].code;
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
    case LanguageBy::kVote:
      return "vote";
    case LanguageBy::kNone:
      break;
  }
  return "none";
}

Language detect_language(std::string_view text, std::size_t tokens, Compat compat) {
  if (tokens == 0) return {};
  const ScriptGuess script = guess_script(text);
  if (!script.language.empty()) return {.code = script.language, .by = LanguageBy::kScript};

  const Alphabet alphabet = alphabet_of(script);
  const StopCounts counts = count_stop_words(text, alphabet, compat);
  if (const std::string_view code = language_by_stop_words(counts); !code.empty()) {
    return {.code = code, .by = LanguageBy::kStopWords};
  }
  if (tokens < kTokensForStatistics) {
    return {.code = commonest_language(alphabet), .by = LanguageBy::kShort};
  }
  return {.code = vote(text, script), .by = LanguageBy::kVote};
}

}  // namespace shingled::mime
