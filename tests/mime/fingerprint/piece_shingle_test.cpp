// Covers mime/fingerprint/piece_shingle.cpp and mime/fingerprint/piece_type.cpp.
#include "mime/fingerprint/piece_shingle.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <set>
#include <string>

namespace shingled {
namespace {

constexpr CounterKeyBytes kKey = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

TEST(PieceShingle, IsSipHashOfTypeAndPiece) {
  for (const std::size_t size : {0U, 1U, 11U, 253U, 254U, 255U, 300U, 5000U}) {
    const std::string piece(size, 'p');
    const std::string hashed = std::string("\x0e\0", 2) + piece;
    std::uint64_t expected = 0;
    crypto_shorthash(reinterpret_cast<unsigned char*>(&expected),
                     reinterpret_cast<const unsigned char*>(hashed.data()), hashed.size(),
                     kKey.data());
    EXPECT_EQ(piece_shingle(kKey, PieceType::kFrom, piece), expected) << size;
  }
}

TEST(PieceShingle, DependsOnKeyTypeAndPiece) {
  CounterKeyBytes other = kKey;
  other[15] = 0;
  const std::set<std::uint64_t> shingles = {
      piece_shingle(kKey, PieceType::kFrom, "a@example.org"),
      piece_shingle(other, PieceType::kFrom, "a@example.org"),
      piece_shingle(kKey, PieceType::kSender, "a@example.org"),
      piece_shingle(kKey, PieceType::kFrom, "b@example.org"),
  };
  EXPECT_EQ(shingles.size(), 4U);
}

TEST(PairPiece, TellsWhereTheFirstPieceEnds) {
  EXPECT_NE(pair_piece("ab", "c"), pair_piece("a", "bc"));
  EXPECT_NE(pair_piece("", "abc"), pair_piece("abc", ""));
  EXPECT_EQ(pair_piece("ab", "c"), std::string("\x02\0\0\0abc", 7));
}

TEST(PieceType, NumbersOfTheDocumentStay) {
  EXPECT_EQ(to_string(static_cast<PieceType>(8)), "subject");
  EXPECT_EQ(to_string(static_cast<PieceType>(14)), "from");
  EXPECT_EQ(to_string(static_cast<PieceType>(15)), "client");
  EXPECT_EQ(to_string(static_cast<PieceType>(30)), "sender_recipient");
  EXPECT_EQ(to_string(static_cast<PieceType>(31)), "unique_recipients");
  EXPECT_EQ(to_string(static_cast<PieceType>(42)), "attachment_name");
  EXPECT_EQ(to_string(static_cast<PieceType>(62)), "attachment");
}

TEST(PieceType, IsFoundByNumberAndName) {
  for (const PieceTypeRow& row : piece_types()) {
    EXPECT_EQ(find_piece_type(static_cast<std::uint64_t>(row.type)), &row);
    EXPECT_EQ(find_piece_type(row.name), &row);
    EXPECT_FALSE(row.meaning.empty());
  }
  for (const std::uint64_t number : {0UL, 4UL, 77UL, 127UL, 255UL, 256UL, ~0UL})
    EXPECT_EQ(find_piece_type(number), nullptr) << number;
  EXPECT_EQ(find_piece_type("froms"), nullptr);
  EXPECT_EQ(find_piece_type(""), nullptr);
}

TEST(PieceType, EachPairHasItsUnique) {
  EXPECT_TRUE(is_pair(PieceType::kSenderRecipient));
  EXPECT_TRUE(is_unique(PieceType::kUniqueRecipients));
  EXPECT_FALSE(is_pair(PieceType::kFrom) || is_unique(PieceType::kFrom));
  EXPECT_EQ(unique_of(PieceType::kSenderRecipient), PieceType::kUniqueRecipients);
  EXPECT_EQ(unique_of(PieceType::kMessageReporter), PieceType::kUniqueMessageReporters);
}

}  // namespace
}  // namespace shingled
