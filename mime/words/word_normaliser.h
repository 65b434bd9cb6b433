#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace shingled::mime {

/// Words in the form that is compared: NFKC, lower case, only letters, marks, numbers, connectors
/// and the symbols of sums and money (HASHING.md section 11). "Don't" becomes "dont".
/// Threads: one thread; keeps its buffers from word to word.
class WordNormaliser {
 public:
  /// The normal form of `word` (UTF-8), empty if nothing of it is left or it is longer than 1024
  /// UTF-16 units. Valid until the next call.
  std::string_view normalise(std::string_view word);

 private:
  std::string_view normalise_unicode(std::string_view word);

  static constexpr std::size_t kUnitsMax = 1024;  ///< of UTF-16, of a word

  std::array<char, kUnitsMax> ascii_;  ///< the normal form of a word of ASCII
  std::string out_;                    ///< that of any other
};

}  // namespace shingled::mime
