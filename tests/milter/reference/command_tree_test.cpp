#include "milter/reference/command_tree.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace shingled::milter::reference {
namespace {

using Words = std::vector<std::string>;

TEST(CommandTree, IsWhatHelpShows) {
  CLI::App app("A program.");
  app.name("program");
  app.footer("Note.\n\nExample:\n  program verb");
  std::string text;
  int number = 0;
  bool flag = false;
  Words list;
  CLI::App* verb = app.add_subcommand("verb", "Do it");
  verb->add_option("-c,--config", text, "A file")->type_name("FILE");
  verb->add_option("--tcp", text, "Ask")->type_name("yes|no")->check(CLI::IsMember({"yes", "no"}));
  verb->add_option("--limit", number, "So many")->type_name("N")->check(CLI::Range(1, 5));
  verb->add_flag("--json", flag, "JSON");
  verb->add_option("--server", list, "Servers")->type_name("HOST:PORT");
  verb->add_option("messages", list, "What")->type_name("FILE|DIR|-");
  verb->add_option("--secret", text, "Not shown")->group("");
  app.add_subcommand("hidden", "Not shown")->group("");

  const CommandFacts tree = command_tree(app);
  EXPECT_EQ(tree.name, "program");
  EXPECT_EQ(tree.notes, "Note.");
  EXPECT_EQ(tree.example, "  program verb");
  ASSERT_EQ(tree.verbs.size(), 1U);
  EXPECT_EQ(tree.find("hidden"), nullptr);
  const CommandFacts* facts = tree.find("verb");
  ASSERT_NE(facts, nullptr);
  ASSERT_EQ(facts->options.size(), 6U) << "with --help";
  const OptionFacts& config = facts->options[1];
  EXPECT_EQ(config.names, (Words{"-c", "--config"}));
  EXPECT_EQ(config.value, "FILE");
  EXPECT_TRUE(config.takes_file());
  EXPECT_FALSE(config.repeats);
  EXPECT_EQ(facts->options[2].value, "yes|no");
  EXPECT_EQ(facts->options[2].choices, (Words{"yes", "no"}));
  EXPECT_EQ(facts->options[3].value, "N");
  EXPECT_FALSE(facts->options[3].takes_file());
  EXPECT_EQ(facts->options[4].value, "");
  EXPECT_EQ(facts->options[5].value, "HOST:PORT");
  EXPECT_TRUE(facts->options[5].repeats);
  ASSERT_EQ(facts->arguments.size(), 1U);
  EXPECT_TRUE(facts->arguments[0].takes_file());
  EXPECT_FALSE(facts->arguments[0].takes_only_folder());
}

TEST(CommandTree, HasNoExampleWithoutOne) {
  CLI::App app("A program.");
  const CommandFacts tree = command_tree(app);
  EXPECT_EQ(tree.example, "");
  EXPECT_EQ(tree.notes, "");
}

}  // namespace
}  // namespace shingled::milter::reference
