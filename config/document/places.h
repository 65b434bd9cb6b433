#pragma once

#include <map>
#include <string>
#include <string_view>

#include "config/document/position.h"
#include "config/document/problem.h"

namespace shingled::config {

/// Where the values of a configuration are, by the names of their keys ("storage.listen",
/// "storage.listen[1]"), for problems that are found after reading. A key that was given under
/// another of its names has that place.
/// Threads: one thread; const: any.
class Places {
 public:
  explicit Places(std::string_view file_name = "") : file_name_(file_name) {}

  /// The first place of a key counts.
  void put(std::string_view key, const Position& position) {
    places_.try_emplace(std::string(key), position);
  }
  /// Where the key was given; null = nowhere, it has its default.
  [[nodiscard]] const Position* find(std::string_view key) const;
  /// A problem at the value of `key`, or else at the innermost map around it that is given.
  [[nodiscard]] Problem problem(std::string_view key, std::string_view what,
                                Problem::Severity severity = Problem::Severity::kError) const;
  /// Where its value comes from: "FILE:LINE", "-o" or "default".
  [[nodiscard]] std::string source(std::string_view key) const;

 private:
  std::string file_name_;
  std::map<std::string, Position, std::less<>> places_;
};

}  // namespace shingled::config
