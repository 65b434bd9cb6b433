#include "milter/names/name_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shingled::milter::names {
namespace {

using ::testing::HasSubstr;

constexpr ListForm kAllow = {ListForm::Kind::kAllow, {}};
constexpr ListForm one(Name name) { return {ListForm::Kind::kOne, name}; }

struct FindCase {
  const char* why;
  Name name;
  const char* entry;
  const char* value;
  bool found;
};

const FindCase kFinds[] = {
    {"itself", Name::kFrom, "a@b.example", "a@b.example", true},
    {"another", Name::kFrom, "a@b.example", "c@b.example", false},
    {"a tag of it", Name::kFrom, "a@b.example", "a+x@b.example", true},
    {"one tag alone", Name::kFrom, "a+x@b.example", "a+x@b.example", true},
    {"not without the tag", Name::kFrom, "a+x@b.example", "a@b.example", false},
    {"not another tag", Name::kFrom, "a+x@b.example", "a+y@b.example", false},
    {"at any domain", Name::kRecipient, "abuse@", "abuse@b.example", true},
    {"at any domain with a tag", Name::kRecipient, "abuse@", "abuse+1@b.example", true},
    {"not a longer local part", Name::kRecipient, "abuse@", "xabuse@b.example", false},
    {"all of a domain", Name::kFrom, "@b.example", "a@b.example", true},
    {"not below it", Name::kFrom, "@b.example", "a@c.b.example", false},
    {"below it", Name::kFrom, ".b.example", "a@d.c.b.example", true},
    {"with the dot also itself", Name::kFrom, ".b.example", "a@b.example", true},
    {"not one that ends alike", Name::kFrom, ".b.example", "a@xb.example", false},
    {"the bounce", Name::kSender, "<>", "<>", true},
    {"BATV of an envelope sender", Name::kSender, "a@b.example", "prvs=0123456789=a@b.example",
     true},
    {"not what a stranger writes into his own address", Name::kFrom, "news@shop.example",
     "srs0=aaaa=bb=shop.example=news@evil.example", false},
    {"nor by its domain", Name::kFrom, "@shop.example",
     "srs0=aaaa=bb=shop.example=news@evil.example", false},
    {"a domain alone", Name::kFromDomain, "b.example", "b.example", true},
    {"not below a domain alone", Name::kFromDomain, "b.example", "c.b.example", false},
    {"below a domain", Name::kFromDomain, ".b.example", "c.b.example", true},
    {"an address", Name::kClient, "192.0.2.1", "192.0.2.1", true},
    {"in a network", Name::kClient, "192.0.2.0/24", "192.0.2.200", true},
    {"beside it", Name::kClient, "192.0.2.0/24", "192.0.3.1", false},
    {"in a network of IPv6", Name::kClient, "2001:db8::/33", "2001:db8:7fff::1", true},
    {"beside it, too", Name::kClient, "2001:db8::/33", "2001:db8:8000::1", false},
    {"no address", Name::kClient, "192.0.2.0/24", "here", false},
    {"a text with a sign", Name::kSubject, "Ticket #12 # closed", "ticket #12", true},
};

TEST(NameList, FindsWhatAnEntryMeans) {
  for (const FindCase& c : kFinds) {
    const NameList list(std::string(c.entry) + "\n", one(c.name));
    EXPECT_EQ(list.problem_count(), 0U) << c.why;
    EXPECT_EQ(list.find(c.name, c.value).has_value(), c.found) << c.why;
  }
}

TEST(NameList, NamesTheLineAndTheRemarkOfTheMoreExactEntry) {
  const NameList list("# remark of nothing\n\n.b.example\na@b.example  # 2026-11-26 asked for\r\n",
                      one(Name::kFrom));
  const auto match = list.find(Name::kFrom, "a@b.example");
  ASSERT_TRUE(match.has_value());
  EXPECT_EQ(match->line, 4U);
  EXPECT_EQ(match->remark, "2026-11-26 asked for");
  EXPECT_EQ(list.find(Name::kFrom, "c@b.example")->line, 3U);
}

struct LineCase {
  const char* why;
  const char* line;
  const char* problem;
};

const LineCase kWrongLines[] = {
    {"a typing error in the name", "form a@b.example", "did you mean 'from'"},
    {"no name", "a@b.example", "does not begin with one of from,"},
    {"a name that proves nothing", "sender a@b.example", "'sender' is not a name of this list"},
    {"everybody", "client 0.0.0.0/0", "part of the world"},
    {"a top-level domain", "from_domain com", "everybody may register"},
    {"no entry", "from", "does not begin"},
    {"an address of nobody", "from b.example", "is not an address"},
};

TEST(NameList, LeavesOutAWrongLineAndNamesIt) {
  for (const LineCase& c : kWrongLines) {
    const NameList list("from a@a.example\n" + std::string(c.line) + "\nfrom z@z.example\n",
                        kAllow);
    ASSERT_EQ(list.problems().size(), 1U) << c.why;
    EXPECT_EQ(list.problems()[0].line, 2U) << c.why;
    EXPECT_THAT(list.problems()[0].what, HasSubstr(c.problem)) << c.why;
    EXPECT_TRUE(list.find(Name::kFrom, "a@a.example")) << c.why;
    EXPECT_TRUE(list.find(Name::kFrom, "z@z.example")) << "the rest is in force: " << c.why;
  }
}

TEST(NameList, HasBounds) {
  const NameList longer("from " + std::string(kEntryBytesMax, 'a') + "\nfrom a@b.example", kAllow);
  EXPECT_EQ(longer.problem_count(), 1U);
  EXPECT_EQ(longer.size(), 1U);
  std::string text;
  for (std::size_t i = 0; i <= kListEntriesMax; ++i) text += "u" + std::to_string(i) + "@\n";
  const NameList many(text, one(Name::kFrom));
  EXPECT_EQ(many.size(), kListEntriesMax);
  ASSERT_EQ(many.problems().size(), 1U);
  EXPECT_THAT(many.problems()[0].what, HasSubstr("more than 1000000 entries; line 1000001"));
  EXPECT_TRUE(many.find(Name::kFrom, "u777777@b.example"));
  EXPECT_FALSE(many.find(Name::kFrom, "u1000000@b.example"));
}

TEST(NameList, OfOneNameSeesItsOwnLinesOfASharedFile) {
  const NameList list("from a@b.example\nclient 192.0.2.1\nc@b.example\n", one(Name::kFrom));
  EXPECT_EQ(list.size(), 2U);
  EXPECT_EQ(list.problem_count(), 0U);
}

TEST(ListTruth, IsUnknownOnlyWhereAValueCouldBeOnTheList) {
  const NameList list("a@b.example\n", one(Name::kFrom));
  features::MessageNames names;
  using Answer = Found::Answer;
  EXPECT_EQ(look_up(list, Name::kFrom, names, Name::kFrom).answer, Answer::kUnknown);
  EXPECT_EQ(look_up(NameList(), Name::kFrom, names, Name::kFrom).answer, Answer::kNo);
  names.set(Name::kFrom, {});
  EXPECT_EQ(look_up(list, Name::kFrom, names, Name::kFrom).answer, Answer::kNo) << "absent";
  names.set(Name::kFrom, {"c@b.example"}, /*complete=*/false);
  EXPECT_EQ(look_up(list, Name::kFrom, names, Name::kFrom).answer, Answer::kUnknown);
  names.set(Name::kFrom, {"c@b.example", "a@b.example"}, /*complete=*/false);
  EXPECT_EQ(look_up(list, Name::kFrom, names, Name::kFrom).answer, Answer::kYes);
}

}  // namespace
}  // namespace shingled::milter::names
