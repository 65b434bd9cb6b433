#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "config/base/result.h"

namespace shingled::milter::model {

/// Files of models have at most so many bytes, imported ones, too.
inline constexpr std::size_t kModelBytesMax = std::size_t{32} << 20U;

/// Reads JSON of anybody. Depth is bounded.
/// Errors: kCorrupt, kLimit.
Result<nlohmann::json> read_json(std::string_view text);

/// The member `name` of an object; null if it is not there, or `from` is no object.
const nlohmann::json& member(const nlohmann::json& from, const char* name);
/// A number, also one that is written as text; `otherwise` if it is neither.
double number_of(const nlohmann::json& from, double otherwise);
std::string text_of(const nlohmann::json& from);

}  // namespace shingled::milter::model
