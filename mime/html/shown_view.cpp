#include "mime/html/shown_view.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>

#include "config/base/ascii.h"
#include "mime/html/css_selector.h"
#include "mime/html/shown_sheet.h"
#include "mime/html/shown_style.h"

namespace shingled::mime {
namespace {

constexpr Steps kStepsACssByte = 25;
constexpr Steps kStepsAnElement = 30;
constexpr Steps kStepsAMatch = 60;  ///< one comparison of a selector
constexpr Steps kMatchesAByte = 1;  ///< of the document
constexpr std::size_t kStyleBytesMax = 64UL * 1024;
constexpr std::size_t kColorBytesMax = 256;
constexpr std::size_t kMediaBytesMax = 1024;

constexpr int kAlphaMin = 10;
constexpr int kOpaque = 245;
constexpr double kColorDistanceMin = 0.1;
constexpr double kFontPixelsHidden = 3;
constexpr double kOpacityMin = 0.1;
constexpr Color kBlack{0, 0, 0};
constexpr Color kWhite{255, 255, 255};
constexpr Color kLinkBlue{0, 0, 238};

/// What an element passes on to those inside.
struct Inherited {
  Color color = kBlack;
  std::optional<Color> ground = kWhite;  ///< what is under the text; nullopt: a picture
  double font_pixels = 16;
  double opacity = 1;
  bool removed = false;
  bool invisible = false;
};

bool is_cell(const Element& element) { return element.is("td") || element.is("th"); }

/// Whether a browser ends `above` where `element` begins, though it has no closing tag: the tree
/// keeps them nested, as rspamd does.
bool ends_at(const Element& element, const Element& above) {
  if (element.role != ElementRole::kElement || element.info == nullptr) return false;
  if (above.is("p")) return element.info->kind == ElementKind::kBlock && !element.is("tr");
  if (above.is("li")) return element.is("li");
  if (above.is("dt") || above.is("dd")) return element.is("dt") || element.is("dd");
  if (above.is("option")) return element.is("option");
  if (is_cell(above)) return is_cell(element) || element.is("tr");
  return above.is("tr") && element.is("tr");
}

/// `above` seen through `color`.
std::optional<Color> blend(const Color& color, const std::optional<Color>& above) {
  if (color.alpha >= kOpaque) return color;
  if (color.alpha <= kAlphaMin || !above) return above;
  const double share = color.alpha / 255.0;
  const auto channel = [share](std::uint8_t over, std::uint8_t under) {
    return static_cast<std::uint8_t>(over * share + under * (1 - share));
  };
  return Color{channel(color.red, above->red), channel(color.green, above->green),
               channel(color.blue, above->blue)};
}

bool is_without_doctype(std::string_view html) {
  const std::size_t tag = std::min(html.find('<'), html.size());
  return !ascii::starts_with_ignoring_case(html.substr(tag), "<!doctype");
}

class BrowserView {
 public:
  BrowserView(const HtmlTree& tree, std::string_view html, std::size_t rules_max, WorkMeter& meter)
      : tree_(tree), html_(html), sheet_(rules_max), meter_(meter) {}

  /// Whether anything is styled. If not, a browser shows what rspamd prints.
  bool is_styled() {
    for (const Element& element : tree_.elements) {
      if (is_template(element)) styled_ = true;
      if (!element.closed_by_tag || !element.is("style")) continue;
      const std::string_view css =
          html_.substr(element.content, element.close_start - element.content);
      if (!meter_.spend(css.size(), kStepsACssByte)) return false;
      styled_ = true;
      const auto media = written_attribute(html_, element, "media");
      sheet_.add(css, media.value_or("").substr(0, kMediaBytesMax));
    }
    const auto styles = [](const Attribute& attribute) {
      switch (attribute.name) {
        case AttributeName::kStyle:
        case AttributeName::kColor:
        case AttributeName::kBgcolor:
        case AttributeName::kBackground:
        case AttributeName::kText:
        case AttributeName::kHidden:
          return true;
        default:
          return false;
      }
    };
    return styled_ || std::ranges::any_of(tree_.attributes, styles);
  }

