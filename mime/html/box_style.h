#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "mime/html/css_tokenizer.h"

namespace shingled::mime {

/// A length in whole pixels, or a share of something that is not known here.
struct BoxLength {
  double value = 0;
  bool percent = false;
};

/// What a style says of the box of an element, as far as it may leave nothing to see; what is
/// absent was not said.
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

  /// Takes what `later` says, too.
  void override_with(const BoxStyle& later);
  /// Takes what `other` says where this says nothing.
  void fill_from(const BoxStyle& other);

  /// The box has no size and shows nothing beyond it, lies a thousand pixels outside, or is clipped
  /// to nothing.
  /// Source: what rspamd holds hidden from 4.1.1 on.
  [[nodiscard]] bool hides() const;
};

/// Reads the arguments of a shape of clip or clip-path, up to and including its parenthesis:
/// whether it leaves nothing. rect(), inset(), circle(), ellipse(), polygon(); false for others,
/// and where it cannot be said without a layout.
/// Threads: stateless.
/// Cost: linear.
bool read_empty_shape(CssTokenizer& css, std::string_view name);

}  // namespace shingled::mime
