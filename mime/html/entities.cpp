#include "mime/html/entities.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "config/base/ascii.h"
#include "mime/charset/utf8.h"
#include "mime/model/escapes.h"

namespace shingled::mime {
namespace {

struct Entity {
  std::string_view name;
  std::string_view text;
  bool legacy;  ///< HTML 4 pages write it without a semicolon
};

constexpr Entity kEntities[] = {
#include "mime/html/entity_table.inc"
};

constexpr ascii::CharSet kTelling(" \t\n\v\f\r&");  ///< all other bytes stay as they are
constexpr std::uint32_t kNoBreakSpace = 0xA0;
constexpr std::uint32_t kCodePointMax = 0x10FFFF;
/// Lengths of legacy names that text may follow directly ("&copy2024"); the longest is tried first.
constexpr std::size_t kGluedNameMax = 5;
constexpr std::size_t kGluedNameMin = 2;

const Entity* find_entity(std::string_view name) {
  const auto* found = std::lower_bound(
      std::begin(kEntities), std::end(kEntities), name,
      [](const Entity& entity, std::string_view wanted) { return entity.name < wanted; });
  return found != std::end(kEntities) && found->name == name ? found : nullptr;
}

/// The text of an entity. rspamd reads the no-break space as an ordinary space.
std::string_view text_of(const Entity& entity) {
  return entity.name == "nbsp" || entity.name == "NonBreakingSpace" ? " " : entity.text;
}

bool is_digit_of(char c, std::uint32_t base) { return hex_digit(c) < base; }

/// The value of `digits`, saturated above the last code point; 0 if empty; nullopt if a character
/// is not a digit.
std::optional<std::uint32_t> parse_code_point(std::string_view digits, std::uint32_t base) {
  std::uint32_t value = 0;
  for (const char c : digits) {
    if (!is_digit_of(c, base)) return std::nullopt;
    value = std::min(value * base + hex_digit(c), kCodePointMax + 1);
  }
  return value;
}

std::string to_utf8(std::uint32_t code_point) {
  if (code_point == kNoBreakSpace) return " ";
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point == 0 || surrogate || code_point > kCodePointMax)
    return std::string(kReplacementCharacter);
  std::string utf8;
  append_utf8(utf8, static_cast<std::int32_t>(code_point));
  return utf8;
}

/// One pass over a run; `at_` reads, `out_` grows.
class Decoder {
 public:
  Decoder(std::string& out, std::string_view run)
      : out_(out), run_(run), start_(out.size()), bytes_max_(out.size() + run.size()) {}

  void decode(Spaces spaces) {
    const bool collapse = spaces == Spaces::kCollapse;
    if (collapse) skip_spaces();
    while (at_ < run_.size()) {
      const std::size_t end = collapse ? plain_end() : std::min(run_.find('&', at_), run_.size());
      append_plain(run_.substr(at_, end - at_));
      at_ = end;
      if (at_ == run_.size()) break;
      if (run_[at_] == '&') {
        reference();
      } else {
        append(" ");
        skip_spaces();
      }
    }
    if (collapse) collapse_end();
  }

 private:
  void skip_spaces() {
    while (at_ < run_.size() && ascii::is_space(run_[at_])) ++at_;
  }

  /// The next ampersand or white space from `at_` on, but not a single space between words.
  [[nodiscard]] std::size_t plain_end() const {
    for (std::size_t at = at_; at < run_.size(); ++at) {
      if (!kTelling.has(run_[at])) continue;
      if (run_[at] != ' ' || at + 1 == run_.size() || kTelling.has(run_[at + 1])) return at;
    }
    return run_.size();
  }

  /// Appends as much as there is room for: a reference may be shorter than its text.
  void append_plain(std::string_view text) { out_ += text.substr(0, bytes_max_ - out_.size()); }

  /// Decoded spaces stay, except that those at the end of the run become one.
  void collapse_end() {
    if (out_.size() == start_ || !ascii::is_space(out_.back())) return;
    while (out_.size() > start_ && ascii::is_space(out_.back())) out_.pop_back();
    out_ += ' ';
  }

  void append(std::string_view text) {
    if (out_.size() + text.size() <= bytes_max_) out_ += text;
  }

  /// Decodes the reference at `at_`, an ampersand, and moves `at_` after it.
  void reference() {
    const std::size_t start = at_++;
    const bool numeric = at_ < run_.size() && run_[at_] == '#';
    if (numeric) {
      numeric_reference(start);
    } else {
      seek_end();
      named_reference(start);
    }
  }

  /// A reference ends at a semicolon, white space, another ampersand or the end.
  void seek_end() {
    while (at_ < run_.size() && run_[at_] != ';' && run_[at_] != '&' &&
           !ascii::is_space(run_[at_])) {
      ++at_;
    }
  }

  [[nodiscard]] bool at_ampersand() const { return at_ < run_.size() && run_[at_] == '&'; }
  void skip_semicolon() {
    if (at_ < run_.size() && run_[at_] == ';') ++at_;
  }

