#include "mime/text/oneline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

struct Case {
  const char* why;
  TextForm form;
  std::string content;
  std::string text;
  std::vector<std::uint32_t> line_starts;
};

const Case kCases[] = {
    {"nothing stays nothing", TextForm::kPlain, "", "", {}},
    {"a break is one space", TextForm::kPlain, "a\nb", "a b", {2}},
    {"so is CRLF", TextForm::kPlain, "a\r\nb", "a b", {2}},
    {"so is a run of breaks", TextForm::kPlain, "a\n\n\nb", "a b", {2}},
    {"so is a run of CRLF", TextForm::kPlain, "a\r\n\r\nb", "a b", {2}},
    {"the indentation of a line goes", TextForm::kPlain, "a\n   b", "a b", {2}},
    {"a tab is no indentation", TextForm::kPlain, "a\n\tb", "a \tb", {2}},
    {"spaces before a break stay", TextForm::kPlain, "a  \nb", "a   b", {4}},
    {"the last break leaves a space", TextForm::kPlain, "a\n", "a ", {2}},
    {"a lone CR at the end does not", TextForm::kPlain, "a\r", "a", {}},
    {"two do", TextForm::kPlain, "a\r\r", "a ", {2}},
    {"a break in an angle vanishes", TextForm::kPlain, "<a\nb>", "<ab>", {2}},
    {"but not in HTML", TextForm::kHtml, "<a\nb>", "<a b>", {3}},
    {"a closed angle is closed", TextForm::kPlain, "<a>\nb", "<a> b", {4}},
    {"zero width goes", TextForm::kPlain, "a\u200bb\u00adc", "abc", {}},
    {"one alone at the start stays", TextForm::kPlain, "\ufeffabc", "\ufeffabc", {}},
    {"one alone at the start of a line stays", TextForm::kPlain, "a\n\u200bb", "a \u200bb", {2}},
    {"two at the start go", TextForm::kPlain, "\u200b\u200babc", "abc", {}},
    {"two at the end go", TextForm::kPlain, "abc\u200b\u200b", "abc", {}},
    {"two in the middle go", TextForm::kPlain, "a \u200b\u00adb", "a b", {}},
    {"one at the end stays", TextForm::kPlain, "abc\u200b", "abc\u200b", {}},
};

TEST(Oneline, JoinsLines) {
  for (const Case& c : kCases) {
    const Oneline line = make_oneline(c.content, c.form);
    EXPECT_EQ(line.text, c.text) << c.why;
    EXPECT_EQ(line.line_starts, c.line_starts) << c.why;
  }
}

TEST(Oneline, OfRawBytesKeepsZeroWidth) {
  EXPECT_EQ(make_oneline("a\u200bb\xf4\nc", TextForm::kPlain, TextBytes::kRaw).text,
            "a\u200bb\xf4 c");
}

TEST(Oneline, IsNeverLongerThanItsContentAndHasNoBreaks) {
  std::string content;
  for (int i = 0; i < 5000; ++i) content += "a<\r\n >\n"[(i * i + i / 7) % 7];
  for (const TextForm form : {TextForm::kPlain, TextForm::kHtml}) {
    const Oneline line = make_oneline(content, form);
    EXPECT_LE(line.text.size(), content.size());
    EXPECT_EQ(line.text.find_first_of("\r\n"), std::string::npos);
    for (const std::uint32_t start : line.line_starts) EXPECT_LE(start, line.text.size());
  }
}

}  // namespace
}  // namespace shingled::mime
