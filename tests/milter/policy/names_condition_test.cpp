// Covers milter/policy/name_comparison.cpp, milter/policy/condition_tokens.cpp,
// milter/features/feature.cpp, and what else of milter/policy knows names: printing, checking,
// evaluating, explaining.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "milter/policy/check_condition.h"
#include "milter/policy/condition.h"
#include "tests/milter/policy/policy_world.h"

namespace shingled::milter::policy {
namespace {

using features::MessageNames;
using features::Name;
using ::testing::HasSubstr;
using testing::parsed;
using testing::rule;
using testing::World;

TEST(NamesCondition, IsReadAndPrinted) {
  for (const char* text :
       {"from = a@b.example", "from_domain in [b.example, .c.example] and not local",
        "client in /etc/shingled/partners.list", R"(subject != "your invoice, please")",
        "client = 2001:db8::/32 or from.spam >= 5 in 14d", "recipient in [abuse@, postmaster@]"}) {
    const Condition condition = parsed(text);
    EXPECT_EQ(to_string(condition), text);
    EXPECT_EQ(parsed(to_string(condition)), condition);
  }
  EXPECT_EQ(parsed("from=a@b.example"), parsed("from = a@b.example"));
  EXPECT_EQ(parsed("from in[a@b.example,c@d.example]").atom.entries.size(), 2U);
}

TEST(NamesCondition, IsNoCounter) {
  EXPECT_EQ(parsed("from.mass >= 5").atom.kind, Atom::Kind::kCount);
  EXPECT_EQ(parsed("from = a@b.example").atom.kind, Atom::Kind::kNames);
}

struct WrongCase {
  const char* why;
  const char* text;
  std::size_t offset;
  const char* problem;
};

const WrongCase kWrong[] = {
    {"a slip of the pen", "form = a@b.example", 0, "did you mean 'from'"},
    {"a name alone", "local and from", 10, "needs a comparison, such as from = "},
    {"no value", "from = and local", 7, "a value is missing"},
    {"several values", "from = [a@b.example]", 5, "did you mean 'in'"},
    {"a value without brackets", "from in a@b.example", 8, "did you mean '[a@b.example]'"},
    {"a bracket that is not closed", "from in [a@b.example", 8, "is not closed"},
    {"a missing comma", "from in [a@b.example c@d.example]", 21, "a comma is missing"},
    {"nothing in brackets", "from in []", 8, "nothing is between"},
    {"a quotation that is not closed", "subject = \"abc", 10, "not closed"},
    {"more than", "from >= a@b.example", 0, "only =, != and in"},
    {"a domain", "from = b.example", 7, "is not an address"},
    {"everybody", "client in [192.0.2.1, 0.0.0.0/0]", 22, "part of the world"},
    {"a public suffix", "from_domain = com", 14, "everybody may register"},
    {"a feature has no list", "spf in /a", 4, "has no window"},
    {"never true", "client = 192.0.2.1 and client = 192.0.2.2", 23, "can never be true"},
};

TEST(NamesCondition, HasMistakesWithAPlaceAndAHint) {
  for (const WrongCase& c : kWrong) {
    auto read = parse_condition(c.text);
    std::vector<ConditionProblem> problems;
    if (auto* const problem = std::get_if<ConditionProblem>(&read)) {
      problems.push_back(*problem);
    } else {
      std::vector<Rule> rules = {rule("THIS", c.text)};
      for (const RuleProblem& found : check_rules(rules, {})) problems.push_back(found.problem);
    }
    ASSERT_FALSE(problems.empty()) << c.why;
    EXPECT_THAT(problems[0].to_string(), HasSubstr(c.problem)) << c.why;
    EXPECT_EQ(problems[0].place.offset, c.offset) << c.why;
  }
}

TEST(NamesCondition, WarnsOfNamesThatNobodyProves) {
  const std::vector<std::string> none;
  const auto found =
      check_condition(parsed("from = a@b.example"), none, CheckContext{.proofs = false});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].is_error());
  EXPECT_THAT(found[0].what, HasSubstr("counters.authserv_ids is empty"));
}

