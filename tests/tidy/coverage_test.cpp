// Covers where the test of a file is: each .cpp has a test of its name, or the first comment of a
// test says "Covers path/of/file.cpp".
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/tidy/tree.h"

namespace shingled::tidy {
namespace {

/// The comment that a test begins with, as one line.
std::string first_comment(const std::string& name) {
  std::string text;
  for (const std::string& line : lines_of(name)) {
    if (line.starts_with("#!")) continue;
    if (!line.starts_with("//") && !line.starts_with("# ")) break;
    text += line.substr(line.find(' ') + 1) + ' ';
  }
  return text;
}

/// Every file that a test names by its own name or in its first comment.
std::set<std::string> covered_files() {
  static const std::regex kFile(R"((?:config|mime|storage|milter)/[\w/]+\.cpp)");
  constexpr std::string_view kTests = "tests/";
  constexpr std::string_view kEnding = "_test.cpp";
  std::set<std::string> out;
  for (const std::string& name : files()) {
    if (!name.starts_with(kTests)) continue;
    if (name.ends_with(kEnding)) {
      const std::size_t length = name.size() - kTests.size() - kEnding.size();
      out.insert(name.substr(kTests.size(), length) + ".cpp");
    }
    if (!name.ends_with(kEnding) && !name.ends_with(".py")) continue;
    const std::string comment = first_comment(name);
    if (!comment.starts_with("Covers ")) continue;
    for (std::sregex_iterator at(comment.begin(), comment.end(), kFile), end; at != end; ++at) {
      EXPECT_TRUE(is_file(at->str())) << name << " covers " << at->str() << ", which is not there";
      out.insert(at->str());
    }
  }
  return out;
}

TEST(Coverage, EveryFileHasATestThatNamesIt) {
  const std::set<std::string> covered = covered_files();
  for (const std::string& name : files()) {
    if (!is_product_code(name) || !name.ends_with(".cpp")) continue;
    EXPECT_TRUE(covered.contains(name))
        << name << ": no tests/" << name.substr(0, name.size() - 4)
        << "_test.cpp, and no test begins with \"Covers " << name << "\"";
  }
}

}  // namespace
}  // namespace shingled::tidy