  void named_reference(std::size_t start) {
    const std::string_view name = run_.substr(start + 1, at_ - start - 1);
    if (at_ampersand()) return leave(start);
    if (const Entity* entity = find_entity(name)) {
      append(text_of(*entity));
      return skip_semicolon();
    }
    for (std::size_t length = kGluedNameMax; length >= kGluedNameMin; --length) {
      if (name.size() <= length) continue;
      const Entity* entity = find_entity(name.substr(0, length));
      if (entity == nullptr || !entity->legacy) continue;
      append(text_of(*entity));
      at_ = start + 1 + length;
      return;
    }
    leave_unknown(start);
  }

  void numeric_reference(std::size_t start) {
    ++at_;
    const bool hex = at_ < run_.size() && ascii::to_lower(run_[at_]) == 'x';
    if (hex) ++at_;
    const std::uint32_t base = hex ? 16 : 10;
    const std::size_t digits = at_;
    while (at_ < run_.size() && is_digit_of(run_[at_], base)) ++at_;
    if (at_ == digits) seek_end();
    if (at_ampersand()) {
      // A number also takes the ampersand of a named reference that follows.
      const bool next_numeric = run_.substr(at_).starts_with("&#");
      if (at_ > digits && !next_numeric) ++at_;
      return leave(start);
    }
    const std::string_view text = run_.substr(digits, at_ - digits);
    if (text.empty() && !hex) return skip_semicolon();  // "&#;" vanishes
    if (const auto code_point = parse_code_point(text, base)) {
      append(to_utf8(*code_point));
      return skip_semicolon();
    }
    leave_unknown(start);
  }

  void leave(std::size_t start) { append(run_.substr(start, at_ - start)); }

  /// An unknown reference stays, without its semicolon. At the end of the run it is written twice
  /// if earlier references left room for it. Both are mistakes of rspamd that hashes depend on.
  void leave_unknown(std::size_t start) {
    const std::string_view text = run_.substr(start, at_ - start);
    if (at_ == run_.size()) {
      if (out_.size() + 2 * text.size() <= bytes_max_) append(text);
    }
    append(text);
    skip_semicolon();
  }

  std::string& out_;
  std::string_view run_;
  std::size_t start_;  ///< of this run in `out_`
  std::size_t bytes_max_;
  std::size_t at_ = 0;
};

/// The longest name in the table, "CounterClockwiseContourIntegral".
constexpr std::size_t kReferenceNameBytesMax = 31;

/// What a browser makes of a number: the control characters of Latin-1 are those of Windows.
std::uint32_t as_windows(std::uint32_t code) {
  static constexpr std::array<std::uint16_t, 32> kWindows = {
      0x20AC, 0x81,   0x201A, 0x192,  0x201E, 0x2026, 0x2020, 0x2021, 0x2C6,  0x2030, 0x160,
      0x2039, 0x152,  0x8D,   0x17D,  0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
      0x2013, 0x2014, 0x2DC,  0x2122, 0x161,  0x203A, 0x153,  0x9D,   0x17E,  0x178};
  constexpr std::uint32_t kFirst = 0x80;
  return code >= kFirst && code < kFirst + kWindows.size() ? kWindows[code - kFirst] : code;
}

/// Decodes a reference of the form "&#...". Returns the bytes read; 0 if it has another form.
std::size_t append_number(std::string_view raw, std::string& out) {
  std::size_t at = std::string_view("&#").size();
  const bool hex = at < raw.size() && ascii::to_lower(raw[at]) == 'x';
  const std::uint32_t base = hex ? 16 : 10;
  if (hex) ++at;
  const std::size_t digits = at;
  while (at < raw.size() && is_digit_of(raw[at], base)) ++at;
  if (at == digits) return 0;
  out += to_utf8(as_windows(*parse_code_point(raw.substr(digits, at - digits), base)));
  return at + (at < raw.size() && raw[at] == ';' ? 1 : 0);
}

/// Decodes a reference of the form "&name". Returns the bytes read; 0 if it has another form.
std::size_t append_name(std::string_view raw, std::string& out) {
  std::string_view name = raw.substr(1, kReferenceNameBytesMax + 1);
  const auto* const end = std::find_if_not(name.begin(), name.end(), ascii::is_alnum);
  name = name.substr(0, static_cast<std::size_t>(end - name.begin()));
  const Entity* const entity = find_entity(name);
  if (entity == nullptr) return 0;
  // Without a semicolon only names of HTML 4 that no "=" follows: "?a=1&copy=2" is a query.
  const bool ends = name.size() + 1 < raw.size() && raw[name.size() + 1] == ';';
  const bool has_value = name.size() + 1 < raw.size() && raw[name.size() + 1] == '=';
  if (!ends && (!entity->legacy || has_value)) return 0;
  out += entity->text;
  return name.size() + (ends ? 2 : 1);
}

}  // namespace

void append_decoded(std::string& out, std::string_view run, Spaces spaces) {
  Decoder(out, run).decode(spaces);
}

std::string attribute_text(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  while (!raw.empty()) {
    const std::size_t plain = std::min(raw.find('&'), raw.size());
    out += raw.substr(0, plain);
    raw.remove_prefix(plain);
    if (raw.empty()) break;
    const std::size_t read =
        raw.starts_with("&#") ? append_number(raw, out) : append_name(raw, out);
    if (read == 0) out += '&';
    raw.remove_prefix(std::max<std::size_t>(read, 1));
  }
  return out;
}

}  // namespace shingled::mime
