// The meaning of the replies of all kinds of servers.
#include <gtest/gtest.h>

#include "storage/client/exchange.h"

namespace shingled::storage::client {
namespace {

using Kind = RemoteRequest::Kind;
using Outcome = RemoteAnswer::Outcome;

TEST(Interpret, ReadsTheRepliesOfEveryKindOfServer) {
  struct Case {
    const char* why;
    Kind kind;
    std::int32_t value;
    std::uint32_t flag;
    float probability;
    Outcome outcome;
    std::int32_t status;
  };
  constexpr Case kCases[] = {
      {"exact hit", Kind::kCheck, 10, 50, 1.0F, Outcome::kHit, 0},
      {"near hit", Kind::kCheck, 10, 50, 0.53125F, Outcome::kHit, 0},
      {"SQLite miss with some slots", Kind::kCheck, 0, 0, 0.5F, Outcome::kMiss, 0},
      {"rate limit, any age", Kind::kCheck, 403, 0, 0, Outcome::kRefused, 403},
      {"done", Kind::kAdd, 0, 50, 1.0F, Outcome::kDone, 0},
      {"refused, 3.4", Kind::kAdd, 403, 50, 0, Outcome::kRefused, 403},
      {"refused, 4.x", Kind::kDelete, 503, 50, 0, Outcome::kRefused, 503},
      {"not encrypted", Kind::kStat, 415, 0, 0, Outcome::kRefused, 415},
      {"stat of an empty 4.x", Kind::kStat, 0, 0, 0, Outcome::kDone, 0},
      {"stat of 3.4", Kind::kStat, 0, 5, 1.0F, Outcome::kDone, 0},
      {"stat of 4.x", Kind::kStat, 403, 5, 1.7e12F, Outcome::kDone, 0},
      {"pong", Kind::kPing, 3, 0, 1.0F, Outcome::kDone, 0},
  };
  for (const Case& c : kCases) {
    protocol::Reply reply;
    reply.value = c.value;
    reply.flag = c.flag;
    reply.probability = c.probability;
    const RemoteAnswer answer = interpret(reply, c.kind);
    EXPECT_EQ(answer.outcome, c.outcome) << c.why;
    EXPECT_EQ(answer.status, c.status) << c.why;
  }
}

TEST(Interpret, CountsSlotsAndCollectsFlags) {
  protocol::Reply reply;
  reply.probability = 0.75F;
  reply.value = 10;
  reply.flag = 50;
  reply.extra_count = 1;
  reply.extra[0] = {51, 4};
  const RemoteAnswer answer = interpret(reply, Kind::kCheck);
  ASSERT_TRUE(answer.match);
  EXPECT_EQ(answer.match->slots, 24U);
  EXPECT_FALSE(answer.match->exact);
  EXPECT_EQ(answer.match->flag_count, 2);
  EXPECT_EQ(answer.match->flags[0], (FlagValue{50, 10}));
  EXPECT_EQ(answer.match->flags[1], (FlagValue{51, 4}));
}

TEST(Interpret, LearnsFromStatByWhichNumberAServerKnowsCompanions) {
  struct Case {
    const char* why;
    std::uint32_t time;
    bool knows;
    bool old;
  };
  constexpr Case kCases[] = {
      {"rspamd", 0, false, false},
      {"a shingled from before", protocol::kOurMark | 3U, true, true},
      {"a shingled of today", protocol::kOurMark | 7U, true, false},
      {"one that reads the new number alone", protocol::kOurMark | 5U, true, false},
      {"neither", protocol::kOurMark | 1U, false, false}};
  for (const Case& c : kCases) {
    protocol::Reply reply;
    reply.probability = 1;
    reply.time = c.time;
    const RemoteAnswer answer = interpret(reply, RemoteRequest::Kind::kStat);
    EXPECT_EQ(answer.knows_companions, c.knows) << c.why;
    EXPECT_EQ(answer.old_companions, c.old) << c.why;
  }
}

TEST(Interpret, RecognisesAShingledByItsStat) {
  struct Case {
    const char* why;
    std::uint32_t time;
    bool knows;
  };
  constexpr Case kCases[] = {
      {"rspamd", 0, false},
      {"shingled", protocol::kOurMark | protocol::kKnowsDeleteFromList, true},
      {"a later version of shingled", protocol::kOurMark | 0xffU, true},
      {"a shingled without this command", protocol::kOurMark | protocol::kKnowsCompanion, false},
      {"a real time", 1'700'000'001, false}};
  for (const Case& c : kCases) {
    protocol::Reply reply;
    reply.probability = 1;
    reply.time = c.time;
    EXPECT_EQ(interpret(reply, RemoteRequest::Kind::kStat).deletes_from_list, c.knows) << c.why;
    EXPECT_FALSE(interpret(reply, RemoteRequest::Kind::kPing).deletes_from_list) << c.why;
  }
}

}  // namespace
}  // namespace shingled::storage::client