  /// Changes `looks`; returns whether it did.
  bool apply(std::vector<Appearance>& looks) {
    if (!meter_.spend(tree_.elements.size(), kStepsAnElement)) return false;
    std::optional<SelectorMatcher> matcher;
    if (!sheet_.empty()) matcher.emplace(tree_, html_);
    const Steps matches_max = html_.size() * kMatchesAByte;
    Steps matches_left = matches_max;
    bool changed = false;
    inherited_.resize(tree_.elements.size());
    parents_.resize(tree_.elements.size(), kNoElement);
    for (ElementIndex i = 0; i < tree_.elements.size(); ++i) {
      const Element& element = tree_.elements[i];
      if (element.role == ElementRole::kComment) continue;
      Inherited now = above(i);
      if (element.role == ElementRole::kElement)
        now = inside(style_of(i, matcher, matches_left), now);
      inherited_[i] = now;
      const Visibility seen = visibility_of(now);
      if (looks[i].visibility == seen) continue;
      looks[i].visibility = seen;
      changed = changed || prints(element);
    }
    return meter_.spend(matches_max - matches_left, kStepsAMatch) && changed;
  }

 private:
  /// What `element` inherits.
  Inherited above(ElementIndex element) {
    ElementIndex parent = tree_.elements[element].parent;
    while (parent != kNoElement && ends_at(tree_.elements[element], tree_.elements[parent]) &&
           !(in_quirks_mode_ && tree_.elements[element].is("table"))) {
      parent = parents_[parent];
    }
    parents_[element] = parent;
    return parent == kNoElement ? Inherited{} : inherited_[parent];
  }

  /// Whether the element has text of its own, or a picture that may have a name.
  [[nodiscard]] bool prints(const Element& element) const {
    if (element.unprinted) return false;
    if (element.is("img")) return true;
    std::size_t at = element.content;
    const auto has_ink = [&](std::size_t end) {
      const std::string_view text = html_.substr(at, end > at ? end - at : 0);
      return text.find_first_not_of(" \t\r\n\f") != std::string_view::npos;
    };
    for (ElementIndex child = element.first_child; child != kNoElement;
         child = tree_.elements[child].next_sibling) {
      const Element& inner = tree_.elements[child];
      if (has_ink(inner.tag_start)) return true;
      at = std::max({at, inner.content, inner.close_end});
    }
    return has_ink(element.close_start);
  }

  ShownStyle style_of(ElementIndex index, const std::optional<SelectorMatcher>& matcher,
                      Steps& matches_left) {
    const Element& element = tree_.elements[index];
    ShownStyle style = by_attributes(element);
    ShownBlock sheet;
    if (matcher) sheet = sheet_.find(*matcher, name_of(element), index, matches_left);
    style.override_with(sheet.normal);
    const ShownBlock* own = nullptr;
    if (const Attribute* said = tree_.attribute(element, AttributeName::kStyle))
      own = &read(element, *said);
    if (own != nullptr) style.override_with(own->normal);
    style.override_with(sheet.important);
    if (own != nullptr) style.override_with(own->important);
    return style;
  }

  /// The same style is often written many times.
  const ShownBlock& read(const Element& element, Attribute attribute) {
    if (attribute.repeated)  // of repeated ones a browser takes the first, rspamd the last
      attribute.raw = written_attribute(html_, element, "style").value_or(attribute.raw);
    const std::string_view raw = attribute.raw.substr(0, kStyleBytesMax);
    const auto [known, added] = blocks_.try_emplace(raw);
    if (added && meter_.spend(raw.size(), kStepsACssByte))
      known->second = read_shown_attribute(attribute.browser_value(kStyleBytesMax));
    return known->second;
  }

