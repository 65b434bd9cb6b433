// Covers mime/html/html_to_text.cpp: whole documents against rspamd 3.4.
// tests/data/html/NAME.html is a document, NAME.txt what rspamd 3.4 makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "mime/html/html_to_text.h"
#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> documents() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(SHINGLED_SOURCE_DIR "/tests/data/html")) {
    if (entry.path().extension() == ".html") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, PrintsWhatRspamd3Prints) {
  const fs::path base = fs::path(SHINGLED_SOURCE_DIR "/tests/data/html") / GetParam();
  const std::string html = read_file(base.string() + ".html");
  const std::string expected = read_file(base.string() + ".txt");
  EXPECT_EQ(read_html(html, {}, Compat::kRspamd3).content, expected);
}

INSTANTIATE_TEST_SUITE_P(Html, Golden, ::testing::ValuesIn(documents()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace shingled::mime
