#include "mime/charset/charset_guess.h"

#include <unicode/ucsdet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "config/base/ascii.h"
#include "mime/charset/utf8.h"

namespace shingled::mime {
namespace {

using ascii::is_alpha;
using ascii::is_high;

constexpr std::size_t kStretchBytes = 512;
constexpr std::size_t kStretches = 3;

constexpr std::size_t kForeignBytesMin = 6;   ///< 8-bit bytes in a text of another alphabet
constexpr std::size_t kForeignShare = 2;      ///< they are at least half of its letters,
constexpr std::size_t kEuropeanShare = 16;    ///< or a sixteenth in a Latin alphabet
constexpr std::int32_t kEuropeanSurely = 10;  ///< confidence (of 100) that it is not Latin-1

/// A result of the detector, and what rspamd makes of it.
struct Detected {
  std::string_view name, charset;
  bool european = false;  ///< a Latin alphabet
};
constexpr std::array<Detected, 14> kDetected{{
    {"Shift_JIS", "shift_jis"},
    {"Big5", "big5"},
    {"GB18030", "gb2312"},
    {"EUC-JP", "euc-jp"},
    {"EUC-KR", "euc-kr"},
    {"windows-1251", "windows-1251"},
    {"KOI8-R", "koi8-r"},
    {"ISO-8859-5", "iso-8859-5"},
    {"ISO-8859-7", "iso-8859-7"},
    {"windows-1253", "windows-1253"},
    {"windows-1256", "windows-1256"},
    {"ISO-8859-2", "iso-8859-2", true},
    {"windows-1250", "windows-1250", true},
    {"ISO-8859-9", "iso-8859-9", true},
}};

/// Bytes of one stretch, counted once.
struct Counts {
  std::size_t high = 0;
  std::size_t letters = 0;  ///< of ASCII, outside of tags
  bool controls = false;    ///< has 0x80 to 0x9f, which are not letters in ISO 8859
};

Counts count(std::string_view bytes) {
  Counts counts;
  bool in_tag = false;
  for (const char c : bytes) {
    if (!is_high(c)) {
      in_tag = c == '<' || (in_tag && c != '>');
      counts.letters += is_alpha(c) && !in_tag ? 1U : 0U;
      continue;
    }
    ++counts.high;
    counts.controls = counts.controls || static_cast<unsigned char>(c) < 0xa0;
  }
  return counts;
}

/// Whether it is UTF-8 except for a few bytes. A good beginning counts more than the rest. The
/// numbers are where rspamd's detector was seen to change its result.
bool is_faulty_utf8(std::string_view bytes) {
  constexpr int kCheckEvery = 8;  // sequences and faults
  constexpr int kFaultWeighs = 4;
  constexpr int kScoreSure = 3;
  constexpr int kFaultsMax = 2;  // up to the first check
  constexpr int kScoreMin = -1;  // at the end,
  constexpr int kSequencesMin = 5;
  int sequences = 0;
  int faults = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    if (!is_high(bytes[at])) {
      ++at;
      continue;
    }
    const std::size_t size = utf8_sequence_size(bytes, at);
    at += std::max<std::size_t>(size, 1);
    (size == 0 ? faults : sequences) += 1;
    const int seen = sequences + faults;
    if (seen % kCheckEvery != 0) continue;
    if (sequences - kFaultWeighs * faults >= kScoreSure) return true;
    if (seen == kCheckEvery && faults > kFaultsMax) return false;
  }
  return sequences >= kSequencesMin && sequences - kFaultWeighs * faults >= kScoreMin;
}

/// Hebrew, which the detector recognises only in long texts: no byte is a letter of the alphabets
/// that use the codes around it.
bool is_hebrew(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = byte >= 0xe0 && byte <= 0xfa;
    const bool sign = byte == 0xce || byte == 0xd7 || byte == 0xd8 || byte == 0xfd || byte == 0xfe;
    return byte < 0xc0 || letter || sign;
  });
}

