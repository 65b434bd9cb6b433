#include "mime/message/charset.h"

#include <unicode/ucnv.h>
#include <unicode/ucsdet.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "mime/ascii.h"

namespace shingled::mime {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::string_view kGuess = "windows-1252";
constexpr std::array<std::string_view, 5> kGuessable{"shift_jis", "big5", "gb18030", "euc-jp",
                                                     "euc-kr"};
constexpr std::size_t kGuessBytesMax = 4096;
constexpr std::size_t kGuessShare = 5;  ///< a fifth of an East Asian text is 8-bit at least
constexpr std::size_t kLabelBytesMax = 64;

struct CloseConverter {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using ConverterPtr = std::unique_ptr<UConverter, CloseConverter>;

/// Names of charsets that ICU knows under another one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kAliases{{
    {"ks_c_5601", "ks_c_5601-1987"},
    {"iso-8859-8-i", "iso-8859-8"},
    {"unicode-1-1-utf-7", "utf-7"},
}};

/// Lower case, without the quotes, blanks and dots around it and an "x-" in front.
std::string clean_label(std::string_view label) {
  constexpr std::string_view kAround = " \t\r\n\"'.";
  const std::size_t begin = label.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return {};
  label = label.substr(begin, label.find_last_not_of(kAround) - begin + 1);
  std::string clean = ascii::to_lower(label.substr(0, kLabelBytesMax));
  if (clean.rfind("x-", 0) == 0) clean.erase(0, 2);
  for (const auto& [name, known] : kAliases) {
    if (clean == name) return std::string(known);
  }
  return clean;
}

/// Names under which mail is sent that may as well be anything that contains ASCII.
bool says_utf8_or_ascii(std::string_view label) {
  return label.empty() || ascii::starts_with_ignoring_case(label, "utf-8") || label == "utf8" ||
         label == "us-ascii" || label == "ascii" || ascii::starts_with_ignoring_case(label, "ansi");
}

/// The converters of this thread, the newest last. A lookup is a scan: mails name few charsets.
class ConverterCache {
 public:
  /// The converter a clean label names, reset; nullptr for one ICU does not know.
  UConverter* find(const std::string& label) {
    for (const auto& [name, converter] : converters_) {
      if (name != label) continue;
      if (converter) ucnv_resetToUnicode(converter.get());
      return converter.get();
    }
    UErrorCode error = U_ZERO_ERROR;
    ConverterPtr opened(ucnv_open(label.c_str(), &error));
    if (U_FAILURE(error) != 0) opened.reset();
    if (converters_.size() >= kConvertersMax) converters_.erase(converters_.begin());
    converters_.emplace_back(label, std::move(opened));
    return converters_.back().second.get();
  }

  UConverter* utf8() {
    if (!utf8_) {
      UErrorCode error = U_ZERO_ERROR;
      utf8_.reset(ucnv_open("UTF-8", &error));
    }
    if (utf8_) ucnv_reset(utf8_.get());
    return utf8_.get();
  }

 private:
  std::vector<std::pair<std::string, ConverterPtr>> converters_;
  ConverterPtr utf8_;
};

ConverterCache& converters() {
  thread_local ConverterCache cache;
  return cache;
}

/// Converts piece by piece through a pivot buffer; invalid input becomes U+FFFD.
std::string convert(UConverter* from, std::string_view bytes) {
  UConverter* to = converters().utf8();
  std::string out;
  if (to == nullptr) return out;
  out.reserve(bytes.size() + bytes.size() / 2);
  std::array<char, 4096> buffer{};
  std::array<UChar, 1024> pivot{};
  UChar* pivot_source = pivot.data();
  UChar* pivot_target = pivot.data();
  const char* source = bytes.data();
  const char* const source_end = source + bytes.size();
  UErrorCode error = U_ZERO_ERROR;
  do {
    error = U_ZERO_ERROR;
    char* target = buffer.data();
    ucnv_convertEx(to, from, &target, buffer.data() + buffer.size(), &source, source_end,
                   pivot.data(), &pivot_source, &pivot_target, pivot.data() + pivot.size(), 0, 1,
                   &error);
    out.append(buffer.data(), static_cast<std::size_t>(target - buffer.data()));
  } while (error == U_BUFFER_OVERFLOW_ERROR);
  return out;
}

