#pragma once

#include <cstdint>
#include <string_view>

namespace shingled::mime {

/// Thins out the words of a long text, the same way every time: about 600 words are kept as they
/// come, and of the rest as many as another 600, chosen by a generator that the words before have
/// seeded (HASHING.md 10.4).
/// Threads: a value, one text.
class WordDecay {
 public:
  explicit WordDecay(std::size_t text_bytes) : text_bytes_(text_bytes) {}

  /// Whether the word is kept, of which `tokens` come before it and whose segment ends at
  /// `end_offset`.
  bool keeps(std::string_view word, std::size_t tokens, std::size_t end_offset);

 private:
  std::size_t text_bytes_;
  std::uint64_t state_ = 0;
  std::uint64_t limit_ = 0;
  bool decaying_ = false;
};

}  // namespace shingled::mime
