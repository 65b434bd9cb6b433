#include "mime/words/word_boundaries.h"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/ustring.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "config/base/ascii.h"
#include "config/base/reused_thread_local.h"

namespace shingled::mime {

namespace {

using namespace ascii;
using namespace std::string_view_literals;

/// ASCII bytes that must follow before we leave ICU: opening a text in ICU costs as much as walking
/// them.
constexpr std::size_t kAsciiBytesWorthSwitching = 64;

struct BreakIteratorCloser {
  void operator()(UBreakIterator* iterator) const { ubrk_close(iterator); }
};

/// ICU's iterator for one locale form, over a copy of the text in UTF-16, which ICU reads in place.
/// For UTF-8 its dictionaries (Han, Thai) would make copies.
class IcuBreaker {
 public:
  explicit IcuBreaker(WordForm form) {
    UErrorCode status = U_ZERO_ERROR;
    const char* locale = form == WordForm::kPosix ? "en_US_POSIX" : "en_US";
    iterator_.reset(ubrk_open(UBRK_WORD, locale, nullptr, 0, &status));
    if (U_FAILURE(status)) iterator_.reset();
  }

  void open(std::string_view text) {
    if (units_.size() < text.size()) units_.resize(text.size());
    text_ = text;
    at_ = 0;
    unit_at_ = 0;
    std::int32_t size = 0;
    UErrorCode status = U_ZERO_ERROR;
    u_strFromUTF8WithSub(units_.data(), static_cast<std::int32_t>(units_.size()), &size,
                         text.data(), static_cast<std::int32_t>(text.size()), 0xFFFD, nullptr,
                         &status);
    if (!iterator_) return;
    if (U_FAILURE(status)) size = 0;
    // Hashes must not change with the ICU of a machine: 72 takes @ for a letter, 76 does not.
    std::replace(units_.data(), units_.data() + size, u'@', u'a');
    status = U_ZERO_ERROR;
    ubrk_setText(iterator_.get(), units_.data(), size, &status);
    ubrk_first(iterator_.get());
  }

  /// Ends the text. Frees a large copy of it, as this object waits for the next text, maybe in
  /// another thread.
  void close() {
    text_ = {};
    if (units_.size() <= kUnitsKept) return;
    UErrorCode status = U_ZERO_ERROR;
    if (iterator_) ubrk_setText(iterator_.get(), nullptr, 0, &status);
    std::vector<UChar>().swap(units_);  // an assignment of {} keeps the memory
  }
  [[nodiscard]] std::size_t bytes_kept() const { return units_.capacity() * sizeof(UChar); }

  /// The next boundary in bytes, or the end of the text.
  std::size_t next() {
    const std::int32_t unit = iterator_ ? ubrk_next(iterator_.get()) : UBRK_DONE;
    if (unit == UBRK_DONE) return text_.size();
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text_.data());
    while (unit_at_ < unit) {
      const std::size_t begin = at_;
      U8_FWD_1(bytes, at_, text_.size());
      unit_at_ += at_ - begin == U8_MAX_LENGTH ? 2 : 1;  // invalid bytes have become U+FFFD
    }
    return at_;
  }

 private:
  static constexpr std::size_t kUnitsKept = std::size_t{64} * 1024;

  std::unique_ptr<UBreakIterator, BreakIteratorCloser> iterator_;
  std::vector<UChar> units_;
  std::string_view text_;
  std::size_t at_ = 0;  ///< the latest boundary, in bytes and in UTF-16
  std::int32_t unit_at_ = 0;
};

template <WordForm kForm>
IcuBreaker& breaker_of_form() {
  struct Breaker : IcuBreaker {
    Breaker() : IcuBreaker(kForm) {}
  };
  return ReusedThreadLocal<Breaker>::of_this_thread();
}

IcuBreaker& icu_breaker(WordForm form) {
  return form == WordForm::kPosix ? breaker_of_form<WordForm::kPosix>()
                                  : breaker_of_form<WordForm::kRoot>();
}

/// The classes of UAX 29 that ASCII has. A joiner holds letters or numbers together when it stands
/// between two of them.
enum class Class : std::uint8_t { kOther, kSpace, kLetter, kNumber, kUnderscore };

constexpr std::array<Class, 128> kClasses = [] {
  std::array<Class, 128> table{};
  for (int c = 0; c < 128; ++c) {
    const char letter = static_cast<char>(c);
    Class& entry = table[static_cast<std::size_t>(c)];
    if (is_alpha(letter) || letter == '@') entry = Class::kLetter;  // @: as in ICU 72
    if (is_digit(letter)) entry = Class::kNumber;
  }
  table['_'] = Class::kUnderscore;
  table[' '] = Class::kSpace;
  return table;
}();

/// Letters, digits, `$ _`, and control characters except white space, which Java ignores.
constexpr CharSet kAsciiOfWords(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$_"
    "\0\1\2\3\4\5\6\7\10\16\17\20\21\22\23\24\25\26\27\30\31\32\33\177"sv);

Class class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }

bool joins_letters(char c, WordForm form) {
  return c == '\'' || (form == WordForm::kRoot && c == '.');
}
bool joins_numbers(char c) { return c == '\'' || c == '.' || c == ',' || c == ';'; }

