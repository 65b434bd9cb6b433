#include "milter/training/weight_needed.h"

#include <gtest/gtest.h>

namespace shingled::milter::training {
namespace {

ListedHash listed(mime::PartKind kind, mime::PartPlace place,
                  std::vector<storage::FlagValue> flags = {}) {
  ListedHash out;
  out.hash.kind = kind;
  out.hash.place = place;
  out.hash.bytes = 2000;
  out.flags = std::move(flags);
  return out;
}

struct Case {
  const char* why;
  std::vector<ListedHash> hashes;
  rules::TextAmount text;
  std::uint32_t flag;
  ActionOptions actions;
  std::optional<std::int32_t> header;
  std::optional<std::int32_t> reject;
};

TEST(WeightNeeded, IsWhatTheMilterWouldAskFor) {
  using mime::PartKind;
  using mime::PartPlace;
  const ListedHash body = listed(PartKind::kText, PartPlace::kBody);
  const ListedHash robust = listed(PartKind::kRobust, PartPlace::kBody);
  const ListedHash file = listed(PartKind::kAttachment, PartPlace::kAttachment);
  const ActionOptions defaults;
  ActionOptions no_reject;
  no_reject.reject.reset();
  ActionOptions high;
  high.add_header = 19.9;
  high.reject = 20.01;
  const Case cases[] = {
      {"denied: tanh(e * 2 / 20) * 20 = 5.3",
       {body, robust},
       rules::TextAmount::kLong,
       11,
       defaults,
       2,
       5},
      {"prob never reaches ten", {body}, rules::TextAmount::kLong, 12, defaults, 3, std::nullopt},
      {"a good list", {body}, rules::TextAmount::kLong, 13, defaults, std::nullopt, std::nullopt},
      {"a list without a weight",
       {body},
       rules::TextAmount::kLong,
       99,
       defaults,
       std::nullopt,
       std::nullopt},
      {"an action that is off", {body}, rules::TextAmount::kLong, 11, no_reject, 2, std::nullopt},
      {"just below saturation", {body}, rules::TextAmount::kLong, 11, high, 23, std::nullopt},
      {"a file beside text that nobody knows marks at most",
       {file},
       rules::TextAmount::kLong,
       11,
       defaults,
       2,
       std::nullopt},
      {"a file that is the message", {file}, rules::TextAmount::kNone, 11, defaults, 2, 5},
      {"what stands on another list counts, too",
       {listed(PartKind::kText, PartPlace::kBody, {{13, 2}})},
       rules::TextAmount::kLong,
       11,
       defaults,
       7,
       23},
      {"and for it",
       {listed(PartKind::kText, PartPlace::kBody, {{11, 1}, {12, 10}})},
       rules::TextAmount::kLong,
       11,
       defaults,
       1,
       1},
  };
  const RuleOptions rule;
  for (const Case& c : cases) {
    const WeightNeeded needed = weight_needed(c.hashes, c.text, rule, c.flag, c.actions);
    EXPECT_EQ(needed.header, c.header) << c.why;
    EXPECT_EQ(needed.reject, c.reject) << c.why;
  }
}

TEST(WeightNeeded, TheWeightNowIsThatOfTheStrongestHash) {
  const std::vector<ListedHash> hashes = {
      listed(mime::PartKind::kText, mime::PartPlace::kBody, {{11, 3}, {12, 9}}),
      listed(mime::PartKind::kRobust, mime::PartPlace::kBody, {{11, 7}}),
      listed(mime::PartKind::kImage, mime::PartPlace::kAttachment)};
  EXPECT_EQ(weight_on(hashes, 11), 7);
  EXPECT_EQ(weight_on(hashes, 12), 9);
  EXPECT_EQ(weight_on(hashes, 13), std::nullopt);
}

}  // namespace
}  // namespace shingled::milter::training
