#include "mime/html/css_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <string>

#include "config/base/ascii.h"
#include "mime/html/css_color.h"

namespace shingled::mime {
namespace {

struct NamedDisplay {
  std::string_view name;
  Display display;
};
constexpr NamedDisplay kDisplays[] = {
    {"none", Display::kNone},
    {"inline", Display::kInline},
    {"inline-block", Display::kInline},
    {"inline-flex", Display::kInline},
    {"inline-table", Display::kInline},
    {"block", Display::kBlock},
    {"flex", Display::kBlock},
    {"grid", Display::kBlock},
    {"list-item", Display::kBlock},
    {"table", Display::kBlock},
    {"table-caption", Display::kCell},
    {"table-cell", Display::kCell},
    {"table-column", Display::kCell},
    {"table-column-group", Display::kCell},
    {"table-footer-group", Display::kCell},
    {"table-header-group", Display::kCell},
    {"table-row", Display::kCell},
    {"table-row-group", Display::kCell},
};

/// Pixels per unit, as rspamd counts them; an unknown unit is a pixel.
struct Unit {
  std::string_view name;
  double pixels;
};
constexpr Unit kUnits[] = {
    {"em", 16},        {"rem", 16},       {"ex", 8},  {"pt", 96.0 / 72},
    {"cm", 96 / 2.54}, {"mm", 96 / 25.4}, {"in", 96}, {"pc", 16},
};

template <typename T>
void assign(std::optional<T>& value, const std::optional<T>& later, Compat compat) {
  if (later && (!value || compat == Compat::kRspamd4)) value = later;
}

/// The properties that matter; the values of others are not read.
enum class Property : std::uint8_t {
  kOther,
  kColor,
  kBackground,
  kFontSize,
  kOpacity,
  kDisplay,
  kVisibility,
  // Properties of the box, which only 4.1.6 reads.
  kHeight,
  kMaxHeight,
  kWidth,
  kLeft,
  kTop,
  kTextIndent,
  kOverflow,
  kPosition,
  kClip,
  kClipPath
};

struct NamedProperty {
  std::string_view name;
  Property property;
};
constexpr NamedProperty kProperties[] = {
    {"color", Property::kColor},           {"font-color", Property::kColor},
    {"background", Property::kBackground}, {"background-color", Property::kBackground},
    {"bgcolor", Property::kBackground},    {"font", Property::kFontSize},
    {"font-size", Property::kFontSize},    {"opacity", Property::kOpacity},
    {"display", Property::kDisplay},       {"visibility", Property::kVisibility},
};

constexpr NamedProperty kBoxProperties[] = {
    {"height", Property::kHeight},     {"max-height", Property::kMaxHeight},
    {"width", Property::kWidth},       {"left", Property::kLeft},
    {"top", Property::kTop},           {"text-indent", Property::kTextIndent},
    {"overflow", Property::kOverflow}, {"position", Property::kPosition},
    {"clip", Property::kClip},         {"clip-path", Property::kClipPath},
};

Property find_property(std::span<const NamedProperty> properties, std::string_view name) {
  for (const NamedProperty& known : properties) {
    if (known.name.size() == name.size() && ascii::equal_ignoring_case(known.name, name)) {
      return known.property;
    }
  }
  return Property::kOther;
}

Property property_of(std::string_view name, Compat compat) {
  const Property property = find_property(kProperties, name);
  if (property != Property::kOther || compat == Compat::kRspamd3) return property;
  return find_property(kBoxProperties, name);
}

/// The values of one declaration; of each type the last counts.
struct DeclarationValues {
  std::optional<Color> color;
  std::optional<FontSize> size;
  std::optional<double> fraction;  ///< of 1, for opacity
  std::optional<Display> display;
  bool hidden = false;
  bool collapsed = false;
  std::optional<bool> cut;         ///< for overflow
  std::optional<bool> positioned;  ///< for position
  bool empty_shape = false;        ///< for clip and clip-path
};

void add_word(DeclarationValues& values, std::string_view word, Property property) {
  const std::string lower = ascii::to_lower(word);
  const bool has_color = property == Property::kColor || property == Property::kBackground;
  if (const auto color = has_color ? named_color(lower) : std::nullopt) values.color = color;
  if (lower == "hidden") values.hidden = true;
  if (lower == "collapse") values.collapsed = true;
  values.cut = lower == "hidden" || lower == "clip";
  values.positioned = lower == "absolute" || lower == "fixed";
  for (const NamedDisplay& known : kDisplays) {
    if (known.name == lower) values.display = known.display;
  }
}

/// What ended the value of a declaration.
enum class ValueEnd : std::uint8_t { kSemicolon, kBody };

bool is_clip(Property property) {
  return property == Property::kClip || property == Property::kClipPath;
}

bool opens_block(const CssToken& token) { return token.is('{') || token.is('(') || token.is('['); }

CssToken next_word(CssTokenizer& css) {
  CssToken token = css.next();
  while (token.kind == CssTokenKind::kSpace) token = css.next();
  return token;
}

/// A misplaced block ends the body: skips to its end, with balanced braces.
void skip_body(CssTokenizer& css, const CssToken& block) { skip_block(css, block.is('{') ? 2 : 1); }

/// Reads values from `token` on.
ValueEnd read_values(CssTokenizer& css, CssToken token, Property property,
                     DeclarationValues& values) {
  const bool matters = property != Property::kOther;
  for (;; token = css.next()) {
    if (token.is(';')) return ValueEnd::kSemicolon;
    if (token.kind == CssTokenKind::kEnd || token.is('}')) return ValueEnd::kBody;
    if (opens_block(token)) {
      skip_body(css, token);
      return ValueEnd::kBody;
    }
    if (token.kind == CssTokenKind::kIdent && matters) add_word(values, token.text, property);
    if (token.kind == CssTokenKind::kNumber && matters) {
      values.size = to_font_size(token);
      values.fraction = token.text == "%" ? token.number / 100 : token.number;
    }
    if (token.kind == CssTokenKind::kHash) {
      if (const auto color = hex_color(token.text)) values.color = color;
    }
    if (token.kind == CssTokenKind::kFunction && is_clip(property)) {
      values.empty_shape = read_empty_shape(css, token.text);
    } else if (token.kind == CssTokenKind::kFunction) {
      if (const auto color = read_color_function(css, token.text)) values.color = color;
    }
  }
}

BoxStyle to_box(Property property, const DeclarationValues& values) {
  std::optional<BoxLength> length;
  if (values.size) length = BoxLength{values.size->value, values.size->percent};
  BoxStyle box;
  if (property == Property::kHeight) box.height = length;
  if (property == Property::kMaxHeight) box.max_height = length;
  if (property == Property::kWidth) box.width = length;
  if (property == Property::kLeft) box.left = length;
  if (property == Property::kTop) box.top = length;
  if (property == Property::kTextIndent) box.text_indent = length;
  if (property == Property::kOverflow) box.overflow_cut = values.cut;
  if (property == Property::kPosition) box.positioned = values.positioned;
  if (property == Property::kClip) box.clip_empty = values.empty_shape;
  if (property == Property::kClipPath) box.clip_path_empty = values.empty_shape;
  return box;
}

StyleValues to_style(Property property, const DeclarationValues& values, Compat compat) {
  StyleValues style;
  switch (property) {
    case Property::kColor:
      style.color = values.color;
      break;
    case Property::kBackground:
      style.background = values.color;
      break;
    case Property::kFontSize:
      style.font_size = values.size;
      break;
    case Property::kOpacity:
      style.opacity = values.fraction;
      break;
    case Property::kDisplay:
      style.display = values.display;
      style.display_seen = values.display.has_value();
      break;
    case Property::kVisibility:
      style.visibility_seen = values.hidden || (values.collapsed && compat == Compat::kRspamd4);
      if (style.visibility_seen) style.display = Display::kNone;
      break;
    case Property::kOther:
      break;
    default:
      style.box = to_box(property, values);
  }
  return style;
}

/// Reads one declaration into `style`; false after the last one.
bool read_declaration(CssTokenizer& css, Compat compat, StyleValues& style) {
  const CssToken name = next_word(css);
  if (name.kind == CssTokenKind::kEnd || name.is('}')) return false;
  if (opens_block(name)) {
    skip_body(css, name);
    return false;
  }
  // An empty declaration swallows the next one, as its semicolon counts as a name.
  const bool named = name.kind == CssTokenKind::kIdent;
  const CssToken colon = next_word(css);
  const bool valid = named && colon.is(':');
  const Property property = valid ? property_of(name.text, compat) : Property::kOther;
  DeclarationValues values;
  const ValueEnd end = read_values(css, valid ? css.next() : colon, property, values);
  if (property != Property::kOther) style.merge(to_style(property, values, compat), compat);
  return end == ValueEnd::kSemicolon;
}

}  // namespace

FontSize to_font_size(const CssToken& number) {
  if (number.text == "%") return {std::trunc(number.number), true};
  const std::string unit = ascii::to_lower(number.text);
  const auto* found = std::find_if(std::begin(kUnits), std::end(kUnits),
                                   [&unit](const Unit& known) { return known.name == unit; });
  const double pixels = found == std::end(kUnits) ? 1 : found->pixels;
  return {std::trunc(number.number * pixels), false};
}

void StyleValues::merge(const StyleValues& later, Compat compat) {
  assign(color, later.color, compat);
  assign(background, later.background, compat);
  assign(font_size, later.font_size, compat);
  assign(opacity, later.opacity, compat);
  box.override_with(later.box);
  // In 3.4 `display` and `visibility` count once each, and the later one wins.
  const bool repeated =
      (later.display_seen && display_seen) || (later.visibility_seen && visibility_seen);
  if (later.display && (!repeated || compat == Compat::kRspamd4)) display = later.display;
  display_seen = display_seen || later.display_seen;
  visibility_seen = visibility_seen || later.visibility_seen;
}

StyleValues parse_rule_body(CssTokenizer& css, Compat compat) {
  StyleValues style;
  while (read_declaration(css, compat, style)) {
  }
  return style;
}

StyleValues parse_style_attribute(std::string_view css, Compat compat) {
  const auto has = [css](char c) { return css.find(c) != std::string_view::npos; };
  if (!has('\\') && !has('}')) {
    CssTokenizer tokens(css);
    return parse_rule_body(tokens, compat);
  }
  std::string plain = unescape_css(css);
  std::replace(plain.begin(), plain.end(), '}', ' ');  // has no meaning outside a rule
  CssTokenizer tokens(plain);
  return parse_rule_body(tokens, compat);
}

}  // namespace shingled::mime
