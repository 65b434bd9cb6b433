#include "mime/charset/charset.h"

#include <unicode/ucnv.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "config/base/ascii.h"
#include "config/base/reused_thread_local.h"
#include "mime/charset/charset_guess.h"
#include "mime/charset/utf8.h"

namespace shingled::mime {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLabelBytesMax = 64;
constexpr std::size_t kWordBytesMax = std::size_t{16} << 20U;  ///< of a header as UTF-8

struct CloseConverter {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using ConverterPtr = std::unique_ptr<UConverter, CloseConverter>;

/// Names that ICU does not know, or that mean something else to it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kAliases{{
    {"ksc5601", "euc-kr"},
    // To ICU these are the bare 7-bit table, which nobody sends; browsers read GBK.
    {"chinese", "gb18030"},
    {"csiso58gb231280", "gb18030"},
    {"gb_2312-80", "gb18030"},
    {"iso-ir-58", "gb18030"},
    {"x-big5", "big5"},
    {"unicode-1-1-utf-7", "utf-7"},
}};

/// Charsets that ICU has no table for: such a text stays as it is.
constexpr std::array<std::string_view, 3> kNamesWithoutTable{"iso-8859-16", "johab", "koi8-ru"};

/// `label` in lower case, without surrounding quotes, blanks and dots.
std::string clean_label(std::string_view label) {
  constexpr std::string_view kAround = " \t\r\n\"'.";
  const std::size_t begin = label.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return {};
  label = label.substr(begin, label.find_last_not_of(kAround) - begin + 1);
  std::string clean = ascii::to_lower(label.substr(0, kLabelBytesMax));
  for (const auto& [name, known] : kAliases) {
    if (clean == name) return std::string(known);
  }
  return clean;
}

/// ICU's name for a label that MIME, IANA or Java define; nullptr for other labels. ICU alone knows
/// more, but not always what senders mean by them (converter_of_label()).
const char* canonical_name(const std::string& label) {
  for (const char* standard : {"MIME", "IANA", "JAVA"}) {
    UErrorCode error = U_ZERO_ERROR;
    const char* name = ucnv_getCanonicalName(label.c_str(), standard, &error);
    if (U_SUCCESS(error) != 0 && name != nullptr) return name;
  }
  return nullptr;
}

/// The meaning of a label.
struct Charset {
  enum class Kind : std::uint8_t {
    kUnknown,
    kUtf8,  ///< or ASCII: checked, as much else is sent under these names
    kWithoutTable,
    kKnown
  };
  Kind kind = Kind::kUnknown;
  UConverter* converter = nullptr;  ///< if kKnown
};

/// The converters of this thread, the newest last. A linear search is enough: mail names few
/// charsets.
class ConverterCache {
 public:
  /// The charset of a cleaned label, with its converter reset.
  Charset find(const std::string& label) {
    if (label.empty()) return {};
    for (const Entry& entry : entries_) {
      if (entry.label != label) continue;
      if (entry.converter) ucnv_resetToUnicode(entry.converter.get());
      return {entry.kind, entry.converter.get()};
    }
    if (entries_.size() >= kConvertersMax) entries_.erase(entries_.begin());
    const Entry& entry = entries_.emplace_back(open(label));
    return {entry.kind, entry.converter.get()};
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
  struct Entry {
    std::string label;
    Charset::Kind kind = Charset::Kind::kUnknown;
    ConverterPtr converter;
  };

  static Entry open(const std::string& label) {
    Entry entry{label, Charset::Kind::kUnknown, nullptr};
    const char* name = canonical_name(label);
    // The table has literals, which end in NUL.
    if (name == nullptr) name = converter_of_label(label).data();
    if (std::find(kNamesWithoutTable.begin(), kNamesWithoutTable.end(), label) !=
        kNamesWithoutTable.end()) {
      entry.kind = Charset::Kind::kWithoutTable;
    } else if (name == nullptr) {
      return entry;
    } else if (ascii::equal_ignoring_case(name, "US-ASCII") ||
               ascii::equal_ignoring_case(name, "UTF-8")) {
      entry.kind = Charset::Kind::kUtf8;
    } else {
      UErrorCode error = U_ZERO_ERROR;
      entry.converter.reset(ucnv_open(name, &error));
      entry.kind = U_SUCCESS(error) != 0 ? Charset::Kind::kKnown : Charset::Kind::kUnknown;
    }
    return entry;
  }

  std::vector<Entry> entries_;
  ConverterPtr utf8_;
};

ConverterCache& converters() { return ReusedThreadLocal<ConverterCache>::of_this_thread(); }

/// Converts in pieces, until the output has `bytes_max` bytes; invalid input becomes U+FFFD.
std::string convert(UConverter* from, std::string_view bytes, std::size_t bytes_max) {
  UConverter* to = converters().utf8();
  std::string out;
  if (to == nullptr) return out;
  out.reserve(std::min(bytes.size() + bytes.size() / 2, bytes_max));
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
  } while (error == U_BUFFER_OVERFLOW_ERROR && out.size() < bytes_max);
  return out;
}

