#pragma once

#include <map>
#include <string>
#include <string_view>

#include "config/document/position.h"
#include "config/document/problem.h"

namespace shingled::config {

/// Where the values of a configuration stand, by the names of their keys ("storage.listen",
/// "storage.listen[1]"): for what is found out about them after they were read. A key that was
/// given under another name of it has that one's place.
/// Threads: one thread; const: any.
class Places {
 public:
  explicit Places(std::string_view file_name = "") : file_name_(file_name) {}

  /// The first place of a key counts.
  void put(std::string_view key, const Position& position) {
    places_.try_emplace(std::string(key), position);
  }
  /// Where the key was given; null = nowhere, its default holds.
  [[nodiscard]] const Position* find(std::string_view key) const;
  /// A problem where the value of `key` stands, or else the innermost map around it that is given.
  [[nodiscard]] Problem problem(std::string_view key, std::string_view what,
                                Problem::Severity severity = Problem::Severity::kError) const;
  /// Where its value comes from: "FILE:LINE", "-o" or "default".
  [[nodiscard]] std::string source(std::string_view key) const;

 private:
  std::string file_name_;
  std::map<std::string, Position, std::less<>> places_;
};

}  // namespace shingled::config
