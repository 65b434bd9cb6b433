// Covers config/sections/foreign_keys.cpp and all problems of tests/data/mistakes.txt;
// e2e/test_mistakes.py compares configtest and the start with the same table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "config/load_settings.h"

namespace shingled::config {
namespace {

struct Mistake {
  std::string why;
  std::string yaml;
  std::vector<std::string> says;  ///< with FILE for the file's name
  [[nodiscard]] bool is_of_the_machine() const { return names_a_place(yaml); }
  static bool names_a_place(const std::string& text) {
    return text.find("{tmp}") != std::string::npos || text.find("{pub}") != std::string::npos ||
           text.find("no-such-") != std::string::npos;
  }
};

std::vector<Mistake> read_mistakes() {
  std::ifstream in(SHINGLED_SOURCE_DIR "/tests/data/mistakes.txt", std::ios::binary);
  std::vector<Mistake> out;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("= ")) {
      out.push_back({line.substr(2), "", {}});
    } else if (out.empty() || line.empty()) {
      continue;
    } else if (line.starts_with("> ")) {
      out.back().says.push_back(line.substr(2));
    } else {
      out.back().yaml += line + '\n';
    }
  }
  return out;
}

TEST(Mistakes, AreSaidWithTheirPlaceAndWhatToWrite) {
  std::size_t checked = 0;
  for (const Mistake& mistake : read_mistakes()) {
    SCOPED_TRACE(mistake.why);
    if (mistake.is_of_the_machine()) continue;
    ++checked;
    std::vector<std::string> said;
    for (const Problem& problem : load_settings(mistake.yaml, "FILE").problems)
      said.push_back(problem.to_string());
    EXPECT_FALSE(mistake.says.empty());
    EXPECT_THAT(said, ::testing::ElementsAreArray(mistake.says));
  }
  EXPECT_GE(checked, 35U);
}

TEST(Mistakes, OfTheMachineAreNoneForTheLoader) {
  for (const Mistake& mistake : read_mistakes()) {
    SCOPED_TRACE(mistake.why);
    if (!mistake.is_of_the_machine() || mistake.yaml.find("{pub}") != std::string::npos) continue;
    std::string yaml = mistake.yaml;
    for (std::size_t at = 0; (at = yaml.find("{tmp}", at)) != std::string::npos;)
      yaml.replace(at, 5, "/tmp");
    std::vector<std::string> others;
    std::ranges::copy_if(mistake.says, std::back_inserter(others), [](const auto& line) {
      return !Mistake::names_a_place(line) && line.find(": warning: ") == std::string::npos;
    });
    const Loaded loaded = load_settings(yaml, "FILE");
    std::vector<std::string> said;
    for (const Problem& problem : loaded.problems) said.push_back(problem.to_string());
    EXPECT_THAT(said, ::testing::ElementsAreArray(others));
    EXPECT_EQ(loaded.settings != nullptr, others.empty());
  }
}

}  // namespace
}  // namespace shingled::config
