#include "mime/text/stop_words.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "mime/text/ascii.h"
#include "mime/text/embedded_data.h"
#include "mime/text/utf8.h"

namespace shingled::mime {

namespace {

constexpr std::uint32_t kCountBeyondDoubt = 80;
constexpr int kPiecesMax = 3;              ///< "that'll": pieces of a stop word between apostrophes
constexpr std::size_t kWordBytesMax = 64;  ///< longer than any stop word

/// Word -> index in kStopLanguages; no word is in two lists.
using StopTable = std::unordered_map<std::string_view, std::size_t>;

StopTable load_table() {
  StopTable table;
  for (std::size_t i = 0; i < kStopLanguages.size(); ++i) {
    std::string_view rest = embedded_file(std::string(kStopLanguages[i].code) + ".stop");
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      if (end > 0) table.emplace(rest.substr(0, end), i);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return table;
}

const StopTable& stop_table() {
  static const StopTable kTable = load_table();
  return kTable;
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

class StopCounter {
 public:
  StopCounter(std::string_view text, Alphabet alphabet, Compat compat)
      : text_(text), alphabet_(alphabet), compat_(compat) {}

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
    const auto found = stop_table().find(lower_);
    if (found == stop_table().end()) return;
    const auto& [entry, language] = *found;
    if (kStopLanguages[language].alphabet != alphabet_) return;
    if (compat_ == Compat::kRspamd4 && !seen_.insert(entry.data()).second) return;
    if (++counts_[language] > kCountBeyondDoubt) beyond_doubt_ = true;
  }

  std::string_view text_;
  Alphabet alphabet_;
  Compat compat_;
  StopCounts counts_{};
  std::unordered_set<const char*> seen_;  ///< words counted already, by their place in the table
  std::string lower_;
  bool beyond_doubt_ = false;
};

}  // namespace

StopCounts count_stop_words(std::string_view text, Alphabet alphabet, Compat compat) {
  return StopCounter(text, alphabet, compat).count();
}

}  // namespace shingled::mime
