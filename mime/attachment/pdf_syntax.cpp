#include "mime/attachment/pdf_syntax.h"

#include <algorithm>
#include <charconv>

#include "config/base/ascii.h"
#include "mime/model/escapes.h"

namespace shingled::mime {
namespace {

using namespace std::string_view_literals;

bool is_space(char c) { return "\0 \r\n\t\f"sv.find(c) != std::string_view::npos; }
bool is_delimiter(char c) { return "()<>[]{}/%"sv.find(c) != std::string_view::npos; }

class Reader {
 public:
  explicit Reader(std::string_view bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

  [[nodiscard]] std::size_t at() const { return at_; }

  std::optional<PdfValue> value(unsigned depth) {
    if (depth > kPdfDepthMax) {
      too_deep_ = true;
      return std::nullopt;
    }
    std::optional<PdfValue> value;
    const std::size_t begin = at_;
    if (starts_with("[")) {
      value = array(depth);
    } else if (starts_with("<<")) {
      value = dictionary(depth);
    } else {
      skip_spaces();
      value = atom();
      if (value) skip_spaces();
    }
    if (!value) {
      at_ = begin;
      return std::nullopt;
    }
    value->end = at_;
    value->unreadable = value->unreadable || too_deep_;
    return value;
  }

  std::optional<PdfEntry> entry(unsigned depth) {
    const std::size_t begin = at_;
    const std::optional<PdfValue> key = name();
    if (!key) return std::nullopt;
    skip_spaces();
    std::optional<PdfValue> said = value(depth);
    if (!said) {
      at_ = begin;
      return std::nullopt;
    }
    skip_spaces();
    // rspamd cannot build a dictionary that has a comment in place of a value.
    if (said->kind == PdfValue::Kind::kComment) said->unreadable = true;
    return PdfEntry{pdf_text(*key).value_or(""), *said};
  }

  void skip_spaces() {
    while (at_ < bytes_.size() && is_space(bytes_[at_])) ++at_;
  }

  std::optional<PdfValue> comment() {
    if (!starts_with("%")) return std::nullopt;
    at_ = std::min(bytes_.find_first_of("\r\n\f", at_), bytes_.size());
    if (starts_with("\r\n")) {
      at_ += 2;
    } else if (starts_with("\n")) {
      ++at_;
    }
    return PdfValue{};
  }

  std::optional<PdfValue> number() {
    std::size_t end = at_;
    if (end < bytes_.size() && (bytes_[end] == '+' || bytes_[end] == '-')) ++end;
    const std::size_t digits_begin = end;
    while (end < bytes_.size() && ascii::is_digit(bytes_[end])) ++end;
    const std::size_t whole = end - digits_begin;
    if (end < bytes_.size() && bytes_[end] == '.') {
      const std::size_t fraction = end + 1;
      std::size_t fraction_end = fraction;
      while (fraction_end < bytes_.size() && ascii::is_digit(bytes_[fraction_end])) ++fraction_end;
      if (whole > 0 || fraction_end > fraction) end = fraction_end;
    }
    if (end == digits_begin) return std::nullopt;
    PdfValue value{.kind = PdfValue::Kind::kNumber, .text = bytes_.substr(at_, end - at_)};
    value.number = to_number(value.text);
    at_ = end;
    return value;
  }

 private:
  [[nodiscard]] bool starts_with(std::string_view text) const {
    return bytes_.substr(at_, text.size()) == text;
  }

  static double to_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  std::optional<PdfValue> array(unsigned depth) {
    const std::size_t begin = ++at_;
    PdfValue array{.kind = PdfValue::Kind::kArray};
    skip_spaces();
    while (const auto element = value(depth + 1)) {
      array.unreadable = array.unreadable || element->unreadable;
    }
    skip_spaces();
    if (!starts_with("]")) return std::nullopt;
    array.text = bytes_.substr(begin, at_++ - begin);
    return array;
  }

  std::optional<PdfValue> dictionary(unsigned depth) {
    at_ += 2;
    const std::size_t begin = at_;
    PdfValue dictionary{.kind = PdfValue::Kind::kDictionary};
    skip_spaces();
    while (const auto said = entry(depth + 1)) {
      dictionary.unreadable = dictionary.unreadable || said->value.unreadable;
    }
    skip_spaces();
    if (!starts_with(">>")) return std::nullopt;
    dictionary.text = bytes_.substr(begin, at_ - begin);
    at_ += 2;
    return dictionary;
  }

  std::optional<PdfValue> atom() {
    if (auto value = comment()) return value;
    for (const std::string_view word : {"true"sv, "false"sv}) {
      if (!starts_with(word)) continue;
      at_ += word.size();
      return PdfValue{.kind = PdfValue::Kind::kName, .text = word};
    }
    if (auto value = reference()) return value;
    if (auto value = number()) return value;
    if (starts_with("(")) return string();
    if (starts_with("<")) return hex_string();
    return name();
  }

  std::optional<std::string_view> digits(std::size_t& at) const {
    const std::size_t begin = at;
    while (at < bytes_.size() && ascii::is_digit(bytes_[at])) ++at;
    if (at == begin) return std::nullopt;
    return bytes_.substr(begin, at - begin);
  }

  std::optional<PdfValue> reference() {
    std::size_t at = at_;
    const auto object = digits(at);
    if (!object || bytes_.substr(at, 1) != " ") return std::nullopt;
    const auto generation = digits(++at);
    if (!generation || bytes_.substr(at, 2) != " R") return std::nullopt;
    at_ = at + 2;
    return PdfValue{.kind = PdfValue::Kind::kReference,
                    .number = to_number(*object),
                    .generation = to_number(*generation)};
  }

  /// Its parentheses are balanced, except those after a backslash.
  std::optional<PdfValue> string() {
    const std::size_t begin = at_ + 1;
    std::size_t open = 1;
    for (std::size_t at = begin; at < bytes_.size(); ++at) {
      const char c = bytes_[at];
      if (c == '\\') {
        ++at;
      } else if (c == '(') {
        ++open;
      } else if (c == ')' && --open == 0) {
        PdfValue value{.kind = PdfValue::Kind::kString, .text = bytes_.substr(begin, at - begin)};
        value.unreadable = value.text.find('\\') != std::string_view::npos && !pdf_text(value);
        at_ = at + 1;
        return value;
      }
    }
    return std::nullopt;
  }

  std::optional<PdfValue> hex_string() {
    const std::size_t begin = at_ + 1;
    std::size_t end = begin;
    while (end < bytes_.size() && is_hex(bytes_[end])) ++end;
    if (end == bytes_.size() || bytes_[end] != '>') return std::nullopt;
    at_ = end + 1;
    return PdfValue{.kind = PdfValue::Kind::kHexString, .text = bytes_.substr(begin, end - begin)};
  }

  std::optional<PdfValue> name() {
    if (!starts_with("/")) return std::nullopt;
    const std::size_t begin = at_ + 1;
    std::size_t end = begin;
    while (end < bytes_.size() && !is_space(bytes_[end]) && !is_delimiter(bytes_[end])) ++end;
    if (end == begin) return std::nullopt;
    at_ = end;
    return PdfValue{.kind = PdfValue::Kind::kName, .text = bytes_.substr(begin, end - begin)};
  }

  std::string_view bytes_;
  std::size_t at_;
  bool too_deep_ = false;
};

std::string unescape_hex(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const unsigned low = i + 1 < text.size() ? hex_digit(text[i + 1]) : 0;
    out.push_back(static_cast<char>(hex_digit(text[i]) << 4U | low));
  }
  return out;
}

/// Decodes "#41", but only with decimal digits.
std::string unescape_name(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '#' && i + 2 < text.size() && ascii::is_digit(text[i + 1]) &&
                        ascii::is_digit(text[i + 2]);
    out.push_back(escape ? static_cast<char>(hex_digit(text[i + 1]) << 4U | hex_digit(text[i + 2]))
                         : text[i]);
    if (escape) i += 2;
  }
  return out;
}

/// Decodes the escapes of line breaks; other escapes keep their backslash.
std::string unescape_breaks(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size() || ascii::is_digit(text[i + 1])) {
      out.push_back(text[i]);
      continue;
    }
    const char next = text[++i];
    if (next == 'r') {
      out.push_back('\r');
    } else if (next == 'n') {
      out.push_back('\n');
    } else {
      out.push_back('\\');
      out.push_back(next);
    }
  }
  return out;
}

