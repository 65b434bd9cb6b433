// Covers what documents and comments refer to: sections of the specifications, files, and links.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>

#include "tests/tidy/tree.h"

namespace shingled::tidy {
namespace {

/// The numbers of a specification's sections: "## 4.", "### 4.2", "**12.1 Script.**" and, within a
/// section, the items of its list ("11.3").
std::set<std::string> sections_of(const std::string& name) {
  static const std::regex kHeading(R"(^(?:#+ |\*\*)([0-9]+(?:\.[0-9]+)?)\b.*)");
  static const std::regex kItem(R"(^([0-9]+)\. .*)");
  std::set<std::string> out;
  std::string section;
  std::smatch found;
  for (const std::string& line : lines_of(name)) {
    if (std::regex_match(line, found, kHeading)) {
      out.insert(found[1]);
      if (line.starts_with("## ")) section = found[1];
    } else if (std::regex_match(line, found, kItem)) {
      out.insert(section + '.' + found[1].str());
    }
  }
  return out;
}

TEST(Documents, SectionsThatAreNamedExist) {
  const std::map<std::string, std::set<std::string>> sections = {
      {"HASHING", sections_of("mime/HASHING.md")},
      {"PROTOCOL", sections_of("storage/PROTOCOL.md")},
      {"REPLICATION", sections_of("storage/REPLICATION.md")}};
  // Also over the end of a line of a comment.
  static const std::regex kNamed(
      R"((HASHING|PROTOCOL|REPLICATION)\.md[\s/]+(?:sections?[\s/]+)?([0-9]+(?:\.[0-9]+)?))");
  std::size_t count = 0;
  for (const std::string& name : files()) {
    if (!is_ours(name)) continue;
    const std::string text = read(name);
    for (std::sregex_iterator at(text.begin(), text.end(), kNamed), end; at != end; ++at) {
      ++count;
      EXPECT_TRUE(sections.at((*at)[1]).contains((*at)[2]))
          << name << " names section " << (*at)[2] << " of " << (*at)[1] << ".md";
    }
  }
  EXPECT_GT(count, 50U);
}

/// Documents of ours, by the end of their path: "SCHEMA.md" is storage/SCHEMA.md.
bool is_document(const std::string& named) {
  for (const std::string& name : files()) {
    if (name == named || name.ends_with('/' + named)) return true;
  }
  return false;
}

TEST(Documents, DocumentsThatAreNamedExist) {
  static const std::regex kNamed(R"(\b([A-Za-z][\w/-]*\.md)\b)");
  for (const std::string& name : files()) {
    if (!is_ours(name)) continue;
    const std::string text = read(name);
    for (std::sregex_iterator at(text.begin(), text.end(), kNamed), end; at != end; ++at) {
      EXPECT_TRUE(is_document((*at)[1])) << name << " names " << (*at)[1];
    }
  }
}

// "storage/model/replica.h", or "storage/access/limit_table" without an ending, which is both
// files.
TEST(Documents, FilesThatAreNamedExist) {
  static const std::regex kNamed(
      R"((?:^|[^\w/.<-])((?:config|mime|storage|milter)/[\w/]+\.(?:h|cpp|inc))(?!\w))");
  for (const std::string& name : files()) {
    if (!is_ours(name) || name.starts_with("tests/tidy/")) continue;
    const std::string text = read(name);
    for (std::sregex_iterator at(text.begin(), text.end(), kNamed), end; at != end; ++at) {
      EXPECT_TRUE(is_file((*at)[1])) << name << " names " << (*at)[1];
    }
  }
}

}  // namespace
}  // namespace shingled::tidy
