#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace shingled::mime {

/// The normal form of words: NFKC, lower case, only letters, marks, numbers, connectors and the
/// symbols of mathematics and money (HASHING.md section 11). "Don't" becomes "dont".
/// Threads: one thread; reuses its buffers.
class WordNormaliser {
 public:
  /// The normal form of `word` (UTF-8), maybe empty; also empty if it is longer than 1024 UTF-16
  /// units. Valid until the next call.
  std::string_view normalise(std::string_view word);

 private:
  std::string_view normalise_unicode(std::string_view word);

  static constexpr std::size_t kUnitsMax = 1024;  ///< of UTF-16, of a word

  std::array<char, kUnitsMax> ascii_;  ///< the normal form of a word of ASCII
  std::string out_;                    ///< that of any other
};

}  // namespace shingled::mime
