// Covers config/overrides.cpp and config/document/yaml_document.cpp: values as overrides, and back.
#include "config/overrides.h"

#include <gtest/gtest.h>

#include "config/document/yaml_document.h"

namespace shingled::config {
namespace {

YamlNode parsed(std::string_view text) {
  Diagnostics diagnostics("f");
  auto root = parse_yaml(text, {Position::Origin::kFile, 1, 1}, "", diagnostics);
  for (const Problem& problem : diagnostics.problems()) ADD_FAILURE() << problem.to_string();
  return root.value_or(YamlNode{});
}

TEST(FlowText, IsOneLineThatReadsAsTheSameValue) {
  struct Case {
    const char* why;
    const char* yaml;
    const char* flow;
  };
  constexpr Case kCases[] = {
      {"a plain text", "90d", "90d"},
      {"an empty one", "''", "\"\""},
      {"null, and the text of that name", "[~, null, 'null', '~']",
       "[null, null, \"null\", \"~\"]"},
      {"what would begin an alias or a list", "['*:1', '[::1]:2', -3, '#4']",
       "[\"*:1\", \"[::1]:2\", -3, \"#4\"]"},
      {"a minus before what is not a number", "['-', '- a', '-a']", "[\"-\", \"- a\", \"-a\"]"},
      {"quotes and backslashes", "'a \"b\" \\ c'", "\"a \\\"b\\\" \\\\ c\""},
      {"control bytes", "\"a\\r\\nb\\t\"", "\"a\\x0d\\x0ab\\x09\""},
      {"maps in lists, on lines of their own", "- a: 1\n  b: [x, y z]\n-\n",
       "[{a: 1, b: [x, \"y z\"]}, null]"},
      {"a key that needs quotes", "'a b': 1", "{\"a b\": 1}"},
      {"UTF-8",
       "gr\xc3\xbc\xc3\x9f"
       "e",
       "\"gr\xc3\xbc\xc3\x9f"
       "e\""},
      {"nothing in them", "{a: [], b: {}}", "{a: [], b: {}}"},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.why);
    const std::string flow = flow_text(parsed(test.yaml));
    EXPECT_EQ(flow, test.flow);
    EXPECT_EQ(flow_text(parsed(flow)), flow);
  }
}

}  // namespace
}  // namespace shingled::config
