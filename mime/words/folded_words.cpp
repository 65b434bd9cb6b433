#include "mime/words/folded_words.h"

#include <algorithm>

#include "mime/words/letter_fold.h"

namespace shingled::mime {

FoldedWords::FoldedWords(std::string_view words) {
  std::string folded;
  fold_letters(words, folded);
  for (std::size_t at = 0; at < folded.size();) {
    const std::size_t end = std::min(folded.find(' ', at), folded.size());
    if (end > at) words_.push_back(folded.substr(at, end - at));
    at = end + 1;
  }
  std::sort(words_.begin(), words_.end());
  for (const std::string& word : words_) lengths_[first_bytes(word)] |= bit_of(word);
}

bool FoldedWords::has(std::string_view word) const {
  if ((lengths_[first_bytes(word)] & bit_of(word)) == 0) return false;
  return std::binary_search(words_.begin(), words_.end(), word);
}

std::size_t FoldedWords::first_bytes(std::string_view word) {
  const auto byte = [&](std::size_t i) -> std::size_t {
    return i < word.size() ? static_cast<unsigned char>(word[i]) : 0;
  };
  return (byte(0) * 37 + byte(1) * 5 + byte(2)) % kRows;
}

std::uint64_t FoldedWords::bit_of(std::string_view word) {
  return std::uint64_t{1} << std::min<std::size_t>(word.size(), 63);
}

}  // namespace shingled::mime
