#pragma once

#include <cstddef>
#include <string_view>

#include "config/options/hash_options.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// The word boundaries of a text in order, by ICU's word rules for the locale form
/// (HASHING.md 10.1).
///
/// Our own implementation of UAX 29 handles ASCII stretches between spaces; a property test
/// compares it with ICU. ICU handles the rest; each thread keeps an iterator.
/// Threads: one thread, one text at a time.
/// Cost:    O(text); the price of text that ICU handles depends on its script.
class WordBoundaries {
 public:
  static constexpr std::size_t kEnd = std::string_view::npos;

  /// `meter` must outlive it. Once it refuses, next() returns kEnd.
  WordBoundaries(std::string_view text, WordForm form, WorkMeter& meter);
  ~WordBoundaries();
  WordBoundaries(const WordBoundaries&) = delete;
  WordBoundaries& operator=(const WordBoundaries&) = delete;
  WordBoundaries(WordBoundaries&&) = delete;
  WordBoundaries& operator=(WordBoundaries&&) = delete;

  /// The next boundary after the last one (the first is after 0); kEnd after the text.
  std::size_t next();

  /// Bytes that the iterator of this thread keeps between texts: at most 128 KiB.
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
  std::size_t region_end_ = 0;  ///< up to here `in_icu_` tells who finds the boundaries
  bool in_icu_ = false;
};

/// Whether a segment is a word: its first character is a "Java identifier part" (HASHING.md 10.2).
bool begins_word(std::string_view segment);

}  // namespace shingled::mime
