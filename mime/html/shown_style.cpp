#include "mime/html/shown_style.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <string>

#include "config/base/ascii.h"
#include "mime/html/css_color.h"
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
  if (hex.size() != 4) return parse_color_attribute(std::string("#").append(hex));
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
  const auto channel = [&](std::size_t i, double unit) { return color_channel(parts[i], unit); };
  Color color = hsl ? hsl_color(in_degrees(parts[0]), parts[1].number, parts[2].number)
                    : Color{channel(0, 1), channel(1, 1), channel(2, 1)};
  if (count == kColorPartsMax) color.alpha = channel(3, 255);
  return color;
}

enum class Property : std::uint8_t {
  kBackground,
  kBackgroundColor,
  kBackgroundImage,
  kClip,
  kClipPath,
  kColor,
  kDisplay,
  kFontSize,
  kLength,  ///< one of the box
  kOpacity,
  kOverflow,
  kPosition,
  kVisibility,
};

struct NamedProperty {
  std::string_view name;
  Property property;
  std::optional<BoxLength> BoxStyle::*length = nullptr;
};
constexpr NamedProperty kProperties[] = {
    {"background", Property::kBackground},
    {"background-color", Property::kBackgroundColor},
    {"background-image", Property::kBackgroundImage},
    {"clip", Property::kClip},
    {"clip-path", Property::kClipPath},
    {"color", Property::kColor},
    {"display", Property::kDisplay},
    {"font", Property::kFontSize},
    {"font-size", Property::kFontSize},
    {"height", Property::kLength, &BoxStyle::height},
    {"left", Property::kLength, &BoxStyle::left},
    {"max-height", Property::kLength, &BoxStyle::max_height},
    {"opacity", Property::kOpacity},
    {"overflow", Property::kOverflow},
    {"position", Property::kPosition},
    {"text-indent", Property::kLength, &BoxStyle::text_indent},
    {"top", Property::kLength, &BoxStyle::top},
    {"visibility", Property::kVisibility},
    {"width", Property::kLength, &BoxStyle::width},
};

const NamedProperty* find_property(std::string_view name) {
  for (const NamedProperty& known : kProperties)
    if (known.name.size() == name.size() && ascii::equal_ignoring_case(known.name, name))
      return &known;
  return nullptr;
}

/// What the value of a declaration says.
struct ShownValues {
  std::optional<Color> color;
  std::optional<CssToken> number;  ///< the last one before a slash
  std::string word;                ///< the last one, lower case
  bool picture = false;            ///< url(), gradients
  bool cut = false;
  bool empty_shape = false;
  bool important = false;
};

bool has_color(Property property) {
  return property == Property::kColor || property == Property::kBackground ||
         property == Property::kBackgroundColor;
}

void skip_function(CssTokenizer& css) {
  std::size_t depth = 1;
  while (depth > 0) {
    const CssToken token = css.next();
    if (token.kind == CssTokenKind::kEnd) return;
    if (token.kind == CssTokenKind::kFunction || token.is('(')) ++depth;
    if (token.is(')')) --depth;
  }
}

void read_function(CssTokenizer& css, std::string_view name, Property property,
                   ShownValues& values) {
  const std::string lower = ascii::to_lower(name);
  if (property == Property::kClip || property == Property::kClipPath) {
    values.empty_shape = read_empty_shape(css, name);
  } else if (lower == "url" || lower.find("gradient") != std::string::npos ||
             lower.find("image") != std::string::npos) {
    values.picture = true;
    skip_function(css);
  } else if (const auto color = read_color(css, name)) {
    values.color = color;
  }
}

void read_word(std::string_view word, Property property, ShownValues& values) {
  values.word = ascii::to_lower(word);
  values.cut = values.cut || values.word == "hidden" || values.word == "clip";
  if (!has_color(property)) return;
  if (const auto color = parse_color_attribute(values.word)) values.color = color;
}

/// Reads from after the colon to the end of the declaration; false if the block ends there, too.
bool read_values(CssTokenizer& css, Property property, ShownValues& values) {
  bool behind_slash = false;
  bool exclaimed = false;
  for (CssToken token = css.next();; token = css.next()) {
    if (token.kind == CssTokenKind::kEnd || token.is('}')) return false;
    if (token.is(';')) return true;
    if (token.is('{')) skip_block(css);
    if (token.is('!')) exclaimed = true;
    if (token.is('/')) behind_slash = true;
    if (token.kind == CssTokenKind::kFunction) read_function(css, token.text, property, values);
    if (token.kind == CssTokenKind::kIdent && exclaimed)
      values.important = ascii::equal_ignoring_case(token.text, "important");
    else if (token.kind == CssTokenKind::kIdent)
      read_word(token.text, property, values);
    if (token.kind == CssTokenKind::kNumber && !behind_slash) values.number = token;
    if (token.kind == CssTokenKind::kHash)
      if (const auto color = hash_color(token.text)) values.color = color;
  }
}

