// Covers the language of what people read: documents, manual pages, the shipped configuration, the
// texts in the program and the comments of its code. Each pattern is a phrase that readers stumbled
// over.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <regex>
#include <span>
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

/// In texts for users.
constexpr Banned kBannedInTexts[] = {
    {R"(\b[Ss]o (many|much|long|often)\b(?! as\b| that\b))", "this many, an amount, for this long"},
    {R"(\b(?![Tt]here\b)\w+ (is|are|was|were) no (?!longer\b|more\b|less\b|such\b)\w)",
     "is not a ..."},
    {R"(\b[Ww]hoever\b)", "anyone who, clients that"},
    {R"(\b[Ww]hat (is|was|are) (beyond|no|not|over|more|alike|below|behind|short|asked|taught)\b)",
     "name the thing"},
    {R"(\b[Ww]hat (lies|came|comes|stands|becomes|exceeds)\b)", "name the thing"},
};

/// In texts and in comments.
constexpr Banned kBanned[] = {
    {R"(\b(?![Tt]here\b)\w+ (is|are|was|were) none\b)", "is not one, has none"},
    {R"(\bone too many\b)", "at most N are allowed"},
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

/// In comments.
constexpr Banned kBannedInComments[] = {
    {R"(\b[Ff]or want of\b)", "without, because it lacks"},
    {R"(\b(go|goes|going|went|gone) on\b)", "continues, still works"},
    {R"(\bfor ever\b)", "without end, each time"},
    {R"(\b(is|are|was|were|be|been|being) told\b)", "learns, is asked, is distinguished"},
    {R"(\b[Bb]ehind\b)", "after, later than, of"},
    {R"(\b([Hh]e|[Hh]im|[Hh]is|[Ss]he|[Hh]ers?)\b)", "they for a user, it for a thing"},
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

using Phrases = std::vector<std::pair<std::regex, const char*>>;

Phrases phrases_of(std::initializer_list<std::span<const Banned>> lists) {
  Phrases out;
  for (const std::span<const Banned> list : lists)
    for (const Banned& banned : list) out.emplace_back(std::regex(banned.pattern), banned.instead);
  return out;
}

/// The first place of each banned phrase, with the words around it.
std::vector<std::string> banned_in(const std::string& text, const Phrases& phrases) {
  std::vector<std::string> out;
  const std::string line = in_one_line(text);
  for (const auto& [pattern, instead] : phrases) {
    std::smatch found;
    if (!std::regex_search(line, found, pattern)) continue;
    const auto begin = std::max<std::ptrdiff_t>(found.position() - 40, 0);
    out.push_back('"' +
                  line.substr(static_cast<std::size_t>(begin),
                              static_cast<std::size_t>(found.length()) + 80) +
                  "\"\n  instead: " + instead);
  }
  return out;
}

void expect_plain(const std::string& name, const std::string& text) {
  static const Phrases kPhrases = phrases_of({kBannedInTexts, kBanned});
  for (const std::string& found : banned_in(text, kPhrases)) ADD_FAILURE() << name << ": " << found;
}

/// Where the comment of a line begins; npos without one. The "//" of an address in a literal does
/// not count.
std::size_t comment_at(const std::string& line) {
  bool quoted = false;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const bool is_char = line[i] == '\'' && i + 2 < line.size();
    if (quoted && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && is_char && (line[i + 1] == '\\' || line[i + 2] == '\'')) {
      i += line[i + 1] == '\\' ? 3U : 2U;
    } else if (!quoted && line.compare(i, 2, "//") == 0) {
      return i;
    }
  }
  return std::string::npos;
}

/// The comments of C++ code, those of lines that follow each other as one.
std::vector<std::string> comments_of(const std::vector<std::string>& lines) {
  std::vector<std::string> out;
  std::string text;
  for (const std::string& line : lines) {
    const std::size_t at = comment_at(line);
    if (at == std::string::npos || line.find_first_not_of(' ') != at) {
      if (!text.empty()) out.push_back(std::move(text));
      text.clear();
    }
    if (at == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of("/< ", at);
    text += ' ' + (begin == std::string::npos ? "" : line.substr(begin));
  }
  if (!text.empty()) out.push_back(std::move(text));
  return out;
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

TEST(Language, CommentsArePlain) {
  static const Phrases kPhrases = phrases_of({kBanned, kBannedInComments});
  for (const std::string& name : files()) {
    if (!is_product_code(name)) continue;
    for (const std::string& text : comments_of(lines_of(name))) {
      for (const std::string& found : banned_in(text, kPhrases))
        ADD_FAILURE() << name << ": " << found;
    }
  }
}

TEST(Language, CommentsAreFound) {
  EXPECT_EQ(
      comments_of({"/// Goes", "///   on.", "int a = 1;  ///< a number", "// of its own",
                   "auto b = \"http://c\";", "char d = '\"';  // a quote",
                   "int e = 1'000;  // a thousand"}),
      (std::vector<std::string>{" Goes on.", " a number of its own", " a quote", " a thousand"}));
}

TEST(Language, LabelsOfContractsBeginALine) {
  static const std::regex kLabel(
      R"(^\s*///? .*(\. |  )(Threads|Errors|Cost|Source|Input|Output|Does not): .*)");
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
