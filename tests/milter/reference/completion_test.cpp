// Covers milter/reference/bash_completion.cpp, milter/reference/complete_keys.cpp,
// milter/reference/zsh_completion.cpp: what
// the scripts have. Real shells run them in tests/e2e.
#include "milter/reference/completion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace shingled::milter::reference {
namespace {

CommandFacts program() {
  CommandFacts verb;
  verb.name = "show";
  verb.text = "Show it's [all]: now";
  verb.options.push_back({{"-c", "--config"}, "FILE", {}, "A file", false, false});
  verb.options.push_back({{"--tcp"}, "yes|no", {"yes", "no"}, "Ask", false, false});
  verb.options.push_back({{"--json"}, "", {}, "It's JSON: [x]", false, false});
  verb.arguments.push_back({{"folder"}, "DIR", {}, "Where", false, true});
  CommandFacts root;
  root.name = "shingled";
  root.verbs.push_back(verb);
  return root;
}

bool has(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

TEST(BashCompletion, KnowsValuesOfOptions) {
  const std::string script = bash_completion(program());
  EXPECT_TRUE(has(script, "' show -c'|' show --config') echo 'files'")) << script;
  EXPECT_TRUE(has(script, "' show --tcp') echo 'words yes no'"));
  EXPECT_TRUE(has(script, "' show') echo '-c --config --tcp --json'"));
  EXPECT_TRUE(has(script, "' show') echo 'folders'"));
  EXPECT_TRUE(has(script, "' show --json') return 1"));
}

TEST(Completion, KnowsListsAndKeys) {
  CommandFacts root = program();
  CommandFacts& verb = root.verbs.front();
  verb.options.push_back({{"--flag"}, "N|NAME", {}, "The list", false, false});
  verb.options.push_back({{"-o", "--option"}, "KEY=VALUE", {}, "A setting", false, true});
  verb.arguments = {{{"key"}, "KEY", {}, "A key", false, false}};
  const std::string bash = bash_completion(root);
  EXPECT_TRUE(has(bash, "' show --flag') echo 'lists'")) << bash;
  EXPECT_TRUE(has(bash, "' show -o'|' show --option') echo 'settings'"));
  EXPECT_TRUE(has(bash, "' show') echo 'keys'"));
  EXPECT_TRUE(has(bash, " milter.socket ")) << "keys of the settings";
  EXPECT_FALSE(has(bash, "rules.NAME")) << "a name that only the user knows";
  const std::string zsh = zsh_completion(root);
  EXPECT_TRUE(has(zsh, ":N|NAME:_shingled_lists'")) << zsh;
  EXPECT_TRUE(has(zsh, ":KEY=VALUE:_shingled_keys -qS='"));
  EXPECT_TRUE(has(zsh, ":KEY:_shingled_keys'"));
  EXPECT_TRUE(has(zsh, "    milter.socket \\\n"));
}

TEST(ZshCompletion, QuotesTexts) {
  const std::string script = zsh_completion(program());
  EXPECT_TRUE(has(script, "'show:Show it'\\''s [all]\\: now'")) << script;
  EXPECT_TRUE(has(script, "'(--json)'--json'[It'\\''s JSON\\: \\[x\\]]'"));
  EXPECT_TRUE(has(script, "'(-c --config)'{-c,--config}'[A file]:FILE:_files'"));
  EXPECT_TRUE(has(script, "'(--tcp)'--tcp'[Ask]:yes|no:(yes no)'"));
  EXPECT_TRUE(has(script, "'*:DIR:_files -/'"));
}

TEST(CompleteKeys, AreThoseThatCanBeWrittenAsTheyAre) {
  const std::vector<std::string> keys = complete_keys();
  EXPECT_NE(std::find(keys.begin(), keys.end(), "milter.socket"), keys.end());
  for (const std::string& key : keys)
    EXPECT_EQ(key.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), std::string::npos) << key;
}

}  // namespace
}  // namespace shingled::milter::reference
