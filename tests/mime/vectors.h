#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace shingled {

/// One of the JSON files of measured vectors beside the checkout; nothing where they are absent.
inline std::optional<nlohmann::json> load_vectors(const std::string& name) {
  std::ifstream in(SHINGLED_SHARED_DIR "/vectors/" + name);
  if (!in) return std::nullopt;
  return nlohmann::json::parse(in);
}

}  // namespace shingled

#define SHINGLED_LOAD_VECTORS(variable, name)                                       \
  const auto variable##_loaded = shingled::load_vectors(name);                      \
  if (!variable##_loaded) GTEST_SKIP() << "no " << name << " beside this checkout"; \
  const nlohmann::json& variable = *variable##_loaded