/// Decodes up to three digits after a backslash; "?" if they are not octal.
std::optional<std::string> unescape_octal(std::string_view text) {
  constexpr std::size_t kDigitsMax = 3;
  constexpr unsigned kByteMax = 255;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size() || !ascii::is_digit(text[i + 1])) {
      out.push_back(text[i]);
      continue;
    }
    unsigned value = 0;
    bool octal = true;
    std::size_t digits = 0;
    for (; digits < kDigitsMax && i + 1 < text.size() && ascii::is_digit(text[i + 1]); ++digits) {
      const char c = text[++i];
      octal = octal && c <= '7';
      value = value * 8 + static_cast<unsigned>(c - '0');
    }
    if (octal && value > kByteMax) return std::nullopt;
    out.push_back(octal ? static_cast<char>(value) : '?');
  }
  return out;
}

}  // namespace

std::vector<PdfValue> read_pdf_values(std::string_view bytes, std::size_t count_max) {
  std::vector<PdfValue> values;
  Reader in(bytes);
  in.skip_spaces();
  while (values.size() < count_max) {
    const std::optional<PdfValue> value = in.value(0);
    if (!value) break;
    values.push_back(*value);
  }
  return values;
}

std::optional<PdfEntry> take_pdf_entry(std::string_view& inside) {
  Reader in(inside);
  in.skip_spaces();
  std::optional<PdfEntry> entry = in.entry(0);
  if (entry) inside.remove_prefix(in.at());
  return entry;
}

std::optional<std::string> pdf_text(const PdfValue& value) {
  if (value.kind == PdfValue::Kind::kHexString) return unescape_hex(value.text);
  if (value.kind == PdfValue::Kind::kName) return unescape_name(value.text);
  return unescape_octal(unescape_breaks(value.text));
}

std::vector<PdfIndexEntry> read_pdf_index(std::string_view bytes, std::size_t count_max) {
  std::vector<PdfIndexEntry> index;
  Reader in(bytes);
  in.skip_spaces();
  while (in.comment()) in.skip_spaces();
  while (index.size() < count_max) {
    const auto number = in.number();
    const std::size_t number_end = in.at();
    in.skip_spaces();
    if (!number || in.at() == number_end) break;
    const auto offset = in.number();
    if (!offset) break;
    index.push_back({number->number, offset->number});
    in.skip_spaces();
  }
  return index;
}

}  // namespace shingled::mime
