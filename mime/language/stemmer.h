#pragma once

#include <cstddef>
#include <string_view>

#include "mime/model/work_meter.h"

namespace shingled::mime {

class StemCache;

/// Snowball's stemmer of one language, of those rspamd knows (HASHING.md 11.3). The only user of
/// libstemmer.
/// Threads: one thread; each thread has one Snowball object a language and some 8000 stems, which
/// the next thread inherits.
class Stemmer {
 public:
  /// `language` as the language detector names it; one without a stemmer leaves words as they are.
  explicit Stemmer(std::string_view language);

  /// What a stem may cost for each byte of its word, whatever stems the thread remembers.
  [[nodiscard]] Steps steps_a_byte() const;

  /// The stem of a normalised word, or the word where the stem would be empty. Valid until the next
  /// call on this thread, and as long as `word` is.
  [[nodiscard]] std::string_view stem(std::string_view word) const;

 private:
  std::size_t language_;
  StemCache* cache_;
};

}  // namespace shingled::mime
