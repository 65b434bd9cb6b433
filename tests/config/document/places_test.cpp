#include "config/document/places.h"

#include <gtest/gtest.h>

#include "config/load_settings.h"

namespace shingled::config {
namespace {

TEST(Places, AreThoseOfTheLoadedText) {
  struct Case {
    const char* why;
    const char* key;
    const char* problem;
    const char* source;
  };
  constexpr Case kCases[] = {
      {"a key", "milter.timeout", "f:2:12: milter.timeout: x", "f:2"},
      {"an override", "milter.dry_run", "-o:1:16: milter.dry_run: x", "-o"},
      {"an entry of a list", "storage.blocked[1]", "f:4:14: storage.blocked[1]: x", "f:4"},
      {"the list of an entry that is none", "storage.blocked[7]", "f:4:2: storage.blocked[7]: x",
       "default"},
      {"a default, in a section that is given", "milter.drain_time", "f:1:1: milter.drain_time: x",
       "default"},
      {"a default, nowhere", "http.timeout", "f: http.timeout: x", "default"},
      {"given under another name", "storage.hashfile", "f:5:14: storage.hashfile: x", "f:5"},
      {"a rule's", "rules.feed.timeout", "f:7:12: rules.feed.timeout: x", "f:7"},
      {"a default of a rule", "rules.feed.tcp", "f:6:9: rules.feed.tcp: x", "default"},
  };
  const std::vector<std::string> overrides = {"milter.dry_run=true"};
  const Loaded loaded = load_settings(
      "milter:\n  timeout: 3s\nstorage: {blocked:\n [192.0.2.1, 192.0.2.2],\n  hash_file: /x.db}\n"
      "rules: {feed: {servers: 192.0.2.1,\n  timeout: 2s}}\n",
      "f", overrides);
  ASSERT_NE(loaded.settings, nullptr);
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.why);
    EXPECT_EQ(loaded.places.source(test.key), test.source);
    EXPECT_EQ(loaded.places.problem(test.key, "x").to_string(), test.problem);
  }
}

TEST(Places, SayAWarningAsOne) {
  EXPECT_EQ(Places("f").problem("a.b", "x", Problem::Severity::kWarning).to_string(),
            "f: warning: a.b: x");
}

}  // namespace
}  // namespace shingled::config
