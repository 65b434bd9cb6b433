#include "mime/text/stop_words.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

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
constexpr int kPiecesMax = 3;              ///< "that'll": pieces of a stop word between apostrophes
constexpr std::size_t kWordBytesMax = 64;  ///< longer than any stop word

using LanguageSet = std::bitset<kStopLanguages.size()>;

/// Word -> the languages that have it.
using StopTable = std::unordered_map<std::string_view, LanguageSet>;

/// Takes the first line, or up to the first space, off `text`.
std::string_view take_until(char end, std::string_view& text) {
  const std::size_t size = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return taken;
}

StopTable load_own_words() {
  StopTable table;
  for (std::size_t i = 0; i < kStopLanguages.size(); ++i) {
    std::string_view rest = embedded_file(std::string(kStopLanguages[i].code) + ".stop");
    while (!rest.empty()) table[take_until('\n', rest)].set(i);
  }
  return table;
}

/// Lines of a word and its languages, on top of the words languages have for themselves.
StopTable load_all_words() {
  StopTable table = load_own_words();
  std::string_view rest = embedded_file("shared.words");
  while (!rest.empty()) {
    std::string_view line = take_until('\n', rest);
    LanguageSet& languages = table[take_until(' ', line)];
    while (!line.empty()) {
      const std::string_view code = take_until(' ', line);
      for (std::size_t i = 0; i < kStopLanguages.size(); ++i) {
        if (kStopLanguages[i].code == code) languages.set(i);
      }
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

bool is_edge(char c) { return c == ' ' || ascii::is_punct(c); }

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
    append_utf8(out, u_tolower(code));
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
      const std::size_t end = piece_end(at);
      look_up_from(at, end);
      at = end;
    }
    return counts_;
  }

 private:
  [[nodiscard]] std::size_t piece_end(std::size_t at) const {
    while (at < text_.size() && !is_edge(text_[at])) ++at;
    return at;
  }

  /// Looks up the piece, and with the pieces that apostrophes tie to it.
  void look_up_from(std::size_t begin, std::size_t end) {
    for (int pieces = 1;; ++pieces) {
      if (end - begin <= kWordBytesMax) look_up(text_.substr(begin, end - begin));
      const bool tied = pieces < kPiecesMax && end + 1 < text_.size() && text_[end] == '\'' &&
                        !is_edge(text_[end + 1]);
      if (!tied) return;
      end = piece_end(end + 1);
    }
  }

  void look_up(std::string_view word) {
    lower_into(word, lower_);
    const auto found = table_.find(lower_);
    if (found == table_.end()) return;
    const LanguageSet languages = found->second & wanted_;
    if (languages.none()) return;
    if (repeats_ == Repeats::kCountOnce && !seen_.insert(found->first.data()).second) return;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (languages[i] && ++counts_[i] > kCountBeyondDoubt) beyond_doubt_ = true;
    }
  }

  std::string_view text_;
  const StopTable& table_;
  LanguageSet wanted_;
  Repeats repeats_;
  StopCounts counts_{};
  std::unordered_set<const char*> seen_;  ///< words counted already, by their place in the table
  std::string lower_;
  bool beyond_doubt_ = false;
};

}  // namespace

StopCounts count_stop_words(std::string_view text, Alphabet alphabet, Compat compat) {
  static const StopTable own_words = load_own_words();
  const Repeats repeats = compat == Compat::kRspamd4 ? Repeats::kCountOnce : Repeats::kCountAll;
  return StopCounter(text, own_words, alphabet, repeats).count();
}

StopCounts count_shared_stop_words(std::string_view text) {
  static const StopTable all_words = load_all_words();
  return StopCounter(text, all_words, Alphabet::kLatin, Repeats::kCountOnce).count();
}

}  // namespace shingled::mime