constexpr Steps kStepsARegion = 1'000;  ///< to open one in ICU

/// What a byte costs in ICU by the first byte of its character: those of three and four bytes may
/// be of a script that is split by a dictionary.
constexpr std::array<std::uint16_t, 256> kIcuSteps = [] {
  std::array<std::uint16_t, 256> table{};
  for (std::size_t c = 0; c < table.size(); ++c) table[c] = c < 0x80 ? 14 : 16;
  for (std::size_t c = 0xC0; c < 0xE0; ++c) table[c] = 16;
  for (std::size_t c = 0xE0; c <= 0xE2; ++c) table[c] = 60;   // Thai, Lao, Khmer, Burmese
  for (std::size_t c = 0xE3; c <= 0xE9; ++c) table[c] = 140;  // kana, Han: all but the first byte
  for (std::size_t c = 0xEA; c <= 0xED; ++c) table[c] = 16;   // Hangul
  for (std::size_t c = 0xEE; c <= 0xEF; ++c) table[c] = 150;  // kana of half width
  for (std::size_t c = 0xF0; c < 0x100; ++c) table[c] = 300;  // rare Han
  return table;
}();

Steps icu_steps(std::string_view region) {
  Steps steps = kStepsARegion;
  for (const char c : region) steps += kIcuSteps[static_cast<unsigned char>(c)];
  return steps;
}

/// Whether there is a boundary between these two in any context.
bool is_firm_boundary(char a, char b) {
  return !is_high(a) && !is_high(b) && (a == ' ') != (b == ' ');
}

}  // namespace

WordBoundaries::WordBoundaries(std::string_view text, WordForm form, WorkMeter& meter)
    : text_(text), form_(form), meter_(meter) {}

std::size_t WordBoundaries::next() {
  if (at_ >= text_.size()) {
    close();
    return kEnd;
  }
  if (at_ == region_end_) open_region();
  if (at_ == text_.size()) return kEnd;
  at_ = in_icu_ ? icu_next() : ascii_next(at_);
  return at_;
}

/// Decides how the text is handled from here, and how far.
void WordBoundaries::open_region() {
  close();
  region_begin_ = at_;
  const std::size_t high = find_high(text_, at_);
  std::size_t end = high;
  if (high < text_.size()) {  // back to where the ASCII stretch surely ends
    while (end > at_ + 1 && (end == high || !is_firm_boundary(text_[end - 1], text_[end]))) --end;
    if (end <= at_ + 1) end = at_;
  }
  in_icu_ = end == at_;
  region_end_ = end;
  if (!in_icu_) return;

  std::size_t ascii_run = 0;
  for (end = high; end < text_.size() && ascii_run < kAsciiBytesWorthSwitching; ++end) {
    if (is_high(text_[end])) {
      ascii_run = 0;
      continue;
    }
    const bool firm = end > 0 && is_firm_boundary(text_[end - 1], text_[end]);
    if (firm && ascii_run == 0) region_end_ = end;
    ascii_run += firm || ascii_run > 0 ? 1 : 0;
  }
  if (ascii_run < kAsciiBytesWorthSwitching) region_end_ = text_.size();
  const std::string_view region = text_.substr(region_begin_, region_end_ - region_begin_);
  if (!meter_.spend(icu_steps(region))) {
    at_ = text_.size();
    in_icu_ = false;
    return;
  }
  icu_breaker(form_).open(region);
}

WordBoundaries::~WordBoundaries() { close(); }

void WordBoundaries::close() {
  if (std::exchange(in_icu_, false)) icu_breaker(form_).close();
}

std::size_t WordBoundaries::bytes_kept(WordForm form) { return icu_breaker(form).bytes_kept(); }

std::size_t WordBoundaries::icu_next() { return region_begin_ + icu_breaker(form_).next(); }

/// Rules WB3, WB3d and WB5 to WB13b, for a text without extending characters.
std::size_t WordBoundaries::ascii_next(std::size_t at) const {
  const Class first = class_of(text_[at]);
  std::size_t end = at + 1;
  if (text_.substr(at).starts_with("\r\n")) return end + 1;
  if (first == Class::kOther) return end;
  if (first == Class::kSpace) {
    while (end < region_end_ && text_[end] == ' ') ++end;
    return end;
  }
  while (end < region_end_) {
    const Class next = class_of(text_[end]);
    if (next >= Class::kLetter) {
      ++end;
      continue;
    }
    const Class before = class_of(text_[end - 1]);
    const bool more = end + 1 < region_end_ && class_of(text_[end + 1]) == before;
    const bool joined = (before == Class::kLetter && joins_letters(text_[end], form_)) ||
                        (before == Class::kNumber && joins_numbers(text_[end]));
    if (!more || !joined) break;
    end += 2;
  }
  return end;
}

bool begins_word(std::string_view segment) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(segment.data());
  if (!is_high(segment.front())) return kAsciiOfWords.has(segment.front());
  std::int32_t at = 0;
  UChar32 code = 0;
  U8_NEXT(bytes, at, static_cast<std::int32_t>(std::min<std::size_t>(segment.size(), 4)), code);
  return code >= 0 && u_isJavaIDPart(code) != 0;
}

}  // namespace shingled::mime
