#include "mime/language/stop_words.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <vector>

#include "config/base/ascii.h"
#include "config/base/assert.h"
#include "mime/charset/utf8.h"

namespace shingled::mime {
namespace {

constexpr std::uint32_t kCountBeyondDoubt = 80;
constexpr std::size_t kTextWordBytesMax = 64;  ///< more than any spelling of a stop word

LanguageBits languages_of(Alphabet alphabet) {
  LanguageBits languages = 0;
  for (std::size_t i = 0; i < kStopLanguages.size(); ++i) {
    if (kStopLanguages[i].alphabet == alphabet) languages |= LanguageBits{1} << i;
  }
  return languages;
}

/// Writes `word` in lower case and kBytesBehind zeros to `out`. Returns the size of the word.
std::size_t fold_padded(std::string_view word, std::string& out) {
  out.clear();
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(word.data());
  for (std::int32_t at = 0; at < static_cast<std::int32_t>(word.size());) {
    UChar32 code = 0;
    U8_NEXT(bytes, at, static_cast<std::int32_t>(word.size()), code);
    if (code >= 0) append_utf8(out, u_foldCase(code, U_FOLD_CASE_DEFAULT));
  }
  const std::size_t size = out.size();
  out.append(StopTable::kBytesBehind, '\0');
  return size;
}

enum class Repeats : std::uint8_t { kCountAll, kCountOnce };

class StopCounter {
 public:
  StopCounter(std::string_view text, Alphabet alphabet, Repeats repeats)
      : table_(StopTable::instance()),
        text_(text),
        wanted_(languages_of(alphabet)),
        repeats_(repeats),
        seen_(table_.size()) {}

  StopCounts count() {
    for (std::size_t at = 0; at < text_.size() && !beyond_doubt_;) {
      if (kStopWordEdges.has(text_[at])) {
        ++at;
      } else {
        at = look_up_from(at);
      }
    }
    return counts_;
  }

 private:
  /// Looks up the word that begins here, and longer ones while there may be any. Returns the end of
  /// the word.
  std::size_t look_up_from(std::size_t begin) {
    bool high = false;
    const std::size_t word_end = next_edge(begin, high);
    std::size_t end = word_end;
    while (end - begin <= kTextWordBytesMax && look_up(text_.substr(begin, end - begin), high) &&
           end < text_.size()) {
      end = next_edge(end + 1, high);
    }
    return word_end;
  }

  /// The next edge from `at` on, or the end. Sets `high` if it passes bytes that are not ASCII.
  std::size_t next_edge(std::size_t at, bool& high) const {
    for (; at < text_.size() && !kStopWordEdges.has(text_[at]); ++at) {
      high |= ascii::is_high(text_[at]);
    }
    return at;
  }

  /// Counts a word. Returns whether a longer one may begin with it. Letters outside ASCII are not
  /// folded yet, and folding may change their length.
  bool look_up(std::string_view word, bool high) {
    const std::size_t found = high ? find_folded(word) : find_ascii(word);
    if (found == StopTable::kNone) return false;
    count(found);
    return table_[found].continues;
  }

  [[nodiscard]] std::size_t find_ascii(std::string_view word) const {
    const char* const end = word.data() + word.size();
    if (text_.data() + text_.size() - end >= static_cast<std::ptrdiff_t>(StopTable::kBytesBehind)) {
      return table_.find(word.data(), word.size());
    }
    // The last words of the text lack readable bytes after them.
    std::array<char, kTextWordBytesMax + StopTable::kBytesBehind> padded{};
    return table_.find(padded.data(), word.copy(padded.data(), kTextWordBytesMax));
  }

  std::size_t find_folded(std::string_view word) {
    const std::size_t size = fold_padded(word, folded_);
    return size == 0 ? StopTable::kNone : table_.find(folded_.data(), size);
  }

  void count(std::size_t word) {
    LanguageBits languages = table_[word].languages & wanted_;
    if (languages == 0) return;
    if (repeats_ == Repeats::kCountOnce) {
      if (seen_[word]) return;
      seen_[word] = true;
    }
    for (; languages != 0; languages &= languages - 1) {
      const auto language = static_cast<std::size_t>(std::countr_zero(languages));
      if (++counts_[language] > kCountBeyondDoubt) beyond_doubt_ = true;
    }
  }

  const StopTable& table_;
  std::string_view text_;
  LanguageBits wanted_;
  Repeats repeats_;
  StopCounts counts_{};
  std::vector<bool> seen_;  ///< words counted already
  std::string folded_;
  bool beyond_doubt_ = false;
};

}  // namespace

static_assert(kStopLanguages.size() <= 8 * sizeof(LanguageBits));

const StopTable& StopTable::instance() {
  static const StopTable table;
  return table;
}

StopTable::StopTable() {
  for (std::size_t i = 0; i < kStopLanguages.size(); ++i) {
    add_list(embedded_file(std::string(kStopLanguages[i].code) + ".stop"), LanguageBits{1} << i);
  }
}

std::size_t StopTable::longest_run() const {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (std::size_t slot = 0; slot < 2 * kSlots; ++slot) {  // twice, as a run may wrap around
    run = slots_[slot % kSlots] == 0 ? 0 : run + 1;
    longest = std::max(longest, run);
  }
  return longest;
}

/// A list has one word per line.
void StopTable::add_list(std::string_view list, LanguageBits language) {
  while (!list.empty()) {
    const std::string_view word = list.substr(0, std::min(list.find('\n'), list.size()));
    at(word).languages |= language;
    for (std::size_t end = 1; end < word.size(); ++end) {
      if (kStopWordEdges.has(word[end])) at(word.substr(0, end)).continues = true;
    }
    list.remove_prefix(std::min(word.size() + 1, list.size()));
  }
}

StopWord& StopTable::at(std::string_view word) {
  SHINGLED_DEBUG_ASSERT(!word.empty() && word.size() <= kWordBytesMax);
  std::array<char, kWordBytesMax + kBytesBehind> padded{};
  word.copy(padded.data(), kWordBytesMax);
  if (const std::size_t found = find(padded.data(), word.size()); found != kNone) {
    return words_[found];
  }
  const std::uint64_t hash = hash_of(padded.data(), word.size());
  std::size_t slot = hash >> (64 - kSlotBits);
  while (slots_[slot] != 0) slot = (slot + 1) % kSlots;
  maybe_.set(hash >> (64 - kMaybeBits));
  StopWord& stop = words_.emplace_back();
  std::memcpy(stop.lanes.data(), padded.data(), kWordBytesMax);
  stop.bytes = static_cast<std::uint32_t>(word.size());
  slots_[slot] = static_cast<std::uint16_t>(words_.size());
  SHINGLED_DEBUG_ASSERT(words_.size() < kSlots);
  return stop;
}

StopCounts count_stop_words(std::string_view text, Alphabet alphabet, Compat compat) {
  const Repeats repeats = compat == Compat::kRspamd4 ? Repeats::kCountOnce : Repeats::kCountAll;
  return StopCounter(text, alphabet, repeats).count();
}

}  // namespace shingled::mime
