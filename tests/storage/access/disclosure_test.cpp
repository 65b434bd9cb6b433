// Covers storage/access/access.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "storage/access/access.h"

namespace shingled::storage::access {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr std::uint32_t kCreated = 1'700'000'000;
constexpr WallTime kThen{seconds(kCreated)};

Match match_of(const std::vector<FlagValue>& lists, std::uint8_t digest = 0) {
  Match match;
  match.exact = true;
  match.created = kCreated;
  match.digest.bytes.fill(digest);
  for (const FlagValue& list : lists) match.flags[match.flag_count++] = list;
  return match;
}

Visibility forbidding(const std::vector<std::size_t>& flags) {
  Visibility visibility;
  for (const std::size_t flag : flags) visibility.forbidden.set(flag);
  return visibility;
}

TEST(Disclosure, HidesForbiddenLists) {
  struct Case {
    const char* why;
    std::vector<FlagValue> stored;
    std::vector<std::size_t> forbidden;
    protocol::ReplyForm form;
    Shown shown;
    FlagValue first;
    std::vector<FlagValue> extra;
  };
  const Case cases[] = {
      {"nothing is forbidden",
       {{1, 9}, {2, 5}},
       {},
       protocol::ReplyForm::kV2,
       Shown::kHit,
       {1, 9},
       {{2, 5}}},
      {"another list is forbidden",
       {{1, 9}},
       {2},
       protocol::ReplyForm::kV1,
       Shown::kHit,
       {1, 9},
       {}},
      {"the only list, v2", {{1, 9}}, {1}, protocol::ReplyForm::kV2, Shown::kHidden, {}, {}},
      {"the only list, v1", {{1, 9}}, {1}, protocol::ReplyForm::kV1, Shown::kHidden, {}, {}},
      {"an extra list is left out",
       {{1, 9}, {2, 5}, {3, 4}},
       {2},
       protocol::ReplyForm::kV2,
       Shown::kHit,
       {1, 9},
       {{3, 4}}},
      {"the second list takes the place of the first",
       {{1, 9}, {2, 5}, {3, 4}},
       {1},
       protocol::ReplyForm::kV2,
       Shown::kHit,
       {2, 5},
       {{3, 4}}},
      {"a forbidden first list hides all in v1",
       {{1, 9}, {2, 5}},
       {1},
       protocol::ReplyForm::kV1,
       Shown::kHidden,
       {},
       {}},
      {"a forbidden first list hides all in the short form",
       {{1, 9}, {2, 5}},
       {1},
       protocol::ReplyForm::kShort,
       Shown::kHidden,
       {},
       {}},
      {"a forbidden extra list changes nothing in v1",
       {{1, 9}, {2, 5}},
       {2},
       protocol::ReplyForm::kV1,
       Shown::kHit,
       {1, 9},
       {}},
      {"all lists are forbidden",
       {{1, 9}, {2, 5}},
       {1, 2},
       protocol::ReplyForm::kV2,
       Shown::kHidden,
       {},
       {}},
      {"a flag above 255 is never forbidden",
       {{300, 9}},
       {44},
       protocol::ReplyForm::kV2,
       Shown::kHit,
       {300, 9},
       {}},
      {"a match without lists", {}, {}, protocol::ReplyForm::kV2, Shown::kHidden, {}, {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.why);
    protocol::Reply reply;
    EXPECT_EQ(disclose(match_of(c.stored, 7), false, forbidding(c.forbidden), c.form, kThen, reply),
              c.shown);
    if (c.shown == Shown::kHidden) {
      EXPECT_EQ(reply, protocol::Reply{}) << "the same reply as for an unknown hash";
      continue;
    }
    EXPECT_EQ(reply.probability, 1.0F);
    EXPECT_TRUE(reply.matched);
    EXPECT_EQ(reply.flag, c.first.flag);
    EXPECT_EQ(reply.value, c.first.value);
    if (c.form != protocol::ReplyForm::kV2) continue;
    ASSERT_EQ(reply.extra_count, c.extra.size());
    EXPECT_TRUE(std::equal(c.extra.begin(), c.extra.end(), reply.extra.begin()));
    for (std::size_t i = c.extra.size(); i < reply.extra.size(); ++i)
      EXPECT_EQ(reply.extra[i], FlagValue{}) << "the reply contains nothing of a hidden list";
  }
}

TEST(Disclosure, DelaysYoungHashes) {
  Visibility visibility;
  visibility.delay = seconds(100);
  for (const int digest : {0, 1, 77, 255}) {
    const Match match = match_of({{4, 9}, {5, 2}}, static_cast<std::uint8_t>(digest));
    const auto shown_after = [&](int age) {
      protocol::Reply reply;
      const Shown shown =
          disclose(match, false, visibility, protocol::ReplyForm::kV2, kThen + seconds(age), reply);
      if (shown == Shown::kDelayed) {
        EXPECT_EQ(reply.value, 0);
        EXPECT_EQ(reply.probability, 0.0F);
        EXPECT_EQ(reply.flag, 4U) << "as in rspamd";
        EXPECT_EQ(reply.digest, match.digest);
        EXPECT_EQ(reply.time, 0U);
        EXPECT_EQ(reply.extra_count, 1);
        EXPECT_FALSE(reply.matched);
      }
      return shown;
    };
    EXPECT_EQ(shown_after(0), Shown::kDelayed);
    EXPECT_EQ(shown_after(99), Shown::kDelayed);
    EXPECT_EQ(shown_after(151), Shown::kHit);
    // There is one moment in between when the hash is shown, and it is shown from then on.
    int turn = 100;
    while (turn < 151 && shown_after(turn) == Shown::kDelayed) ++turn;
    for (int age = turn; age < 160; ++age) EXPECT_EQ(shown_after(age), Shown::kHit) << age;
  }
  EXPECT_EQ(visibility.delay, seconds(100));
  protocol::Reply reply;
  EXPECT_EQ(
      disclose(match_of({{4, 9}}), false, Visibility{}, protocol::ReplyForm::kV1, kThen, reply),
      Shown::kHit)
      << "without a delay";
}

TEST(Disclosure, TheDelayDependsOnTheDigest) {
  Visibility visibility;
  visibility.delay = seconds(1000);
  int shown = 0;
  for (int digest = 0; digest < 256; ++digest) {
    protocol::Reply reply;
    Match match = match_of({{4, 9}});
    for (std::size_t i = 0; i < 8; ++i)
      match.digest.bytes[i] = static_cast<std::uint8_t>(digest * 131 + static_cast<int>(i) * 29);
    shown += disclose(match, false, visibility, protocol::ReplyForm::kV1, kThen + seconds(1250),
                      reply) == Shown::kHit;
  }
  EXPECT_GT(shown, 64);
  EXPECT_LT(shown, 192);
}

TEST(Disclosure, AnswersSkippedDigestsWithTheirStatus) {
  protocol::Reply reply;
  EXPECT_EQ(
      disclose(match_of({{4, 9}, {5, 1}}, 3), true, {}, protocol::ReplyForm::kV2, kThen, reply),
      Shown::kSkipped);
  EXPECT_EQ(reply.value, protocol::kStatusSkipped);
  EXPECT_EQ(reply.probability, 0.0F);
  EXPECT_EQ(reply.flag, 4U);
  EXPECT_EQ(reply.digest, match_of({}, 3).digest);
  EXPECT_EQ(reply.time, kCreated);
  EXPECT_EQ(reply.extra_count, 0);
  protocol::Reply negative;
  EXPECT_EQ(disclose(match_of({{4, -9}}), true, {}, protocol::ReplyForm::kV2, kThen, negative),
            Shown::kHit)
      << "only positive values are skipped";
  protocol::Reply hidden;
  EXPECT_EQ(
      disclose(match_of({{4, 9}}), true, forbidding({4}), protocol::ReplyForm::kV2, kThen, hidden),
      Shown::kHidden)
      << "a match on a forbidden list does not even show that it is skipped";
  EXPECT_EQ(hidden, protocol::Reply{});
}

}  // namespace
}  // namespace shingled::storage::access
