#pragma once

#include <cstddef>
#include <string_view>

#include "mime/model/work_meter.h"

namespace shingled::mime {

class StemCache;

/// The Snowball stemmer of a language that rspamd knows (HASHING.md 11.3). The only user of
/// libstemmer.
/// Threads: one thread. Each thread has a Snowball object per language and a cache of about 8000
/// stems, which pass to a later thread.
class Stemmer {
 public:
  /// `language` as in Language::code; without a stemmer for it, words stay as they are.
  explicit Stemmer(std::string_view language);

  /// The maximum cost of a stem per byte of its word, cached or not.
  [[nodiscard]] Steps steps_a_byte() const;

  /// The stem of a normalised word, or the word itself if the stem would be empty. Valid until the
  /// next call on this thread, and no longer than `word`.
  [[nodiscard]] std::string_view stem(std::string_view word) const;

 private:
  std::size_t language_;
  StemCache* cache_;
};

}  // namespace shingled::mime
