#include "mime/html/visibility.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "mime/html/css_values.h"

namespace shingled::mime {
namespace {

/// Text with less alpha cannot be read.
constexpr int kAlphaMin = 10;
/// Closer colours cannot be distinguished.
constexpr double kColorDistanceMin = 0.1;
/// The size that percentages refer to if no parent has one.
constexpr double kFontSizeDefault = 10;

/// In 4.1.6 smaller or fainter text cannot be read.
constexpr double kFontPixelsHidden = 3;
constexpr double kOpacityMin = 0.1;

constexpr Color kBlack{0, 0, 0};
constexpr Color kWhite{255, 255, 255};

constexpr Steps kStepsACssByte = 50;  ///< of a sheet, a style or a class: a look-up for two bytes

// Limits for attributes: a style may contain a picture.
constexpr std::size_t kStyleBytesMax = 1024UL * 1024;
constexpr std::size_t kClassBytesMax = 64UL * 1024;
constexpr std::size_t kIdBytesMax = 4096;
constexpr std::size_t kColorBytesMax = 256;

/// The value of an attribute, or empty.
std::string value_of(const HtmlTree& tree, const Element& element, AttributeName name,
                     std::size_t bytes_max) {
  const Attribute* attribute = tree.attribute(element, name);
  return attribute == nullptr ? std::string() : attribute->value(bytes_max);
}

std::optional<Color> color_of(const HtmlTree& tree, const Element& element, AttributeName name) {
  const Attribute* attribute = tree.attribute(element, name);
  if (attribute == nullptr) return std::nullopt;
  return parse_color_attribute(attribute->value(kColorBytesMax));
}

/// Empty elements and placeholders have the style of their parent.
bool shares_style(const Element& element) {
  return element.role != ElementRole::kElement || (element.info != nullptr && element.info->empty);
}

Steps style_steps(const HtmlTree& tree, const Element& element) {
  Steps steps = 0;
  for (const AttributeName name : {AttributeName::kStyle, AttributeName::kClass}) {
    if (const Attribute* said = tree.attribute(element, name)) {
      steps += std::min(said->raw.size(), kStyleBytesMax) * kStepsACssByte;
    }
  }
  return steps;
}

/// Styles as attributes say them: the same one is often written many times.
class StyleCache {
 public:
  explicit StyleCache(Compat compat) : compat_(compat) {}

  const StyleValues& read(const Attribute& css) {
    const auto [known, added] = styles_.try_emplace(css.raw);
    if (added) known->second = parse_style_attribute(css.value(kStyleBytesMax), compat_);
    return known->second;
  }

