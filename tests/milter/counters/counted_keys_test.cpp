#include "milter/counters/counted_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace shingled::milter::counters {
namespace {

using storage::counters::counter_of;
using storage::counters::CounterKey;
using storage::counters::Direction;
using storage::counters::pair_of;
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
  const CountedKeys keys = counted_keys(kSite, Direction::kOut, kPieces);
  EXPECT_THAT(keys.addition.counters,
              ElementsAre(counter_of(kSite, Direction::kOut, PieceType::kSender, "a@x"),
                          counter_of(kSite, Direction::kOut, PieceType::kLinkHost, "h.example")));
  EXPECT_THAT(
      keys.addition.pairs,
      ElementsAre(pair_of(kSite, Direction::kOut, PieceType::kSenderRecipient, "a@x", "b@y"),
                  pair_of(kSite, Direction::kOut, PieceType::kSenderRecipient, "a@x", "c@y"),
                  pair_of(kSite, Direction::kOut, PieceType::kLinkFrom, "l1.example", "x"),
                  pair_of(kSite, Direction::kOut, PieceType::kLinkFrom, "l2.example", "x")));
  EXPECT_EQ(keys.dropped, 0U);
}

TEST(CountedKeys, AreNotMoreThanOneCallTakes) {
  std::vector<mime::Piece> many;
  for (std::size_t i = 0; i < storage::counters::kAdditionKeysMax + 3; ++i) {
    many.push_back({PieceType::kLink, std::to_string(i), ""});
  }
  const CountedKeys keys = counted_keys(kSite, Direction::kIn, many);
  EXPECT_EQ(keys.addition.counters.size(), storage::counters::kAdditionKeysMax);
  EXPECT_EQ(keys.dropped, 3U);
}

TEST(CounterQuestion, IsAboutTheTypesThatAreNeeded) {
  TypeSet needs;
  EXPECT_THAT(question_of(kSite, Direction::kIn, kPieces, needs).keys, IsEmpty());
  needs.set(static_cast<std::size_t>(PieceType::kLinkHost));
  needs.set(static_cast<std::size_t>(PieceType::kUniqueRecipients));
  needs.set(static_cast<std::size_t>(PieceType::kUniqueLinkSenders));
  needs.set(static_cast<std::size_t>(PieceType::kLinkFrom));
  const CounterQuestion question = question_of(kSite, Direction::kIn, kPieces, needs);
  EXPECT_THAT(question.pieces,
              ElementsAre(mime::Piece{PieceType::kUniqueRecipients, "a@x", ""},
                          mime::Piece{PieceType::kLinkHost, "h.example", ""},
                          mime::Piece{PieceType::kLinkFrom, "l1.example", "x"},
                          mime::Piece{PieceType::kUniqueLinkSenders, "l1.example", ""},
                          mime::Piece{PieceType::kLinkFrom, "l2.example", "x"},
                          mime::Piece{PieceType::kUniqueLinkSenders, "l2.example", ""}));
  const auto pair = pair_of(kSite, Direction::kIn, PieceType::kSenderRecipient, "a@x", "b@y");
  EXPECT_EQ(question.keys[0], pair.unique_key());
  const auto link = pair_of(kSite, Direction::kIn, PieceType::kLinkFrom, "l1.example", "x");
  EXPECT_EQ(question.keys[2], link.key);
}

TEST(CounterQuestion, AsksForTheReportersOfAStoredHash) {
  TypeSet needs;
  needs.set(static_cast<std::size_t>(PieceType::kUniqueReporters));
  const std::vector<mime::Piece> matched = {{PieceType::kStoredHash, "0a1b", ""}};
  EXPECT_THAT(question_of(kSite, Direction::kIn, matched, needs).pieces,
              ElementsAre(mime::Piece{PieceType::kUniqueReporters, "0a1b", ""}));
}

std::vector<Window> windows(std::initializer_list<const char*> texts) {
  std::vector<Window> out;
  for (const char* text : texts) out.push_back(storage::counters::parse_window(text).value());
  return out;
}

TEST(CounterAsks, PutTypesTogether) {
  EXPECT_TRUE(asks_for({}).empty());
  const auto asks = asks_for(
      {{PieceType::kSender, windows({"1d", "14d"})}, {PieceType::kLink, windows({"1h", "1d"})}});
  ASSERT_EQ(asks.size(), 1U);
  EXPECT_EQ(asks[0].windows, windows({"1d", "14d", "1h"}));
  EXPECT_TRUE(asks[0].types.test(static_cast<std::size_t>(PieceType::kSender)));
  EXPECT_TRUE(asks[0].types.test(static_cast<std::size_t>(PieceType::kLink)));
}

TEST(CounterAsks, DoNotPayForTheDaysThatOneTypeNeeds) {
  features::CounterNeed usual{PieceType::kUser, windows({"1h"})};
  for (std::uint32_t day = 1; day <= 16; ++day)
    usual.windows.push_back({storage::counters::Period::Unit::kDay, 1, day});
  const auto asks = asks_for({{PieceType::kSender, windows({"1d", "14d"})}, usual});
  ASSERT_EQ(asks.size(), 2U);
  EXPECT_EQ(asks[0].windows, windows({"1d", "14d"}));
  EXPECT_EQ(asks[1].windows, usual.windows);
}

TEST(CounterAsks, DoNotPayForTheDaysThatOneTypeNeedsAlsoIfItNeedsTheirWindows) {
  features::CounterNeed usual{PieceType::kUser, windows({"1d", "14d"})};
  for (std::uint32_t day = 1; day <= 16; ++day)
    usual.windows.push_back({storage::counters::Period::Unit::kDay, 1, day});
  const features::CounterNeed sender{PieceType::kSender, windows({"1d", "14d"})};
  EXPECT_EQ(asks_for({sender, usual}).size(), 2U);
  EXPECT_EQ(asks_for({usual, sender}).size(), 2U);
  const features::CounterNeed second{PieceType::kClient, usual.windows};
  EXPECT_EQ(asks_for({usual, sender, second}).size(), 2U);
}

TEST(CounterAsks, KnowThePlacesOfTheWindowsOfEachType) {
  const auto asks = asks_for(
      {{PieceType::kSender, windows({"1d", "14d"})}, {PieceType::kLink, windows({"1h", "1d"})}});
  ASSERT_EQ(asks.size(), 1U);
  const auto places = [&](PieceType type) {
    return asks[0].places[static_cast<std::size_t>(type)];
  };
  EXPECT_THAT(places(PieceType::kSender), ElementsAre(0, 1));
  EXPECT_THAT(places(PieceType::kLink), ElementsAre(2, 0));
  EXPECT_THAT(places(PieceType::kUser), IsEmpty());
}

}  // namespace
}  // namespace shingled::milter::counters
