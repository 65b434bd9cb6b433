#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "mime/html/css_tokenizer.h"

namespace shingled::mime {

/// A length in whole pixels, or a percentage of something unknown here.
struct BoxLength {
  double value = 0;
  bool percent = false;
};

/// The properties of an element's box that can hide it. An absent value was not set.
/// Threads: a value.
struct BoxStyle {
  std::optional<BoxLength> height;
  std::optional<BoxLength> max_height;
  std::optional<BoxLength> width;
  std::optional<BoxLength> left;
  std::optional<BoxLength> top;
  std::optional<BoxLength> text_indent;
  std::optional<bool> overflow_cut;  ///< hidden, clip
  std::optional<bool> positioned;    ///< absolute, fixed
  std::optional<bool> clip_empty;
  std::optional<bool> clip_path_empty;

  /// Takes the values that `later` sets.
  void override_with(const BoxStyle& later);
  /// Takes the values of `other` that are not set here.
  void fill_from(const BoxStyle& other);

  /// Whether the box has no size and no overflow, lies a thousand pixels outside, or is clipped to
  /// nothing.
  /// Source: rspamd from 4.1.1 on.
  [[nodiscard]] bool hides() const;
  [[nodiscard]] bool empty() const;  ///< nothing was set
};

/// Reads the arguments of a shape of clip or clip-path up to its closing parenthesis. Returns
/// whether the shape is empty: rect(), inset(), circle(), ellipse(), polygon(). False for other
/// shapes, and if only a layout could tell.
/// Threads: stateless.
/// Cost: linear.
bool read_empty_shape(CssTokenizer& css, std::string_view name);

}  // namespace shingled::mime
