// Covers storage/people/people_store.cpp, too.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include "storage/people/embedded_people.h"

namespace shingled::storage::people {
namespace {

Statement statement(std::uint64_t person, std::vector<std::uint64_t> signs,
                    Standing standing = Standing::kResident) {
  return {
      .person = person, .message = 1, .standing = standing, .time = 100, .signs = std::move(signs)};
}

std::vector<std::uint64_t> persons(const SignIndex& index, std::uint64_t sign) {
  Voices voices;
  index.find(sign, voices);
  std::vector<std::uint64_t> out;
  for (const Voice& voice : voices) out.push_back(voice.person);
  return out;
}

TEST(SignIndex, FindsWhoSaidSomethingTheNewestFirst) {
  SignIndex index;
  EXPECT_TRUE(persons(index, 7).empty());
  index.add(statement(1, {7, 8}));
  index.add(statement(2, {7}));
  EXPECT_EQ(persons(index, 7), (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(persons(index, 8), std::vector<std::uint64_t>{1});
  EXPECT_TRUE(persons(index, 9).empty());
}

TEST(SignIndex, DoesNotFindWhatWasRemoved) {
  SignIndex index;
  const auto first = index.add(statement(1, {7}));
  index.add(statement(2, {7}));
  index.remove(first);
  EXPECT_EQ(persons(index, 7), std::vector<std::uint64_t>{2});
}

TEST(SignIndex, GivesTheNewestVoicesOfASignThatManyHave) {
  SignIndex index;
  for (std::uint64_t i = 0; i < 3 * kVoicesMax; ++i) index.add(statement(i, {0}));
  const auto found = persons(index, 0);
  ASSERT_EQ(found.size(), kVoicesMax);
  EXPECT_EQ(found.front(), 3 * kVoicesMax - 1);
}

TEST(SignIndex, HasRoomForResidentsWhateverNewcomersSay) {
  SignIndex index;
  index.add(statement(1, {0}));
  for (std::uint64_t i = 0; i < 3 * kVoicesMax; ++i)
    index.add(statement(100 + i, {0}, Standing::kNewcomer));
  index.add(statement(2, {0}));
  const auto found = persons(index, 0);
  ASSERT_EQ(found.size(), 2 + kNewcomerVoicesMax);
  EXPECT_EQ((std::vector(found.begin(), found.begin() + 3)),
            (std::vector<std::uint64_t>{2, 1, 99 + 3 * kVoicesMax}));
}

/// Signs that meet in the table: those with equal low bits.
TEST(SignIndex, IsAMapOfSignsToVoices) {
  rc::check([] {
    SignIndex index;
    std::map<std::uint64_t, std::vector<std::uint64_t>> oracle;
    std::vector<Statement> given;
    std::set<SignIndex::Number> removed;
    const auto count = *rc::gen::inRange<std::size_t>(0, 60);
    for (std::size_t i = 0; i < count; ++i) {
      const auto low =
          *rc::gen::container<std::set<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 200));
      std::vector<std::uint64_t> signs;
      for (const std::uint64_t sign : low) signs.push_back(sign % 20 + (sign / 20 << 40U));
      given.push_back(statement(i, signs));
      index.add(given.back());
      if (*rc::gen::inRange(0, 4) == 0) {
        const auto gone =
            *rc::gen::inRange<SignIndex::Number>(0, static_cast<SignIndex::Number>(i + 1));
        index.remove(gone);
        removed.insert(gone);
      }
    }
    for (std::size_t i = given.size(); i-- > 0;) {
      if (removed.contains(static_cast<SignIndex::Number>(i))) continue;
      for (const std::uint64_t sign : given[i].signs) oracle[sign].push_back(given[i].person);
    }
    for (std::uint64_t low = 0; low < 20; ++low)
      for (std::uint64_t high = 0; high < 10; ++high)
        RC_ASSERT(persons(index, low + (high << 40U)) == oracle[low + (high << 40U)]);
  });
}

TEST(SignOf, TellsTypesDirectionsAndProofApart) {
  using counters::Direction;
  std::set<std::uint64_t> signs;
  for (const PieceType type : {PieceType::kText, PieceType::kPhrase})
    for (const Direction direction : {Direction::kIn, Direction::kOut})
      for (const bool proved : {false, true})
        signs.insert(sign_of({.shingle = 5, .type = type, .direction = direction}, proved));
  EXPECT_EQ(signs.size(), 8U);
}

}  // namespace
}  // namespace shingled::storage::people