/// A byte order mark and what it says. That of UTF-8 changes nothing.
struct OrderMark {
  std::string_view bytes, charset;
};
// The mark of UTF-32 LE begins with that of UTF-16 LE.
constexpr std::array<OrderMark, 4> kOrderMarks{{{"\xff\xfe\0\0"sv, "utf-32le"},
                                                {"\0\0\xfe\xff"sv, "utf-32be"},
                                                {"\xff\xfe"sv, "utf-16le"},
                                                {"\xfe\xff"sv, "utf-16be"}}};

/// The mark that `bytes` begin with; an empty one if there is none.
OrderMark order_mark(std::string_view bytes) {
  for (const OrderMark& mark : kOrderMarks) {
    if (bytes.substr(0, mark.bytes.size()) == mark.bytes) return mark;
  }
  return {};
}

std::string replace_invalid(std::string_view bytes, std::string_view replacement) {
  std::string out;
  out.reserve(bytes.size());
  std::size_t at = 0;
  while (at < bytes.size()) {
    const std::size_t ascii_end = ascii::find_high(bytes, at);
    out.append(bytes, at, ascii_end - at);
    at = ascii_end;
    if (at == bytes.size()) break;
    const std::size_t size = utf8_sequence_size(bytes, at);
    out.append(size == 0 ? replacement : bytes.substr(at, size));
    at += size == 0 ? 1 : size;
  }
  return out;
}

}  // namespace

bool is_valid_utf8(std::string_view bytes) {
  std::size_t at = ascii::find_high(bytes, 0);
  while (at < bytes.size()) {
    const std::size_t size = utf8_sequence_size(bytes, at);
    if (size == 0) return false;
    at = ascii::find_high(bytes, at + size);
  }
  return true;
}

std::string replace_invalid_utf8(std::string_view bytes) {
  return replace_invalid(bytes, kReplacementCharacter);
}

DecodedText decode_text(std::string_view bytes, std::string_view label, std::size_t utf8_bytes_max,
                        std::string& storage, WorkMeter& meter) {
  std::string clean = clean_label(label);
  const Charset charset = converters().find(clean);
  DecodedText refused{bytes, "", true};
  if (charset.kind == Charset::Kind::kKnown) {
    if (!meter.spend(kStepsAConverter)) return refused;
    storage = convert(charset.converter, bytes, utf8_bytes_max);
    return {storage, std::move(clean)};
  }
  if (charset.kind == Charset::Kind::kWithoutTable) return {bytes, std::move(clean), true};
  if (const OrderMark mark = order_mark(bytes); !mark.bytes.empty()) {
    if (!meter.spend(kStepsAConverter)) return refused;
    std::string name(mark.charset);
    bytes.remove_prefix(mark.bytes.size());
    storage = convert(converters().find(name).converter, bytes, utf8_bytes_max);
    return {storage, std::move(name)};
  }
  if (is_valid_utf8(bytes)) return {bytes, "utf-8"};
  const std::size_t sample = std::min(bytes.size(), kGuessedBytesMax);
  if (!meter.spend(kStepsAGuess + sample * kStepsAGuessedByte)) return refused;
  const std::string_view guess = guess_charset(bytes);
  if (guess == "utf-8") return {bytes, "utf-8"};
  if (!guess.empty()) {
    std::string name(guess);
    storage = convert(converters().find(name).converter, bytes, utf8_bytes_max);
    return {storage, std::move(name)};
  }
  if (charset.kind == Charset::Kind::kUnknown) return {bytes, "", true};
  storage = replace_invalid(bytes, "?");
  return {storage, "utf-8"};
}

std::string decode_word(std::string_view bytes, std::string_view label, WorkMeter& meter) {
  const std::string clean = clean_label(label);
  // An unknown name costs as much as a known one.
  if (clean != "utf-8" && !clean.empty() && !meter.spend(kStepsAConverter)) return {};
  const Charset charset = converters().find(clean);
  if (charset.kind == Charset::Kind::kUtf8) return replace_invalid(bytes, "?");
  if (charset.kind == Charset::Kind::kKnown)
    return convert(charset.converter, bytes, kWordBytesMax);
  return is_valid_utf8(bytes) ? std::string(bytes) : std::string();
}

namespace {

struct LabelledConverter {
  std::string_view label, converter;
};

/// In the order of labels.
constexpr LabelledConverter kLabels[] = {
#include "mime/charset/charset_labels.inc"
};

constexpr bool is_before(const LabelledConverter& a, const LabelledConverter& b) {
  return a.label < b.label;
}
static_assert(std::is_sorted(std::begin(kLabels), std::end(kLabels), is_before));

}  // namespace

std::string_view converter_of_label(std::string_view label) {
  const auto* const found = std::lower_bound(std::begin(kLabels), std::end(kLabels),
                                             LabelledConverter{label, {}}, is_before);
  return found != std::end(kLabels) && found->label == label ? found->converter
                                                             : std::string_view();
}

}  // namespace shingled::mime
