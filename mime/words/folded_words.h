#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// A fixed set of words in the form of fold_letters().
/// Threads: constant.
class FoldedWords {
 public:
  /// `words`: as people write them, between single spaces.
  explicit FoldedWords(std::string_view words);

  /// `word`: folded.
  /// Cost: most words are none at a glance.
  [[nodiscard]] bool has(std::string_view word) const;

 private:
  static constexpr std::size_t kRows = 1024;
  static std::size_t first_bytes(std::string_view word);
  static std::uint64_t bit_of(std::string_view word);

  std::vector<std::string> words_;              ///< sorted
  std::array<std::uint64_t, kRows> lengths_{};  ///< by first bytes
};

}  // namespace shingled::mime