  /// Lower case; of those that HTML has not, too.
  [[nodiscard]] std::string name_of(const Element& element) const {
    return element.info != nullptr ? std::string(element.info->name)
                                   : ascii::to_lower(written_name(html_, element));
  }

  /// 3.4 does not know that name.
  [[nodiscard]] bool is_template(const Element& element) const {
    if (element.info != nullptr) return element.is("template");
    return element.role == ElementRole::kElement &&
           ascii::equal_ignoring_case(written_name(html_, element), "template");
  }

  [[nodiscard]] std::optional<Color> color_of(const Element& element, AttributeName name) const {
    const Attribute* said = tree_.attribute(element, name);
    return said == nullptr ? std::nullopt : read_legacy_color(said->browser_value(kColorBytesMax));
  }

  [[nodiscard]] ShownStyle by_attributes(const Element& element) const {
    ShownStyle style;
    if (element.attributes_begin == element.attributes_end) {
      if (is_template(element)) style.removed = true;
      return style;
    }
    // A link has a colour of its own, unless something says otherwise.
    if (element.is("a") && tree_.attribute(element, AttributeName::kHref) != nullptr)
      style.color = kLinkBlue;
    const auto ink = element.is("font")   ? color_of(element, AttributeName::kColor)
                     : element.is("body") ? color_of(element, AttributeName::kText)
                                          : std::nullopt;
    if (ink) style.color = ink;
    const bool has_ground = element.is("body") || element.is("table") || element.is("tr") ||
                            element.is("tbody") || is_cell(element);
    if (has_ground) {
      style.background = color_of(element, AttributeName::kBgcolor);
      if (tree_.attribute(element, AttributeName::kBackground) != nullptr) style.picture = true;
    }
    if (is_template(element) || tree_.attribute(element, AttributeName::kHidden) != nullptr)
      style.removed = true;
    return style;
  }

  static Inherited inside(const ShownStyle& style, Inherited now) {
    if (style.color) now.color = style.color->value_or(now.color);
    if (style.background) now.ground = blend(*style.background, now.ground);
    if (style.picture.value_or(false)) now.ground = std::nullopt;
    if (style.font_size) {
      now.font_pixels = style.font_size->percent ? now.font_pixels * style.font_size->value / 100
                                                 : style.font_size->value;
    }
    now.opacity *= std::clamp(style.opacity.value_or(1), 0.0, 1.0);
    now.removed = now.removed || style.removed.value_or(false) || style.box.hides();
    now.invisible = style.invisible.value_or(now.invisible);
    return now;
  }

  static Visibility visibility_of(const Inherited& now) {
    if (now.removed || now.invisible || now.opacity < kOpacityMin ||
        now.font_pixels <= kFontPixelsHidden)
      return Visibility::kHidden;
    if (now.color.alpha < kAlphaMin) return Visibility::kTransparent;
    const bool same = now.ground && color_distance(now.color, *now.ground) < kColorDistanceMin;
    return same ? Visibility::kTransparent : Visibility::kShown;
  }

  const HtmlTree& tree_;
  std::string_view html_;
  ShownSheet sheet_;
  WorkMeter& meter_;
  bool styled_ = false;
  bool in_quirks_mode_ = is_without_doctype(html_);  ///< a table does not end a paragraph
  std::vector<Inherited> inherited_;
  std::vector<ElementIndex> parents_;  ///< as a browser nests them
  std::map<std::string_view, ShownBlock> blocks_;
};

}  // namespace

std::optional<std::vector<Appearance>> browser_appearance(const HtmlTree& tree,
                                                          std::string_view html,
                                                          const std::vector<Appearance>& looks,
                                                          std::size_t rules_max, WorkMeter& meter) {
  BrowserView view(tree, html, rules_max, meter);
  if (!view.is_styled()) return std::nullopt;
  std::vector<Appearance> seen = looks;
  if (!view.apply(seen)) return std::nullopt;
  return seen;
}

}  // namespace shingled::mime
