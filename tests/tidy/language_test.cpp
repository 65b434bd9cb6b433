// Covers the language of what users read: documents, manual pages, the shipped configuration and
// the texts in the program. Each pattern is a phrase that readers stumbled over.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/tidy/tree.h"

namespace shingled::tidy {
namespace {

struct Banned {
  const char* pattern;
  const char* instead;
};

constexpr Banned kBanned[] = {
    {R"(\b[Ss]o (many|much|long|often)\b(?! as\b| that\b))", "this many, an amount, for this long"},
    {R"(\b(?![Tt]here\b)\w+ (is|are|was|were) no (?!longer\b|more\b|less\b|such\b)\w)",
     "is not a ..."},
    {R"(\b(?![Tt]here\b)\w+ (is|are|was|were) none\b)", "is not one, has none"},
    {R"(\bone too many\b)", "at most N are allowed"},
    {R"(\b[Ww]hoever\b)", "anyone who, clients that"},
    {R"(\b[Ww]hat (is|was|are) (beyond|no|not|over|more|alike|below|behind|short|asked|taught)\b)",
     "name the thing"},
    {R"(\b[Ww]hat (lies|came|comes|stands|becomes|exceeds)\b)", "name the thing"},
    {R"(\b(hardly|no more than|only|how|is|very) alike\b)", "similar"},
    {R"(\b(none|one|key|list|file) of (yours|ours)\b)", "your ..., not one of our ..."},
    {R"(\bput off\b)", "deferred"},
    {R"(\bwhere (it|they|this|that|none) (is|are) (not )?(said|given)\b)", "if it is not set"},
    {R"(\b(one|object|hash|word|entry|row|file) a (line|message|hash|file|thread|section)\b)",
     "per line"},
    {R"(\bin vain\b)", "without effect"},
    {R"(\bunseen\b)", "without a check"},
    {R"(\bas (it|they) must be\b)", "is valid"},
    {R"(\b[Nn]othing for (what|who)\b)", "empty if"},
    {R"(\bhalf as long again\b)", "plus up to half as much"},
};

/// The literals of C++ code with a blank in them, those that stand side by side as one.
std::vector<std::string> literals_of(const std::string& code) {
  static const std::regex kRaw(R"~(R"\(([^]*?)\)")~");
  std::vector<std::string> out;
  std::string rest = code;
  std::smatch raw;
  while (std::regex_search(rest, raw, kRaw)) {
    out.push_back(raw[1]);
    rest = raw.suffix();
  }
  std::string text;
  bool quoted = false;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (quoted && c == '\\') {
      text += code[++i] == 'n' ? '\n' : code[i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      text += c;
    } else if (c == '/' && code.compare(i, 2, "//") == 0) {
      i = code.find('\n', i);
      if (i == std::string::npos) break;
    } else if (c == '\'' && i + 2 < code.size()) {
      i += code[i + 1] == '\\' ? 3U : 2U;
    } else if (c != ' ' && c != '\n') {
      if (text.find(' ') != std::string::npos) out.push_back(std::move(text));
      text.clear();
    }
  }
  return out;
}

/// With blanks in place of line ends, comment signs and the macros of manual pages.
std::string in_one_line(const std::string& text) {
  static const std::regex kBreak(R"(\n[ \t]*(#|\.[A-Z]+|>|\*|-)?[ \t]*)");
  return std::regex_replace(text, kBreak, " ");
}

void expect_plain(const std::string& name, const std::string& text) {
  static const std::vector<std::regex> kPatterns = [] {
    std::vector<std::regex> out;
    for (const Banned& banned : kBanned) out.emplace_back(banned.pattern);
    return out;
  }();
  const std::string line = in_one_line(text);
  for (std::size_t i = 0; i < kPatterns.size(); ++i) {
    std::smatch found;
    if (!std::regex_search(line, found, kPatterns[i])) continue;
    const auto begin = std::max<std::ptrdiff_t>(found.position() - 40, 0);
    ADD_FAILURE() << name << ": \""
                  << line.substr(static_cast<std::size_t>(begin),
                                 static_cast<std::size_t>(found.length()) + 80)
                  << "\"\n  instead: " << kBanned[i].instead;
  }
}

TEST(Language, DocumentsArePlain) {
  for (const std::string& name : files()) {
    const bool document = name.ends_with(".md") || name.starts_with("packaging/man/") ||
                          name == "packaging/shingled.yaml";
    if (!document || starts_with_any(name, {"tests/", "mime/language/data/"})) continue;
    expect_plain(name, read(name));
  }
}

TEST(Language, TextsOfTheProgramArePlain) {
  for (const std::string& name : files()) {
    // The lists of common words are data.
    if (!is_product_code(name) || name == "mime/text/common_words.cpp") continue;
    for (const std::string& text : literals_of(read(name))) expect_plain(name, text);
  }
}

TEST(Language, LabelsOfContractsBeginALine) {
  static const std::regex kLabel(
      R"(^\s*///? .*(\. |  )(Threads|Errors|Cost|Source|Input|Output): .*)");
  for (const std::string& name : files()) {
    if (!is_code(name)) continue;
    for (const std::string& line : lines_of(name)) {
      if (line.find("//") == std::string::npos) continue;
      EXPECT_FALSE(std::regex_match(line, kLabel)) << name << ": " << line;
    }
  }
}

}  // namespace
}  // namespace shingled::tidy
