#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shingled {

/// A list of words in one string, with the end of each word. It needs only two allocations, and the
/// digest is made of the concatenated words.
/// Threads: a value.
class WordList {
 public:
  void add(std::string_view word) {
    glued_ += word;
    ends_.push_back(static_cast<std::uint32_t>(glued_.size()));
  }
  void reserve(std::size_t words, std::size_t bytes) {
    ends_.reserve(words);
    glued_.reserve(bytes);
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] bool empty() const { return ends_.empty(); }
  /// Word `i`; valid until the next add().
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(glued_).substr(begin, ends_[i] - begin);
  }
  /// All words without a separator.
  [[nodiscard]] std::string_view glued() const { return glued_; }
  friend bool operator==(const WordList&, const WordList&) = default;

 private:
  std::string glued_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace shingled
