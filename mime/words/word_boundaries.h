#pragma once

#include <cstddef>
#include <string_view>

#include "config/options/hash_options.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// The word boundaries of a text, one after the other, as ICU's word rules see them for the locale
/// form (HASHING.md 10.1).
///
/// ASCII stretches between spaces are walked by our own reading of the rules of UAX 29, which a
/// property test holds equal to ICU; what is left goes to ICU, whose iterator each thread keeps.
/// Threads: one thread; it must finish one text before it begins another.
/// Cost: O(text); what ICU walks is paid for by its script.
class WordBoundaries {
 public:
  static constexpr std::size_t kEnd = std::string_view::npos;

  /// `meter` lives as long; once it refuses, kEnd is next.
  WordBoundaries(std::string_view text, WordForm form, WorkMeter& meter);
  ~WordBoundaries();
  WordBoundaries(const WordBoundaries&) = delete;
  WordBoundaries& operator=(const WordBoundaries&) = delete;
  WordBoundaries(WordBoundaries&&) = delete;
  WordBoundaries& operator=(WordBoundaries&&) = delete;

  /// The next boundary behind the last one given (the first is behind 0); kEnd after the text.
  std::size_t next();

  /// What this thread's iterator holds for its next text: at most 128 KiB between two texts.
  static std::size_t bytes_kept(WordForm form);

 private:
  void open_region();
  void close();
  [[nodiscard]] std::size_t ascii_next(std::size_t at) const;
  std::size_t icu_next();

  std::string_view text_;
  WordForm form_;
  WorkMeter& meter_;
  std::size_t at_ = 0;
  std::size_t region_begin_ = 0;
  std::size_t region_end_ = 0;  ///< boundaries up to here are found the way `in_icu_` says
  bool in_icu_ = false;
};

/// Whether the segment that begins with this text is a word: its first character is a "Java
/// identifier part" (HASHING.md 10.2).
bool begins_word(std::string_view segment);

}  // namespace shingled::mime