/// Other words are no values: they change nothing.
bool is_display(std::string_view word) {
  static constexpr std::string_view kWords[] = {
      "none",        "block",  "inline",      "inline-block",      "flex",
      "inline-flex", "grid",   "inline-grid", "contents",          "list-item",
      "flow-root",   "run-in", "ruby",        "inherit",           "initial",
      "unset",       "revert", "webkit-box",  "webkit-inline-box", "webkit-flex"};
  return word.starts_with("table") || word == "inline-table" ||
         std::ranges::find(kWords, word) != std::end(kWords);
}

/// Sizes with names are all of a size to be read.
std::optional<FontSize> font_size_of(const ShownValues& values) {
  if (values.number) {
    const CssToken& size = *values.number;
    if (size.number < 0) return std::nullopt;
    if (ascii::equal_ignoring_case(size.text, "em")) return FontSize{size.number * 100, true};
    if (ascii::equal_ignoring_case(size.text, "ex")) return FontSize{size.number * 50, true};
    return to_font_size(size);
  }
  constexpr double kNamedPixels = 13;
  for (const std::string_view name :
       {"xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large"})
    if (values.word == name) return FontSize{kNamedPixels, false};
  return std::nullopt;
}

/// A length that is computed, or a word, is not none.
BoxLength length_of(const ShownValues& values) {
  if (!values.number) return {1, true};
  const FontSize size = to_font_size(*values.number);
  return {size.value, size.percent};
}

void apply(const NamedProperty& named, const ShownValues& values, ShownStyle& style) {
  switch (named.property) {
    case Property::kColor:
      if (values.color) style.color = values.color;
      if (values.word == "initial") style.color = Color{0, 0, 0};
      if (values.word == "inherit" || values.word == "unset") style.color.emplace();
      return;
    case Property::kBackground:
      // The short form sets what it does not name.
      style.background = values.color.value_or(Color{0, 0, 0, 0});
      style.picture = values.picture;
      return;
    case Property::kBackgroundColor:
      return take(style.background, values.color);
    case Property::kBackgroundImage:
      style.picture = values.picture;
      return;
    case Property::kFontSize:
      return take(style.font_size, font_size_of(values));
    case Property::kOpacity:
      if (!values.number) return;
      style.opacity = values.number->number / (values.number->text == "%" ? 100 : 1);
      return;
    case Property::kDisplay:
      if (is_display(values.word)) style.removed = values.word == "none";
      return;
    case Property::kVisibility:
      if (values.word.empty()) return;
      style.invisible = values.word == "hidden" || values.word == "collapse";
      return;
    case Property::kOverflow:
      style.box.overflow_cut = values.cut;
      return;
    case Property::kPosition:
      style.box.positioned = values.word == "absolute" || values.word == "fixed";
      return;
    case Property::kClip:
      style.box.clip_empty = values.empty_shape;
      return;
    case Property::kClipPath:
      style.box.clip_path_empty = values.empty_shape;
      return;
    case Property::kLength:
      style.box.*named.length = length_of(values);
      return;
  }
}

/// Reads one declaration; false after the last one.
bool read_declaration(CssTokenizer& css, ShownBlock& block) {
  CssToken name = css.next();
  while (name.kind == CssTokenKind::kSpace || name.is(';')) name = css.next();
  if (name.kind == CssTokenKind::kEnd || name.is('}')) return false;
  // We know no name that begins with a dash.
  const NamedProperty* known =
      name.kind == CssTokenKind::kIdent ? find_property(name.text) : nullptr;
  if (known == nullptr) {
    if (name.is('{')) skip_block(css);
    return css.skip_value();
  }
  CssToken colon = css.next();
  while (colon.kind == CssTokenKind::kSpace) colon = css.next();
  if (colon.kind == CssTokenKind::kEnd || colon.is('}')) return false;
  if (colon.is(';')) return true;
  if (!colon.is(':')) return css.skip_value();
  ShownValues values;
  const bool more = read_values(css, known->property, values);
  apply(*known, values, values.important ? block.important : block.normal);
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
