#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shingled::config {

/// Edits that turn `a` into `b`: insert, delete or replace a byte, swap two neighbours (optimal
/// string alignment).
/// Cost: O(|a| * |b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word that was probably meant by `word`: the nearest of `known`, if at most a third of its
/// bytes are wrong. '-' and '_' are equal. nullopt for a word of more than 64 bytes.
std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> known);

}  // namespace shingled::config
