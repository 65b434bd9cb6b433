#include "mime/html/shown_style.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>

#include "config/base/ascii.h"
#include "mime/html/hsl_color.h"
#include "mime/model/escapes.h"

namespace shingled::mime {
namespace {

constexpr std::size_t kColorPartsMax = 4;
constexpr std::size_t kLegacyBytesMax = 128;
constexpr double kTurn = 360;

template <typename T>
void take(std::optional<T>& value, const std::optional<T>& later) {
  if (later) value = later;
}

/// `#rgba` has one digit a channel, which is repeated.
std::optional<Color> hash_color(std::string_view digits) {
  const std::string_view hex = digits;
  if (!std::ranges::all_of(hex, is_hex)) return std::nullopt;
  if (hex.size() != 4) return parse_color_attribute("#" + std::string(hex));
  std::string twice = "#";
  for (const char c : hex) twice += {c, c};
  return parse_color_attribute(twice);
}

double in_degrees(const CssToken& angle) {
  const std::string unit = ascii::to_lower(angle.text);
  if (unit == "turn") return angle.number * kTurn;
  if (unit == "rad") return angle.number * kTurn / 2 / std::numbers::pi;
  if (unit == "grad") return angle.number * 0.9;
  return angle.number;
}

std::uint8_t to_channel(double value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
}

/// Reads up to the closing parenthesis. Commas, spaces and the slash before the alpha are the same
/// here. Colours of other spaces stay unknown.
std::optional<Color> read_color(CssTokenizer& css, std::string_view function) {
  std::array<CssToken, kColorPartsMax> parts;
  std::size_t count = 0;
  std::size_t depth = 1;
  bool plain = true;
  for (CssToken token = css.next(); token.kind != CssTokenKind::kEnd; token = css.next()) {
    if (token.kind == CssTokenKind::kFunction || token.is('(')) {
      plain = false;
      ++depth;
    }
    if (token.is(')') && --depth == 0) break;
    if (token.kind != CssTokenKind::kNumber) continue;
    if (count == kColorPartsMax) plain = false;
    if (plain) parts[count++] = token;
  }
  const std::string name = ascii::to_lower(function);
  const bool hsl = name == "hsl" || name == "hsla";
  if (!plain || count < 3 || (!hsl && name != "rgb" && name != "rgba")) return std::nullopt;
  const auto channel = [&](std::size_t i, double unit) {
    return to_channel(parts[i].text == "%" ? parts[i].number * 2.55 : parts[i].number * unit);
  };
  Color color = hsl ? hsl_color(in_degrees(parts[0]), parts[1].number, parts[2].number)
                    : Color{channel(0, 1), channel(1, 1), channel(2, 1)};
  if (count == kColorPartsMax) color.alpha = channel(3, 255);
  return color;
}

/// What the value of a declaration says, whatever its property.
struct ShownValues {
  std::optional<Color> color;
  std::optional<CssToken> number;  ///< the last one before a slash
  std::string word;                ///< the last one, lower case
  bool picture = false;            ///< url(), gradients
  bool cut = false;
  bool empty_shape = false;
  bool important = false;
};

void skip_function(CssTokenizer& css) {
  std::size_t depth = 1;
  while (depth > 0) {
    const CssToken token = css.next();
    if (token.kind == CssTokenKind::kEnd) return;
    if (token.kind == CssTokenKind::kFunction || token.is('(')) ++depth;
    if (token.is(')')) --depth;
  }
}

void read_function(CssTokenizer& css, std::string_view name, bool clips, ShownValues& values) {
  const std::string lower = ascii::to_lower(name);
  if (clips) {
    values.empty_shape = read_empty_shape(css, name);
  } else if (lower == "url" || lower.find("gradient") != std::string::npos ||
             lower.find("image") != std::string::npos) {
    values.picture = true;
    skip_function(css);
  } else if (const auto color = read_color(css, name)) {
    values.color = color;
  }
}

void read_word(std::string_view word, ShownValues& values) {
  values.word = ascii::to_lower(word);
  values.cut = values.cut || values.word == "hidden" || values.word == "clip";
  if (const auto color = parse_color_attribute(values.word)) values.color = color;
}

/// Reads from behind the colon to the end of the declaration; false if the block ends there, too.
bool read_values(CssTokenizer& css, bool clips, ShownValues& values) {
  bool behind_slash = false;
  bool exclaimed = false;
  for (CssToken token = css.next();; token = css.next()) {
    if (token.kind == CssTokenKind::kEnd || token.is('}')) return false;
    if (token.is(';')) return true;
    if (token.is('{')) skip_block(css);
    if (token.is('!')) exclaimed = true;
    if (token.is('/')) behind_slash = true;
    if (token.kind == CssTokenKind::kFunction) read_function(css, token.text, clips, values);
    if (token.kind == CssTokenKind::kIdent && exclaimed)
      values.important = ascii::equal_ignoring_case(token.text, "important");
    else if (token.kind == CssTokenKind::kIdent)
      read_word(token.text, values);
    if (token.kind == CssTokenKind::kNumber && !behind_slash) values.number = token;
    if (token.kind == CssTokenKind::kHash)
      if (const auto color = hash_color(token.text)) values.color = color;
  }
}

/// Sizes with names are all of a size to be read.
std::optional<FontSize> font_size_of(const ShownValues& values) {
  if (values.number) return to_font_size(*values.number);
  constexpr double kNamedPixels = 13;
  for (const std::string_view name :
       {"xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large"})
    if (values.word == name) return FontSize{kNamedPixels, false};
  return std::nullopt;
}

struct NamedLength {
  std::string_view name;
  std::optional<BoxLength> BoxStyle::*length;
};
constexpr NamedLength kLengths[] = {
    {"height", &BoxStyle::height}, {"max-height", &BoxStyle::max_height},
    {"width", &BoxStyle::width},   {"left", &BoxStyle::left},
    {"top", &BoxStyle::top},       {"text-indent", &BoxStyle::text_indent},
};

void apply_box(std::string_view property, const ShownValues& values, BoxStyle& box) {
  for (const NamedLength& known : kLengths) {
    if (known.name != property) continue;
    const bool said = values.number.has_value();
    const FontSize size = said ? to_font_size(*values.number) : FontSize{1, true};
    box.*known.length = BoxLength{size.value, size.percent};
  }
  if (property == "overflow") box.overflow_cut = values.cut;
  if (property == "position") box.positioned = values.word == "absolute" || values.word == "fixed";
  if (property == "clip") box.clip_empty = values.empty_shape;
  if (property == "clip-path") box.clip_path_empty = values.empty_shape;
}

void apply(std::string_view property, const ShownValues& values, ShownStyle& style) {
  if (property == "color") {
    take(style.color, values.color);
  } else if (property == "background") {
    // The short form sets what it does not name.
    style.background = values.color.value_or(Color{0, 0, 0, 0});
    style.picture = values.picture;
  } else if (property == "background-color") {
    take(style.background, values.color);
  } else if (property == "background-image") {
    style.picture = values.picture;
  } else if (property == "font" || property == "font-size") {
    take(style.font_size, font_size_of(values));
  } else if (property == "opacity" && values.number) {
    style.opacity = values.number->number / (values.number->text == "%" ? 100 : 1);
  } else if (property == "display" && !values.word.empty()) {
    style.removed = values.word == "none";
  } else if (property == "visibility" && !values.word.empty()) {
    style.invisible = values.word == "hidden" || values.word == "collapse";
  } else {
    apply_box(property, values, style.box);
  }
}

/// Reads one declaration; false behind the last one.
bool read_declaration(CssTokenizer& css, ShownBlock& block) {
  CssToken name = css.next();
  while (name.kind == CssTokenKind::kSpace || name.is(';')) name = css.next();
  if (name.kind == CssTokenKind::kEnd || name.is('}')) return false;
  CssToken colon = css.next();
  while (colon.kind == CssTokenKind::kSpace) colon = css.next();
  if (colon.kind == CssTokenKind::kEnd || colon.is('}')) return false;
  if (colon.is(';')) return true;
  // A name that begins with a dash is none that we know.
  const bool valid = name.kind == CssTokenKind::kIdent && colon.is(':');
  const std::string property = valid ? ascii::to_lower(name.text) : std::string();
  ShownValues values;
  const bool more = read_values(css, property.starts_with("clip"), values);
  if (valid) apply(property, values, values.important ? block.important : block.normal);
  return more;
}

}  // namespace

void ShownStyle::override_with(const ShownStyle& later) {
  take(color, later.color);
  take(background, later.background);
  take(picture, later.picture);
  take(font_size, later.font_size);
  take(opacity, later.opacity);
  take(removed, later.removed);
  take(invisible, later.invisible);
  box.override_with(later.box);
}

bool ShownStyle::empty() const {
  return !color && !background && !picture && !font_size && !opacity && !removed && !invisible &&
         box.empty();
}

ShownBlock read_shown_block(CssTokenizer& css) {
  ShownBlock block;
  while (read_declaration(css, block)) {
  }
  return block;
}

ShownBlock read_shown_attribute(std::string_view css) {
  std::string plain;
  if (css.find_first_of("\\}") != std::string_view::npos) {
    plain = unescape_css(css);
    std::ranges::replace(plain, '}', ' ');  // has no meaning outside a rule
    css = plain;
  }
  CssTokenizer tokens(css);
  return read_shown_block(tokens);
}

std::optional<Color> read_legacy_color(std::string_view text) {
  while (!text.empty() && ascii::is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && ascii::is_space(text.back())) text.remove_suffix(1);
  std::string name = ascii::to_lower(text.substr(0, kLegacyBytesMax));
  if (name.empty() || name == "transparent") return std::nullopt;
  const bool hash = name.front() == '#';
  if (const auto named = hash ? std::nullopt : parse_color_attribute(name)) return named;
  if (hash) name.erase(0, 1);
  if (hash && name.size() == 3 && std::ranges::all_of(name, is_hex))
    return parse_color_attribute("#" + name);
  for (char& c : name)
    if (!is_hex(c)) c = '0';
  while (name.empty() || name.size() % 3 != 0) name += '0';
  std::size_t length = name.size() / 3;
  std::array<std::string_view, 3> parts;
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i] = std::string_view(name).substr(i * length, length);
  constexpr std::size_t kPartMax = 8;
  if (length > kPartMax) {
    for (std::string_view& part : parts) part.remove_prefix(length - kPartMax);
    length = kPartMax;
  }
  while (length > 2 &&
         std::ranges::all_of(parts, [](std::string_view part) { return part.front() == '0'; })) {
    for (std::string_view& part : parts) part.remove_prefix(1);
    --length;
  }
  std::string six = "#";
  for (const std::string_view part : parts) {
    if (length == 1) six += '0';
    six += part.substr(0, 2);
  }
  return parse_color_attribute(six);
}

}  // namespace shingled::mime
