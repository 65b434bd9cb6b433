#include "mime/html/box_style.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "config/base/ascii.h"

namespace shingled::mime {
namespace {

/// At this offset to the left or above nothing is on a screen.
constexpr double kOutsidePixels = -1000;
constexpr double kWholePercent = 100;

bool is_nothing(const std::optional<BoxLength>& length) { return length && length->value == 0; }

bool is_outside(const std::optional<BoxLength>& length) {
  return length && !length->percent && length->value <= kOutsidePixels;
}

template <typename T>
void take(std::optional<T>& value, const std::optional<T>& other) {
  if (other) value = other;
}

template <typename T>
void fill(std::optional<T>& value, const std::optional<T>& other) {
  if (!value) value = other;
}

/// The arguments of a shape: its numbers in order, and other facts that matter.
struct ShapeNumbers {
  static constexpr std::size_t kMax = 4;
  std::array<CssToken, kMax> first;
  std::size_t count = 0;
  bool other_words = false;  ///< among the first numbers: auto, calc(), ...
  bool one_point = true;     ///< all pairs of numbers are equal
  bool ended = false;        ///< "at" or "round": no sizes follow
  CssToken pair[2];

  void add(const CssToken& token) {
    if (token.kind == CssTokenKind::kIdent) {
      const std::string word = ascii::to_lower(token.text);
      if (word == "at" || word == "round")
        ended = true;
      else if (!ended)
        other_words = true;
    }
    if (token.kind == CssTokenKind::kFunction) other_words = true;
    if (token.kind != CssTokenKind::kNumber || ended) return;
    if (count < 2) {
      pair[count] = token;
    } else {
      const CssToken& known = pair[count % 2];
      one_point = one_point && known.number == token.number && known.text == token.text;
    }
    if (count < kMax) first[count] = token;
    ++count;
  }
};

/// Whether two opposite sides of an inset meet, whatever the size of the box.
bool meet(const CssToken& a, const CssToken& b) {
  const auto percent = [](const CssToken& side) { return side.text == "%" ? side.number : 0; };
  return a.number >= 0 && b.number >= 0 && percent(a) + percent(b) >= kWholePercent;
}

/// rect(top, right, bottom, left), as lengths from the upper left corner.
bool is_empty_rect(const ShapeNumbers& numbers) {
  if (numbers.count != 4) return false;
  const auto& side = numbers.first;
  return side[2].number <= side[0].number || side[1].number <= side[3].number;
}

/// One to four numbers, as for margins.
bool is_empty_inset(const ShapeNumbers& numbers) {
  if (numbers.count == 0 || numbers.count > 4) return false;
  const CssToken& top = numbers.first[0];
  const CssToken& right = numbers.count > 1 ? numbers.first[1] : top;
  const CssToken& bottom = numbers.count > 2 ? numbers.first[2] : top;
  const CssToken& left = numbers.count > 3 ? numbers.first[3] : right;
  return meet(top, bottom) || meet(left, right);
}

/// Calls `each` with every property of `style` and the same one of `other`.
template <typename Each>
void for_each_property(BoxStyle& style, const BoxStyle& other, const Each& each) {
  each(style.height, other.height);
  each(style.max_height, other.max_height);
  each(style.width, other.width);
  each(style.left, other.left);
  each(style.top, other.top);
  each(style.text_indent, other.text_indent);
  each(style.overflow_cut, other.overflow_cut);
  each(style.positioned, other.positioned);
  each(style.clip_empty, other.clip_empty);
  each(style.clip_path_empty, other.clip_path_empty);
}

}  // namespace

void BoxStyle::override_with(const BoxStyle& later) {
  for_each_property(*this, later, [](auto& value, const auto& other) { take(value, other); });
}

void BoxStyle::fill_from(const BoxStyle& other) {
  for_each_property(*this, other, [](auto& value, const auto& known) { fill(value, known); });
}

bool BoxStyle::hides() const {
  const bool without_size = is_nothing(height) || is_nothing(max_height) || is_nothing(width);
  if (without_size && overflow_cut.value_or(false)) return true;
  if (positioned.value_or(false) && (is_outside(left) || is_outside(top))) return true;
  return is_outside(text_indent) || clip_empty.value_or(false) || clip_path_empty.value_or(false);
}

bool BoxStyle::empty() const {
  return !height && !max_height && !width && !left && !top && !text_indent && !overflow_cut &&
         !positioned && !clip_empty && !clip_path_empty;
}

bool read_empty_shape(CssTokenizer& css, std::string_view name) {
  ShapeNumbers numbers;
  std::size_t depth = 1;
  for (CssToken token = css.next(); token.kind != CssTokenKind::kEnd; token = css.next()) {
    if (depth == 1) numbers.add(token);
    if (token.kind == CssTokenKind::kFunction || token.is('(')) ++depth;
    if (token.is(')') && --depth == 0) break;
  }
  if (numbers.other_words) return false;
  const std::string shape = ascii::to_lower(name);
  if (shape == "rect") return is_empty_rect(numbers);
  if (shape == "inset") return is_empty_inset(numbers);
  if (shape == "polygon") return numbers.count >= 2 && numbers.one_point;
  const bool round = shape == "circle" || shape == "ellipse";
  return round && numbers.count > 0 && numbers.first[0].number == 0;
}

}  // namespace shingled::mime
