#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace shingled::bench {

/// The messages of the corpus beside this checkout; empty without one. Read once.
inline const std::vector<std::string>& corpus() {
  static const std::vector<std::string> messages = [] {
    std::vector<std::string> read;
    const std::filesystem::path folder = SHINGLED_SHARED_DIR "/corpus";
    if (!std::filesystem::exists(folder)) return read;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".eml") continue;
      std::ifstream in(entry.path(), std::ios::binary);
      read.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return read;
  }();
  return messages;
}

}  // namespace shingled::bench
