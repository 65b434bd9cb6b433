#include "milter/model/json_reader.h"

#include <fmt/format.h>

#include <cstdlib>

namespace shingled::milter::model {

namespace {

using nlohmann::json;
constexpr int kBracketsMax = 16;

}  // namespace

Result<json> read_json(std::string_view text) {
  if (text.size() > kModelBytesMax)
    return Error{ErrorCode::kLimit, fmt::format("longer than {} bytes", kModelBytesMax)};
  bool too_deep = false;
  const json::parser_callback_t watch = [&](int depth, json::parse_event_t, json&) {
    too_deep = too_deep || depth > kBracketsMax;
    return depth <= kBracketsMax;
  };
  json out = json::parse(text, watch, false);
  if (too_deep) return Error{ErrorCode::kLimit, "brackets within brackets, too deep"};
  if (out.is_discarded()) return Error{ErrorCode::kCorrupt, "not JSON"};
  return out;
}

const json& member(const json& from, const char* name) {
  static const json nothing;
  if (!from.is_object()) return nothing;
  const auto found = from.find(name);
  return found == from.end() ? nothing : *found;
}

double number_of(const json& from, double otherwise) {
  if (from.is_number()) return from.get<double>();
  if (!from.is_string()) return otherwise;
  const auto& text = from.get_ref<const std::string&>();
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size() ? value : otherwise;
}

std::string text_of(const json& from) {
  return from.is_string() ? from.get<std::string>() : std::string();
}

}  // namespace shingled::milter::model
