#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/logger.h"

namespace shingled::milter::history::testing {

/// Keeps its lines.
class KeptLog final : public Logger {
 public:
  void write(LogLevel /*level*/, std::string_view line) override { lines_.emplace_back(line); }
  [[nodiscard]] bool enabled(LogLevel /*level*/) const override { return true; }
  [[nodiscard]] std::size_t lines_with(std::string_view word) const {
    std::size_t count = 0;
    for (const std::string& line : lines_) count += line.find(word) != std::string::npos ? 1U : 0U;
    return count;
  }

 private:
  std::vector<std::string> lines_;
};

}  // namespace shingled::milter::history::testing
