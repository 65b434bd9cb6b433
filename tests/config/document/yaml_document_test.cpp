#include "config/document/yaml_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shingled::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Parsed {
  std::optional<YamlNode> root;
  std::vector<std::string> problems;
};

Parsed parse(std::string_view text) {
  Diagnostics diagnostics("f");
  Parsed out;
  out.root = parse_yaml(text, {Position::Origin::kFile, 1, 1}, "", diagnostics);
  for (const Problem& problem : diagnostics.problems()) out.problems.push_back(problem.to_string());
  return out;
}

TEST(YamlDocument, KnowsWhereEveryKeyAndValueStands) {
  const auto [root, problems] = parse("a: 1\nb:\n  c: [x, \"y\"]\n");
  EXPECT_THAT(problems, IsEmpty());
  const YamlNode* c = root->find("b")->find("c");
  EXPECT_EQ(c->key_position, (Position{Position::Origin::kFile, 3, 3}));
  EXPECT_EQ(c->position, (Position{Position::Origin::kFile, 3, 6}));
  EXPECT_EQ(c->items[1].position, (Position{Position::Origin::kFile, 3, 10}));
  EXPECT_EQ(c->items[1].text, "y");
}

TEST(YamlDocument, KeepsDuplicateKeys) {
  const auto [root, problems] = parse("a: 1\na: 2\n");
  ASSERT_EQ(root->items.size(), 2U);
  EXPECT_EQ(root->find("a")->text, "1");
}

TEST(YamlDocument, TellsNullFromText) {
  const auto [root, problems] = parse("a:\nb: ~\nc: null\nd: \"null\"\ne: ''\n");
  EXPECT_EQ(root->find("a")->kind, YamlNode::Kind::kNull);
  EXPECT_EQ(root->find("b")->kind, YamlNode::Kind::kNull);
  EXPECT_EQ(root->find("c")->kind, YamlNode::Kind::kNull);
  EXPECT_EQ(root->find("d")->kind, YamlNode::Kind::kScalar);
  EXPECT_EQ(root->find("e")->kind, YamlNode::Kind::kScalar);
}

struct BadCase {
  const char* why;
  std::string text;
  const char* problem;
};

TEST(YamlDocument, RefusesWhatIsNoPlainYaml) {
  const BadCase cases[] = {
      {"a list that never ends", "a: [1", "f:1:4: not valid YAML: end of sequence flow not found"},
      {"a map in a map on one line", "a: b: c", "f:1:5: not valid YAML: illegal map value"},
      {"a tab where indentation belongs", "a:\n\tb: 1\n",
       "f:2:1: not valid YAML: a tab before a key; allowed: blanks"},
      {"a text that never ends", "a: \"b", "f:1:6: not valid YAML: illegal EOF in scalar"},
      {"an alias of nothing", "a: *b\n",
       "f:1:4: an alias (*name) is not supported; put a text that starts with * in quotes"},
      {"an alias of something", "a: &x 1\nb: *x\n",
       "f:2:4: an alias (*name) is not supported; put a text that starts with * in quotes"},
      {"two documents", "a: 1\n---\nb: 1\n", "f:3:1: a second YAML document; allowed: one"},
      {"a list as a key", "? [a]\n: b\n", "f:1:3: a list or a map cannot be a key"},
      {"Latin-1", "a: \xe4\n", "f:1:4: not UTF-8"},
      {"an overlong form", "a: 1\nb: \xc0\x80", "f:2:4: not UTF-8"},
      {"a surrogate", "\xed\xa0\x80", "f:1:1: not UTF-8"},
      {"beyond Unicode", "\xf4\x90\x80\x80", "f:1:1: not UTF-8"},
      {"UTF-16", std::string("\xff\xfe\x61\x00", 4), "f:1:1: not UTF-8"},
      {"a cut sequence", "a: \xe2\x82", "f:1:4: not UTF-8"},
      {"a zero byte", std::string("a: 1\0b", 6),
       "f:1:5: a control byte; allowed: printable text, tab, line ends"},
      {"the parser's own end of file", "a: \x04 b",
       "f:1:4: a control byte; allowed: printable text, tab, line ends"},
  };
  for (const BadCase& test : cases) {
    SCOPED_TRACE(test.why);
    EXPECT_THAT(parse(test.text).problems, ElementsAre(test.problem));
  }
}

TEST(YamlDocument, ReadsUtf8) {
  const auto [root, problems] = parse(
      "\xef\xbb\xbf"
      "a: \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\n");
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_EQ(root->find("a")->text, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(YamlDocument, BoundsTheSize) {
  EXPECT_THAT(parse(std::string(kYamlBytesMax, ' ')).problems, IsEmpty());
  EXPECT_THAT(parse(std::string(kYamlBytesMax + 1, ' ')).problems,
              ElementsAre("f: larger than 4M"));
}

TEST(YamlDocument, BoundsTheDepth) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_THAT(parse(nested(kYamlDepthMax)).problems, IsEmpty());
  EXPECT_THAT(parse(nested(kYamlDepthMax + 1)).problems,
              ElementsAre("f:1:33: nested deeper than 32 levels"));
  EXPECT_THAT(parse(nested(100'000)).problems, ElementsAre(::testing::EndsWith("32 levels")));
}

TEST(YamlDocument, BoundsTheNumberOfValues) {
  std::string text = "[";
  for (std::size_t i = 0; i <= kYamlNodesMax; ++i) text += "a,";
  EXPECT_THAT(parse(text + "]").problems, ElementsAre("f:1:400002: more than 200000 values"));
}

}  // namespace
}  // namespace shingled::config
