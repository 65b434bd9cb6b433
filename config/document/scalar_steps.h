#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "config/document/places.h"

namespace shingled::config {

/// From this byte of a scalar's value on, the places in the text are counted on from `position`.
struct ScalarStep {
  std::size_t offset = 0;
  Position position;
};

/// Where the bytes of a scalar's value are in the text: after its quote, where a line of a folded
/// or literal scalar begins, after an escape. Empty if all of them follow each other from the
/// scalar's own position on, as in plain text on one line.
///
/// `begin`, `position`: the place in `text` that the parser gives the scalar. Exact for all bytes
/// but blanks and line ends; they have the place after the letter before them. If the value does
/// not follow from the text, the steps end there.
/// Cost:    one pass over the scalar.
/// Threads: stateless.
std::vector<ScalarStep> scalar_steps(std::string_view text, std::size_t begin,
                                     const Position& position, std::string_view value);

}  // namespace shingled::config