/// Thai, which the detector does not know. One in ten bytes is a sign above or below a letter, one
/// in six is a letter where other alphabets have none, and the bytes do not all come in pairs as in
/// Chinese and Korean.
bool is_thai(std::string_view bytes) {
  constexpr std::size_t kSignsMin = 10;
  constexpr std::size_t kEarlyMin = 6;
  std::size_t letters = 0;
  std::size_t signs = 0;
  std::size_t early = 0;
  std::size_t row = 0;
  bool in_pairs = true;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (!is_high(c)) {
      in_pairs = in_pairs && row % 2 == 0;
      row = 0;
      continue;
    }
    if (byte < 0xa0 || (byte > 0xda && byte < 0xdf) || byte > 0xfb) return false;
    ++row;
    ++letters;
    early += byte < 0xc0 ? 1U : 0U;
    const bool sign =
        byte == 0xd1 || (byte >= 0xd4 && byte <= 0xda) || (byte >= 0xe7 && byte <= 0xee);
    signs += sign ? 1U : 0U;
  }
  in_pairs = in_pairs && row % 2 == 0;
  return !in_pairs && signs * kSignsMin > letters && early * kEarlyMin > letters;
}

/// The result of ICU's detector, adapted to rspamd; empty for Latin-1.
std::string_view ask_icu(std::string_view bytes, bool dense) {
  struct CloseDetector {
    void operator()(UCharsetDetector* detector) const { ucsdet_close(detector); }
  };
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<UCharsetDetector, CloseDetector> detector(ucsdet_open(&error));
  if (U_FAILURE(error) != 0) return {};
  ucsdet_enableInputFilter(detector.get(), 1);  // skips tags
  ucsdet_setText(detector.get(), bytes.data(), static_cast<std::int32_t>(bytes.size()), &error);
  const UCharsetMatch* match = ucsdet_detect(detector.get(), &error);
  if (U_FAILURE(error) != 0 || match == nullptr) return {};
  const std::string_view name = ucsdet_getName(match, &error);
  const std::string_view language = ucsdet_getLanguage(match, &error);
  const std::int32_t surely = ucsdet_getConfidence(match, &error);
  if (U_FAILURE(error) != 0) return {};
  for (const Detected& detected : kDetected) {
    if (detected.name != name) continue;
    if (detected.european ? surely < kEuropeanSurely : !dense) return {};
    // rspamd distinguishes only some Central European languages.
    if (language == "hu" || language == "ro") return {};
    if (language == "cs") return "windows-1250";
    const bool ukrainian = bytes.find_first_of("\xa4\xa6\xa7\xad") != std::string_view::npos;
    return name == "KOI8-R" && ukrainian ? "koi8-u" : detected.charset;
  }
  return {};
}

/// The charset of an alphabet other than Latin-1; empty if there is none.
std::string_view detect(std::string_view bytes, const Counts& counts) {
  const bool dense = counts.high * kForeignShare >= counts.letters;
  if (dense && is_hebrew(bytes)) return "windows-1255";
  if (dense && is_thai(bytes)) return "tis-620";
  return ask_icu(bytes, dense);
}

std::string_view guess_stretch(std::string_view bytes) {
  const Counts counts = count(bytes);
  if (counts.high == 0) return {};
  if (is_faulty_utf8(bytes)) return "utf-8";
  if (counts.high >= kForeignBytesMin && counts.high * kEuropeanShare >= counts.letters) {
    const std::string_view foreign = detect(bytes, counts);
    if (!foreign.empty()) return foreign;
  }
  return counts.controls ? "windows-1252" : "iso-8859-1";
}

}  // namespace

std::string_view guess_charset(std::string_view bytes) {
  static_assert(kStretches * kStretchBytes == kGuessedBytesMax);
  if (bytes.size() < kGuessedBytesMax) return guess_stretch(bytes);
  std::array<std::string_view, kStretches> guesses{
      guess_stretch(bytes.substr(0, kStretchBytes)),
      guess_stretch(bytes.substr(bytes.size() / 2, kStretchBytes)),
      guess_stretch(bytes.substr(bytes.size() - kStretchBytes))};
  // A stretch of ASCII does not count. Two equal guesses win, else the first.
  const auto empty = std::remove(guesses.begin(), guesses.end(), std::string_view());
  if (empty == guesses.end() && guesses[1] == guesses[2]) return guesses[1];
  return guesses[0];
}

}  // namespace shingled::mime