struct TruthCase {
  const char* why;
  const char* condition;
  Truth expected;
};

const TruthCase kTruths[] = {
    {"one recipient is meant", "recipient = abuse@here.example", Truth::kTrue},
    {"one is meant, so it is not true that none is", "recipient != abuse@here.example",
     Truth::kFalse},
    {"none is meant", "recipient != x@here.example", Truth::kTrue},
    {"the same as not", "not recipient = x@here.example", Truth::kTrue},
    {"From is not proved", "from = a@b.example", Truth::kUnknown},
    {"nor is it not this one", "not from = a@b.example", Truth::kUnknown},
    {"but it is claimed", "claimed_from = a@b.example", Truth::kTrue},
    {"a message without a list is on no list", "list_id in [x.example]", Truth::kFalse},
    {"and not on it", "not list_id in [x.example]", Truth::kTrue},
    {"a network", "client in [10.0.0.0/8, 192.0.2.0/24]", Truth::kTrue},
    {"a file", "client in /partners", Truth::kTrue},
    {"a file that could not be read", "client in /unreadable", Truth::kUnknown},
    {"a subject without case", "subject = \"Your INVOICE\"", Truth::kTrue},
};

MessageNames some_names() {
  MessageNames names;
  names.set(Name::kRecipient, {"me@here.example", "abuse@here.example"});
  names.set(Name::kClaimedFrom, {"a@b.example"});
  names.set(Name::kListId, {});
  names.set(Name::kClient, {"192.0.2.9"});
  names.set(Name::kSubject, {"your invoice"});
  return names;
}

TEST(NamesCondition, HoldsForTheNamesOfAMessage) {
  const MessageNames names = some_names();
  const names::NameList partners("192.0.2.9 # ours\n",
                                 {names::ListForm::Kind::kOne, Name::kClient});
  for (const TruthCase& c : kTruths) {
    World world({rule("THIS", c.condition)});
    NameFacts facts{names, {}};
    for (const auto& file : world.rules.files)
      facts.files.push_back(file.path == "/partners" ? &partners : nullptr);
    MessageFacts all = world.facts();
    all.names = &facts;
    evaluate(world.rules, all, world.evaluation);
    EXPECT_EQ(world.evaluation.of(0), c.expected) << c.why;
    EXPECT_FALSE(explain_rule(world.rules, all, world.evaluation, 0).empty());
  }
  World world({rule("THIS", "client in /partners and recipient = abuse@")});
  NameFacts facts{names, {&partners}};
  MessageFacts all = world.facts();
  all.names = &facts;
  evaluate(world.rules, all, world.evaluation);
  EXPECT_EQ(explain_condition(world.rules, all, world.evaluation, 0),
            "client 192.0.2.9 in partners:1, recipient abuse@here.example in abuse@");
  EXPECT_EQ(explain_condition(world.rules, all, world.evaluation, 0, Reader::kRecipients),
            "client 192.0.2.9 in partners:1, recipient");
}

TEST(NamesCondition, AcceptIsTheLowestBoundOfTheEffect) {
  Rule accept = rule("A", "client = 192.0.2.9", {});
  accept.at_most = rules::Action::kPass;
  Rule deliver = rule("D", "recipient = abuse@", {});
  deliver.at_most = rules::Action::kAddHeader;
  World world({accept, deliver});
  const MessageNames names = some_names();
  const NameFacts facts{names, {}};
  MessageFacts all = world.facts();
  all.names = &facts;
  evaluate(world.rules, all, world.evaluation);
  EXPECT_EQ(effect_of(world.rules, world.evaluation).at_most, rules::Action::kPass);
}

}  // namespace
}  // namespace shingled::milter::policy
