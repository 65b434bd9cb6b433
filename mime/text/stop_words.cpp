#include "mime/text/stop_words.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "mime/ascii.h"
#include "mime/text/embedded_data.h"
#include "mime/text/utf8.h"

namespace shingled::mime {

namespace {

constexpr std::uint32_t kCountBeyondDoubt = 80;
constexpr std::size_t kWordBytesMax = 64;  ///< longer than any stop word

using LanguageSet = std::bitset<kStopLanguages.size()>;

struct StopEntry {
  LanguageSet languages;   ///< that have the word
  bool continues = false;  ///< a longer stop word goes on behind it: "that" for "that'll"
};

constexpr std::array<bool, 256> kEdges = [] {
  std::array<bool, 256> edges{};
  for (unsigned i = 0; i < edges.size(); ++i) {
    const char c = static_cast<char>(i);
    edges[i] = (ascii::is_space(c) && c != '\v') || ascii::is_punct(c);
  }
  return edges;
}();

constexpr bool is_edge(char c) { return kEdges[static_cast<unsigned char>(c)]; }

/// What is seen of a word at a glance: its ends and its length.
constexpr std::size_t kShapes = 1 << 14;
std::size_t shape_of(std::string_view word) {
  const std::size_t first = static_cast<unsigned char>(ascii::to_lower(word.front()));
  const std::size_t last = static_cast<unsigned char>(ascii::to_lower(word.back()));
  return (first << 7 ^ last ^ word.size() << 9) % kShapes;
}

struct StopTable {
  std::unordered_map<std::string_view, StopEntry> entries;
  std::bitset<kShapes> shapes;  ///< of them all: four of five other words need no look-up

  StopEntry& at(std::string_view word) {
    shapes.set(shape_of(word));
    return entries[word];
  }
  /// False for most words that are not there. Letters beyond ASCII may change their length when
  /// they are folded, so words with them are always to be looked up.
  [[nodiscard]] bool may_have(std::string_view word) const {
    return shapes.test(shape_of(word)) ||
           std::any_of(word.begin(), word.end(), [](char c) { return ascii::is_high(c); });
  }
};

/// The next edge from `at` on, or the end.
std::size_t next_edge(std::string_view text, std::size_t at) {
  while (at < text.size() && !is_edge(text[at])) ++at;
  return at;
}

void add_word(StopTable& table, std::string_view word, std::size_t language) {
  table.at(word).languages.set(language);
  for (std::size_t at = next_edge(word, 1); at < word.size(); at = next_edge(word, at + 1)) {
    table.at(word.substr(0, at)).continues = true;
  }
}

StopTable load_words() {
  StopTable table;
  for (std::size_t i = 0; i < kStopLanguages.size(); ++i) {
    std::string_view rest = embedded_file(std::string(kStopLanguages[i].code) + ".stop");
    while (!rest.empty()) {
      const std::size_t size = std::min(rest.find('\n'), rest.size());
      add_word(table, rest.substr(0, size), i);
      rest.remove_prefix(std::min(size + 1, rest.size()));
    }
  }
  return table;
}

LanguageSet languages_of(Alphabet alphabet) {
  LanguageSet languages;
  for (std::size_t i = 0; i < kStopLanguages.size(); ++i) {
    languages[i] = kStopLanguages[i].alphabet == alphabet;
  }
  return languages;
}

/// `word` in lower case, into a buffer that is kept.
void lower_into(std::string_view word, std::string& out) {
  out.clear();
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(word.data());
  for (std::int32_t at = 0; at < static_cast<std::int32_t>(word.size());) {
    const char c = word[static_cast<std::size_t>(at)];
    if (!ascii::is_high(c)) {
      out += ascii::to_lower(c);
      ++at;
      continue;
    }
    UChar32 code = 0;
    U8_NEXT(bytes, at, static_cast<std::int32_t>(word.size()), code);
    if (code < 0) continue;
    append_utf8(out, u_foldCase(code, U_FOLD_CASE_DEFAULT));
  }
}

enum class Repeats : std::uint8_t { kCountAll, kCountOnce };

class StopCounter {
 public:
  StopCounter(std::string_view text, const StopTable& table, Alphabet alphabet, Repeats repeats)
      : text_(text), table_(table), wanted_(languages_of(alphabet)), repeats_(repeats) {}

  StopCounts count() {
    std::size_t at = 0;
    while (at < text_.size() && !beyond_doubt_) {
      if (is_edge(text_[at])) {
        ++at;
        continue;
      }
      at = look_up_from(at);
    }
    return counts_;
  }

 private:
  /// Looks up the word that begins here, and longer ones as long as there can be one. Returns the
  /// end of the word.
  std::size_t look_up_from(std::size_t begin) {
    const std::size_t word_end = next_edge(text_, begin);
    std::size_t end = word_end;
    while (end - begin <= kWordBytesMax && look_up(text_.substr(begin, end - begin)) &&
           end < text_.size()) {
      end = next_edge(text_, end + 1);
    }
    return word_end;
  }

  /// Whether the word may go on.
  bool look_up(std::string_view word) {
    if (!table_.may_have(word)) return false;
    lower_into(word, lower_);
    const auto found = table_.entries.find(lower_);
    if (found == table_.entries.end()) return false;
    count(found->second);
    return found->second.continues;
  }

  void count(const StopEntry& word) {
    const LanguageSet languages = word.languages & wanted_;
    if (languages.none()) return;
    if (repeats_ == Repeats::kCountOnce && !seen_.insert(&word).second) return;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (languages[i] && ++counts_[i] > kCountBeyondDoubt) beyond_doubt_ = true;
    }
  }

  std::string_view text_;
  const StopTable& table_;
  LanguageSet wanted_;
  Repeats repeats_;
  StopCounts counts_{};
  std::unordered_set<const StopEntry*> seen_;  ///< words counted already
  std::string lower_;
  bool beyond_doubt_ = false;
};

}  // namespace

StopCounts count_stop_words(std::string_view text, Alphabet alphabet, Compat compat) {
  static const StopTable words = load_words();
  const Repeats repeats = compat == Compat::kRspamd4 ? Repeats::kCountOnce : Repeats::kCountAll;
  return StopCounter(text, words, alphabet, repeats).count();
}

}  // namespace shingled::mime
