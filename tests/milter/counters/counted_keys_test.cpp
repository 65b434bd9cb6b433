#include "milter/counters/counted_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace shingled::milter::counters {
namespace {

using storage::counters::counter_of;
using storage::counters::CounterKey;
using storage::counters::pair_of;
using storage::counters::Space;
using storage::counters::Window;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr CounterKeyBytes kSite{1, 2, 3};

const std::vector<mime::Piece> kPieces = {{PieceType::kSender, "a@x", ""},
                                          {PieceType::kSenderRecipient, "a@x", "b@y"},
                                          {PieceType::kSenderRecipient, "a@x", "c@y"},
                                          {PieceType::kLinkHost, "h.example", ""},
                                          {PieceType::kLinkFrom, "l1.example", "x"},
                                          {PieceType::kLinkFrom, "l2.example", "x"}};

TEST(CountedKeys, AreThoseOfTheStore) {
  const CountedKeys keys = counted_keys(kSite, Space::kOut, kPieces);
  EXPECT_THAT(keys.addition.counters,
              ElementsAre(counter_of(kSite, Space::kOut, PieceType::kSender, "a@x"),
                          counter_of(kSite, Space::kOut, PieceType::kLinkHost, "h.example")));
  EXPECT_THAT(keys.addition.pairs,
              ElementsAre(pair_of(kSite, Space::kOut, PieceType::kSenderRecipient, "a@x", "b@y"),
                          pair_of(kSite, Space::kOut, PieceType::kSenderRecipient, "a@x", "c@y"),
                          pair_of(kSite, Space::kOut, PieceType::kLinkFrom, "l1.example", "x"),
                          pair_of(kSite, Space::kOut, PieceType::kLinkFrom, "l2.example", "x")));
  EXPECT_EQ(keys.dropped, 0U);
}

TEST(CountedKeys, AreNotMoreThanOneCallTakes) {
  std::vector<mime::Piece> many;
  for (std::size_t i = 0; i < storage::counters::kAdditionKeysMax + 3; ++i) {
    many.push_back({PieceType::kLink, std::to_string(i), ""});
  }
  const CountedKeys keys = counted_keys(kSite, Space::kIn, many);
  EXPECT_EQ(keys.addition.counters.size(), storage::counters::kAdditionKeysMax);
  EXPECT_EQ(keys.dropped, 3U);
}

TEST(CounterQuestion, IsAboutTheTypesThatAreNeeded) {
  CounterNeeds needs;
  needs.windows = {Window{}};
  EXPECT_TRUE(needs.nothing());
  EXPECT_THAT(question_of(kSite, Space::kIn, kPieces, needs).keys, IsEmpty());
  needs.add(PieceType::kLinkHost);
  needs.add(PieceType::kUniqueRecipients);
  needs.add(PieceType::kUniqueLinkSenders);
  needs.add(PieceType::kLinkFrom);
  EXPECT_FALSE(needs.nothing());
  const CounterQuestion question = question_of(kSite, Space::kIn, kPieces, needs);
  EXPECT_THAT(question.pieces,
              ElementsAre(mime::Piece{PieceType::kUniqueRecipients, "a@x", ""},
                          mime::Piece{PieceType::kLinkHost, "h.example", ""},
                          mime::Piece{PieceType::kLinkFrom, "l1.example", "x"},
                          mime::Piece{PieceType::kUniqueLinkSenders, "l1.example", ""},
                          mime::Piece{PieceType::kLinkFrom, "l2.example", "x"},
                          mime::Piece{PieceType::kUniqueLinkSenders, "l2.example", ""}));
  const auto pair = pair_of(kSite, Space::kIn, PieceType::kSenderRecipient, "a@x", "b@y");
  EXPECT_EQ(question.keys[0], pair.unique_key());
  const auto link = pair_of(kSite, Space::kIn, PieceType::kLinkFrom, "l1.example", "x");
  EXPECT_EQ(question.keys[2], link.key);
}

}  // namespace
}  // namespace shingled::milter::counters