 private:
  Compat compat_;
  std::map<std::string_view, StyleValues> styles_;  ///< by the attribute as it is written
};

StyleValues own_style(const HtmlTree& tree, const Element& element, StyleCache& styles) {
  if (shares_style(element)) return {};
  StyleValues style;
  if (const Attribute* css = tree.attribute(element, AttributeName::kStyle)) {
    style = styles.read(*css);
  }
  if (const auto color = color_of(tree, element, AttributeName::kColor)) style.color = color;
  if (const auto background = color_of(tree, element, AttributeName::kBgcolor))
    style.background = background;
  if (tree.attribute(element, AttributeName::kHidden) != nullptr) style.display = Display::kNone;
  return style;
}

template <typename T>
void fill(std::optional<T>& value, const std::optional<T>& source) {
  if (!value) value = source;
}

void apply_sheet(const HtmlTree& tree, const Element& element, const StyleSheet& sheet,
                 StyleValues& style) {
  if (element.role != ElementRole::kElement) return;
  const StyleValues found =
      sheet.find(element.info == nullptr ? "" : element.info->name,
                 value_of(tree, element, AttributeName::kClass, kClassBytesMax),
                 value_of(tree, element, AttributeName::kId, kIdBytesMax));
  fill(style.color, found.color);
  fill(style.background, found.background);
  fill(style.font_size, found.font_size);
  fill(style.opacity, found.opacity);
  style.box.fill_from(found.box);
  fill(style.display, found.display);
}

/// Percentages become pixels below a real parent; below the implicit root they stay.
void inherit_font_size(std::optional<FontSize>& size, const Element& above,
                       const StyleValues& parent) {
  if (!size) {
    size = parent.font_size;
  } else if (size->percent && !above.implicit) {
    const FontSize base = parent.font_size.value_or(FontSize{kFontSizeDefault});
    const double pixels = base.percent ? base.value / 100 * kFontSizeDefault : base.value;
    size = FontSize{std::trunc(pixels * size->value / 100), false};
  }
}

void inherit(const Element& element, const Element& above, const StyleValues& parent,
             StyleValues& style) {
  fill(style.color, parent.color);
  fill(style.background, parent.background);
  inherit_font_size(style.font_size, above, parent);
  // Other elements have their own display, at least by name, which no parent hides.
  if (shares_style(element)) fill(style.display, parent.display);
}

bool too_similar(const Color& foreground, const Color& background) {
  return color_distance(foreground, background) < kColorDistanceMin;
}

bool unreadable(const StyleValues& style) {
  if (style.color && style.color->alpha < kAlphaMin) return true;
  if (!style.background) return style.color && too_similar(*style.color, kWhite);
  if (style.background->alpha <= kAlphaMin) return false;
  return too_similar(style.color.value_or(kBlack), *style.background);
}

bool too_small(const FontSize& size, Compat compat) {
  if (compat == Compat::kRspamd4 && !size.percent) return size.value <= kFontPixelsHidden;
  return size.value == 0;
}

Visibility visibility_of(const StyleValues& style, Compat compat) {
  if (style.display == Display::kNone) return Visibility::kHidden;
  if (style.box.hides()) return Visibility::kHidden;
  if (style.font_size && too_small(*style.font_size, compat)) return Visibility::kHidden;
  return unreadable(style) ? Visibility::kTransparent : Visibility::kShown;
}

ElementKind kind_of(const Element& element, const std::optional<Display>& display) {
  if (!display) return element.info == nullptr ? ElementKind::kInline : element.info->kind;
  switch (*display) {
    case Display::kBlock:
      return ElementKind::kBlock;
    case Display::kCell:
      return ElementKind::kCell;
    case Display::kNone:
    case Display::kInline:
      break;
  }
  return ElementKind::kInline;
}

}  // namespace

StyleSheet collect_style_sheet(const HtmlTree& tree, std::string_view html, Compat compat,
                               std::uint32_t rules_max, WorkMeter& meter) {
  StyleSheet sheet(compat, rules_max);
  for (const Element& element : tree.elements) {
    if (!element.closed_by_tag || !element.is("style")) continue;
    const std::string_view css =
        html.substr(element.content, element.close_start - element.content);
    if (!meter.spend(css.size(), kStepsACssByte)) break;
    sheet.add(css);
  }
  return sheet;
}

std::vector<Appearance> compute_appearance(const HtmlTree& tree, const StyleSheet& sheet,
                                           Compat compat, WorkMeter& meter) {
  std::vector<Appearance> appearance(tree.elements.size());
  std::vector<StyleValues> styles(tree.elements.size());
  StyleCache written(compat);
  for (std::size_t i = 0; i < tree.elements.size(); ++i) {
    const Element& element = tree.elements[i];
    if (!meter.spend(style_steps(tree, element))) break;
    StyleValues& style = styles[i];
    style = own_style(tree, element, written);
    if (!sheet.empty()) apply_sheet(tree, element, sheet, style);
    if (compat == Compat::kRspamd4 && style.opacity.value_or(1) < kOpacityMin) {
      style.display = Display::kNone;
    }
    if (element.parent != kNoElement) {
      inherit(element, tree.elements[element.parent], styles[element.parent], style);
    }

    if (element.role == ElementRole::kComment) {
      appearance[i].visibility = Visibility::kHidden;
      continue;
    }
    appearance[i] = {visibility_of(style, compat), kind_of(element, style.display)};
    const bool outside = element.parent != kNoElement && tree.elements[element.parent].implicit;
    if (outside && shares_style(element)) appearance[i].kind = ElementKind::kInline;
  }
  return appearance;
}

}  // namespace shingled::mime
