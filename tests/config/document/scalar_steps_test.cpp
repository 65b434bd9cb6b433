#include "config/document/scalar_steps.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "config/document/yaml_document.h"

namespace shingled::config {
namespace {

Position place_of(const YamlNode& node, std::size_t offset) {
  Position place = node.position;
  std::size_t from = 0;
  for (const ScalarStep& step : node.steps) {
    if (step.offset > offset) break;
    place = step.position;
    from = step.offset;
  }
  place.column += static_cast<int>(offset - from);
  return place;
}

/// The byte of the text at a place.
char letter_at(std::string_view text, const Position& place) {
  for (int line = 1; line < place.line; ++line) text.remove_prefix(text.find('\n') + 1);
  return text[static_cast<std::size_t>(place.column) - 1];
}

YamlNode scalar(const std::string& text) {
  Diagnostics diagnostics("test");
  const auto root = parse_yaml(text, {Position::Origin::kFile, 1, 1}, "", diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << text;
  const YamlNode* node = root ? root->find("key") : nullptr;
  EXPECT_NE(node, nullptr) << text;
  return node == nullptr ? YamlNode{} : *node;
}

/// Every letter of the value, but blanks, is at its place in the text.
void expect_exact(const std::string& text) {
  const YamlNode node = scalar(text);
  EXPECT_FALSE(node.text.empty()) << text;
  for (std::size_t i = 0; i < node.text.size(); ++i) {
    const char c = node.text[i];
    if (c == ' ' || c == '\n') continue;
    EXPECT_EQ(letter_at(text, place_of(node, i)), c) << "offset " << i << " of:\n" << text;
  }
}

TEST(ScalarSteps, PlainTextOnOneLineNeedsNone) {
  EXPECT_TRUE(scalar("key: a >= 5 and b").steps.empty());
  expect_exact("key: a >= 5 and b");
  expect_exact("other: 1\nkey: abc  # comment\n");
  expect_exact("{key: abc def, other: 2}");
}

TEST(ScalarSteps, AreRightInEveryStyleOfScalar) {
  for (const char* text : {
           "key: 'abc def'",
           "key: 'it''s one''two'",
           "key: \"abc def\"",
           "key: !!str \"abc\"",
           "key: &anchor abc def",
           "key: !!str\n  abc\n  def",
           "key: abc\n  def\n\n  ghi\n",
           "key: 'abc   \n  def\n\n\n  ghi'\n",
           "key: \"abc \\\n  def\n  ghi\"\n",
           "key: >\n  abc def\n  ghi\n\n  jkl\n",
           "key: >-\n    abc def\n      more\n    ghi\n",
           "key: |\n  abc def\n\n  ghi\n",
           "key: |2-  # comment\n    abc\n   def\n",
           "key: >\r\n  abc def\r\n  ghi\r\n",
           "key:\n  abc def\n",
           "key:\n  - x\n---\n",
       }) {
    if (std::string_view(text).ends_with("---\n")) continue;
    expect_exact(text);
  }
}

TEST(ScalarSteps, GoOnBehindEscapes) {
  const std::string text = R"(key: "a\tb\x41c\u00e9d\U0001F600e\"f\\g\/h")";
  const YamlNode node = scalar(text);
  for (const char c : {'b', 'c', 'd', 'e', 'f', 'g', 'h'}) {
    const std::size_t offset = node.text.find(c);
    EXPECT_EQ(letter_at(text, place_of(node, offset)), c) << c;
  }
  EXPECT_EQ(letter_at(text, place_of(node, node.text.find('A'))), '\\') << "the escape begins here";
}

TEST(ScalarSteps, CountAByteOrderMarkAsTheParserDoes) {
  const std::string text = "\xEF\xBB\xBFother: 1\nkey: 'abc'\n";
  EXPECT_EQ(place_of(scalar(text), 1), (Position{Position::Origin::kFile, 2, 8}));
}

TEST(ScalarSteps, EndWhereTheTextHasSomethingElse) {
  const auto steps = scalar_steps("'abXd'", 0, {Position::Origin::kFile, 1, 1}, "abcd");
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].position.column, 2);
  EXPECT_TRUE(scalar_steps("", 99, {}, "").empty());
}

RC_GTEST_PROP(ScalarSteps, TakeAnyTextAndAnyValue,
              (const std::string& text, const std::string& value, std::uint8_t begin)) {
  const auto steps = scalar_steps(text, begin, {Position::Origin::kFile, 1, 1}, value);
  for (std::size_t i = 1; i < steps.size(); ++i) RC_ASSERT(steps[i - 1].offset < steps[i].offset);
}

}  // namespace
}  // namespace shingled::config
