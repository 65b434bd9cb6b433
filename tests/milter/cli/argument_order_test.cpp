#include "milter/cli/argument_order.h"

#include <gmock/gmock.h>
#include <sysexits.h>

#include <sstream>

#include "milter/cli/cli.h"

namespace shingled::milter::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

std::string joined(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& word : list) out += (out.empty() ? "" : " ") + word;
  return out;
}

/// stat -c FILE --json, check -c FILE --flag N, box -c FILE {list --json, empty}.
class ArgumentOrder : public ::testing::Test {
 protected:
  ArgumentOrder() {
    app_.set_version_flag("-V,--version", "1");
    for (const char* name : {"stat", "check"}) {
      CLI::App* command = app_.add_subcommand(name);
      command->add_option("-c,--config", text_);
      command->add_option("rest", rest_);
    }
    app_.get_subcommand("stat")->add_flag("-j,--json", json_);
    app_.get_subcommand("check")->add_option("--flag", text_);
    CLI::App* box = app_.add_subcommand("box");
    box->require_subcommand(1);
    box->add_option("-c,--config", text_);
    box->add_subcommand("list")->fallthrough()->add_flag("-j,--json", json_);
    box->add_subcommand("empty")->fallthrough();
  }

  std::string order(const std::string& arguments) {
    const auto ordered = in_parsing_order(app_, words(arguments));
    return ordered ? joined(*ordered) : "error: " + ordered.error().message;
  }

  CLI::App app_;
  std::string text_;
  std::vector<std::string> rest_;
  bool json_ = false;
};

TEST_F(ArgumentOrder, IsThatOfTheParser) {
  const struct {
    const char* why;
    const char* arguments;
    const char* expected;
  } cases[] = {
      {"nothing to do", "stat --json x", "stat --json x"},
      {"nothing at all", "", ""},
      {"help alone", "help", "--help"},
      {"help of a command", "help stat", "stat --help"},
      {"help of a verb", "help box list", "box list --help"},
      {"an option with its value", "-c f stat x", "stat -c f x"},
      {"a value in the same word", "-cf stat x", "stat -cf x"},
      {"a value behind an equals sign", "--config=f stat", "stat --config=f"},
      {"a flag", "--json stat", "stat --json"},
      {"several", "-c f -j stat x", "stat -c f -j x"},
      {"a value that is the name of a command", "-c check stat", "stat -c check"},
      {"a file that is named like a command is none", "stat check", "stat check"},
      {"behind a command and before its verb", "-c f box list -j", "box list -c f -j"},
      {"of the verb alone", "--json box list", "box list --json"},
      {"between a command and its verb", "box --json list", "box list --json"},
      {"what the command itself has stays where it is", "box -c f list", "box -c f list"},
      {"a command's help", "--help stat", "stat --help"},
      {"the program's own options", "-V", "-V"},
      {"an option without its value is the parser's matter", "-c stat", "-c stat"},
      {"an unknown option alone, too", "--nonsense", "--nonsense"},
  };
  for (const auto& c : cases) EXPECT_EQ(order(c.arguments), c.expected) << c.why;
}

TEST_F(ArgumentOrder, AnEmptyValueIsAWordAndTakesNoOther) {
  const struct {
    std::vector<std::string> given;
    std::vector<std::string> ordered;
    const char* why;
  } cases[] = {
      {{"check", "--flag=", "--config", "x"},
       {"check", "--flag", "", "--config", "x"},
       "an empty value"},
      {{"check", "--config="}, {"check", "--config", ""}, "at the end"},
      {{"--flag=", "check", "-"}, {"check", "--flag", "", "-"}, "before the command"},
      {{"check", "--config", "--flag="}, {"check", "--config", "--flag="}, "itself a value"},
      {{"check", "--", "--flag="}, {"check", "--", "--flag="}, "an argument"},
      {{"stat", "--json="}, {"stat", "--json="}, "a flag: the parser refuses it"},
  };
  for (const auto& test : cases) {
    const auto ordered = in_parsing_order(app_, test.given);
    ASSERT_TRUE(ordered) << test.why;
    EXPECT_EQ(*ordered, test.ordered) << test.why;
  }
}

TEST_F(ArgumentOrder, WhatIsWrongIsSaidWithWhatWasMeant) {
  const struct {
    const char* why;
    const char* arguments;
    const char* expected;
  } cases[] = {
      {"the beginning of one", "che x", "error: che: no such command; did you mean check?"},
      {"mistyped", "chekc", "error: chekc: no such command; did you mean check?"},
      {"like none", "nonsense", "error: nonsense: no such command"},
      {"behind options", "-c f sta", "error: sta: no such command; did you mean stat?"},
      {"a verb", "box lst", "error: box lst: no such command; did you mean box list?"},
      {"help of it", "help sta", "error: sta: no such command; did you mean stat?"},
      {"an option of another command", "--flag 1 stat", "error: stat: it has no option --flag"},
      {"of none", "--nonsense=1 stat", "error: stat: it has no option --nonsense"},
  };
  for (const auto& c : cases) EXPECT_EQ(order(c.arguments), c.expected) << c.why;
}

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

Outcome run(const std::string& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  Console console(out, err);
  const int code = run_cli(words(arguments), console);
  return {code, out.str(), err.str()};
}

TEST(CommandLine, HelpAndVersionAreFoundWhereTheyAreLookedFor) {
  EXPECT_THAT(run("-V").out, StartsWith("shingled "));
  EXPECT_EQ(run("-V").out, run("--version").out);
  EXPECT_EQ(run("help").out, run("--help").out);
  EXPECT_EQ(run("help add").out, run("add --help").out);
  EXPECT_EQ(run("help similar search").out, run("similar search --help").out);
  EXPECT_THAT(run("help buckets").out, HasSubstr("shingled buckets list"));
}

TEST(CommandLine, AWordThatIsNoCommandNamesTheOneThatWasMeant) {
  const struct {
    const char* arguments;
    const char* said;
  } cases[] = {
      {"ad", "shingled: ad: no such command; did you mean add?\n"},
      {"config-test", "did you mean configtest?"},
      {"lsit", "did you mean list?"},
      {"similar serach x", "did you mean similar search?"},
      {"help chek", "did you mean check?"},
      {"hash --jsno /dev/null", "did you mean --json?"},
      {"similar list --limet 3", "did you mean --limit?"},
      {"--weight 3 stat", "stat: it has no option --weight"},
  };
  for (const auto& c : cases) {
    const Outcome outcome = run(c.arguments);
    EXPECT_EQ(outcome.code, EX_USAGE) << c.arguments;
    EXPECT_EQ(outcome.out, "") << c.arguments;
    EXPECT_THAT(outcome.err, HasSubstr(c.said)) << c.arguments;
  }
}

TEST(CommandLine, OptionsMayStandBeforeTheCommand) {
  for (const char* arguments :
       {"-c /nonexistent/file.yaml configtest", "--config=/nonexistent/file.yaml stat",
        "-o nonsense=1 check x", "-o nonsense=1 buckets list", "-o nonsense=1 similar list",
        "similar -o nonsense=1 list"}) {
    EXPECT_EQ(run(arguments).code, EX_CONFIG) << arguments << ": " << run(arguments).err;
  }
}

}  // namespace
}  // namespace shingled::milter::cli
