#include "mime/pieces/phrases.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "mime/fingerprint/mumhash.h"
#include "mime/text/boilerplate.h"

namespace shingled::mime {

namespace {

/// A run of words by its hash.
using HashedRun = std::pair<std::uint64_t, std::size_t>;

/// Letters of scripts without spaces take three bytes or more; of others only few do.
bool is_dense_word(std::string_view word) {
  return !word.empty() && static_cast<unsigned char>(word.front()) >= 0xE0;
}

std::size_t phrase_words(std::string_view first) {
  return is_dense_word(first) ? kPhraseWordsDense : kPhraseWords;
}

std::string spaced(const WordList& words, std::size_t begin, std::size_t count) {
  std::string out;
  for (std::size_t i = begin; i < begin + count; ++i) {
    if (i > begin) out += ' ';
    out += words[i];
  }
  return out;
}

std::uint64_t hash_of(const WordList& words, std::size_t begin, std::size_t count) {
  const std::string_view first = words[begin];
  const std::string_view last = words[begin + count - 1];
  const auto bytes = static_cast<std::size_t>(last.data() + last.size() - first.data());
  return fingerprint::mumhash({first.data(), bytes}, 0);
}

/// By place: how many of the words before it are of notices.
std::vector<std::uint32_t> count_notice_words(const WordList& words) {
  std::vector<std::uint32_t> before(words.size() + 1);
  for (std::size_t i = 0; i < words.size(); ++i)
    before[i + 1] = before[i] + (is_boilerplate(words[i]) ? 1U : 0U);
  return before;
}

}  // namespace

Phrases sample_phrases(const WordList& words) {
  std::vector<HashedRun> all;
  all.reserve(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t count = phrase_words(words[i]);
    if (count <= words.size() - i) all.emplace_back(hash_of(words, i, count), i);
  }
  // A phrase that is repeated counts once.
  std::ranges::sort(all);
  const auto same = [](const HashedRun& a, const HashedRun& b) { return a.first == b.first; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  const std::vector<std::uint32_t> notice_words = count_notice_words(words);
  Phrases out;
  for (const auto& [hash, begin] : all) {
    const std::size_t count = phrase_words(words[begin]);
    const bool notice = notice_words[begin + count] - notice_words[begin] >= kNoticeWordsOfPhrase;
    std::vector<std::string>& sort = notice ? out.notices : out.own;
    if (sort.size() < kPhrasesMax) sort.push_back(spaced(words, begin, count));
    if (out.own.size() == kPhrasesMax && out.notices.size() == kPhrasesMax) break;
  }
  return out;
}

std::string short_text(const WordList& words) {
  if (words.size() < kShortTextWordsMin || words.size() >= phrase_words(words[0])) return {};
  std::string text = spaced(words, 0, words.size());
  return text.size() < kShortTextBytesMin ? std::string() : text;
}

}  // namespace shingled::mime