/// Which charset a text without a usable label is in. A detector tells East Asian ones apart; the
/// western ones it would choose from differ too little, so that they are all windows-1252.
std::string guess_charset(std::string_view bytes) {
  struct CloseDetector {
    void operator()(UCharsetDetector* detector) const { ucsdet_close(detector); }
  };
  const std::string_view head = bytes.substr(0, kGuessBytesMax);
  const auto foreign = static_cast<std::size_t>(std::count_if(
      head.begin(), head.end(), [](char c) { return static_cast<signed char>(c) < 0; }));
  if (foreign * kGuessShare < head.size()) return std::string(kGuess);
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<UCharsetDetector, CloseDetector> detector(ucsdet_open(&error));
  ucsdet_setText(detector.get(), head.data(), static_cast<std::int32_t>(head.size()), &error);
  const UCharsetMatch* match = ucsdet_detect(detector.get(), &error);
  if (U_FAILURE(error) != 0 || match == nullptr) return std::string(kGuess);
  std::string name = ascii::to_lower(ucsdet_getName(match, &error));
  for (const std::string_view known : kGuessable) {
    if (U_SUCCESS(error) != 0 && name == known) return name;
  }
  return std::string(kGuess);
}

/// Bytes of the well-formed sequence at `at`; 0 if there is none.
std::size_t sequence_size(std::string_view bytes, std::size_t at) {
  std::int32_t end = 0;
  UChar32 c = 0;
  std::array<std::uint8_t, 4> rest{};
  const auto size = static_cast<std::int32_t>(std::min(bytes.size() - at, rest.size()));
  std::memcpy(rest.data(), bytes.data() + at, static_cast<std::size_t>(size));
  U8_NEXT(rest.data(), end, size, c);
  return c < 0 ? 0 : static_cast<std::size_t>(end);
}

/// The first byte from `at` on that is not ASCII.
std::size_t skip_ascii(std::string_view bytes, std::size_t at) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  while (at + sizeof(std::uint64_t) <= bytes.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
    at += sizeof word;
  }
  while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
  return at;
}

std::string replace_invalid(std::string_view bytes, std::string_view replacement) {
  std::string out;
  out.reserve(bytes.size());
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t ascii_end = skip_ascii(bytes, at);
    out.append(bytes, at, ascii_end - at);
    at = ascii_end;
    if (at == bytes.size()) break;
    const std::size_t size = sequence_size(bytes, at);
    out.append(size == 0 ? replacement : bytes.substr(at, size));
    at += size == 0 ? 1 : size;
  }
  return out;
}

}  // namespace

bool is_valid_utf8(std::string_view bytes) {
  std::size_t at = skip_ascii(bytes, 0);
  while (at < bytes.size()) {
    const std::size_t size = sequence_size(bytes, at);
    if (size == 0) return false;
    at = skip_ascii(bytes, at + size);
  }
  return true;
}

std::string replace_invalid_utf8(std::string_view bytes) {
  return replace_invalid(bytes, kReplacement);
}

DecodedText decode_text(std::string_view bytes, std::string_view label, std::string& storage) {
  const std::string clean = clean_label(label);
  UConverter* converter = nullptr;
  if (!says_utf8_or_ascii(clean)) converter = converters().find(clean);
  if (converter != nullptr) {
    storage = convert(converter, bytes);
    return {storage, clean};
  }
  if (is_valid_utf8(bytes)) return {bytes, "utf-8"};
  std::string guess = guess_charset(bytes);
  converter = converters().find(guess);
  storage = converter == nullptr ? replace_invalid_utf8(bytes) : convert(converter, bytes);
  return {storage, std::move(guess)};
}

std::string decode_word(std::string_view bytes, std::string_view label) {
  const std::string clean = clean_label(label);
  if (says_utf8_or_ascii(clean)) return replace_invalid(bytes, "?");
  UConverter* converter = converters().find(clean);
  if (converter != nullptr) return convert(converter, bytes);
  return is_valid_utf8(bytes) ? std::string(bytes) : std::string();
}

}  // namespace shingled::mime
