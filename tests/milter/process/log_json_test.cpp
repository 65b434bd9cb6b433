#include "milter/process/log_json.h"

#include <gtest/gtest.h>

#include <limits>

namespace shingled::milter::process {
namespace {

TEST(LogJson, SaysWhatTheLineSays) {
  struct Case {
    const char* why;
    LogLine line;
    const char* members;
  };
  const Case cases[] = {
      {"an event alone", LogLine("stopping"), R"("event":"stopping")"},
      {"numbers and truth values are such",
       LogLine("mail").field("score", 4.5, 2).field("bytes", 1024).field("dry_run", true),
       R"("event":"mail","score":4.50,"bytes":1024,"dry_run":true)"},
      {"a text stays a text whatever it looks like",
       LogLine("mail").field("queue", "123").field("word", "true").field("none", ""),
       R"("event":"mail","queue":"123","word":"true","none":"")"},
      {"spaces and equal signs", LogLine("mail").field("a", "x y").field("b", "c=d").field("e", 1),
       R"("event":"mail","a":"x y","b":"c=d","e":1)"},
      {"what the line shows as bytes", LogLine("mail").field("subject", "a\"b\\c\n"),
       R"("event":"mail","subject":"a\"b\\c\n")"},
      {"UTF-8 is readable", LogLine("mail").field("subject", "gr\xc3\xbc\xc3\x9f"),
       "\"event\":\"mail\",\"subject\":\"gr\xc3\xbc\xc3\x9f\""},
      {"and what is not becomes a mark", LogLine("mail").field("subject", "a\xff z"),
       "\"event\":\"mail\",\"subject\":\"a\xef\xbf\xbd z\""},
      {"a text that looks like an escape is that text", LogLine("mail").field("a", "\\x41"),
       R"("event":"mail","a":"\\x41")"},
      {"JSON has no such number",
       LogLine("mail").field("mean", std::numeric_limits<double>::quiet_NaN(), 1),
       R"("event":"mail","mean":"nan")"},
  };
  for (const Case& test : cases) EXPECT_EQ(json_members(test.line), test.members) << test.why;
}

TEST(LogJson, ALineHasManyFields) {
  LogLine line("many");
  std::string members = R"("event":"many")";
  for (int i = 0; i < 70; ++i) {
    const std::string key = "k" + std::to_string(i);
    line.field(key, i);
    // Beyond 64 nobody remembers what a value was.
    const std::string value = std::to_string(i);
    members += ",\"" + key + "\":" + (i < 64 ? value : '"' + value + '"');
  }
  EXPECT_EQ(json_members(line), members);
}

}  // namespace
}  // namespace shingled::milter::process
