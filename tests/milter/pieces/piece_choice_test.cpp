#include "milter/pieces/piece_choice.h"

#include <gtest/gtest.h>

namespace shingled::milter::pieces {
namespace {

TEST(PieceChoice, TakesANameOrANumber) {
  EXPECT_TRUE(names_type({.words = {"from", "a@example.org"}}));
  EXPECT_TRUE(names_type({.words = {"14", "a@example.org"}}));
  EXPECT_FALSE(names_type({.words = {"13x"}}));
  EXPECT_FALSE(names_type({.words = {"4"}}));
  EXPECT_FALSE(names_type({}));
  EXPECT_EQ(number_of_type("from"), 14U);
  EXPECT_EQ(meant_type("form"), "; did you mean from?");
}

TEST(PieceChoice, SaysWhatItChanged) {
  const auto choice = choose_pieces({.words = {"from", "A@example.org", "b@example.org"}});
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->notes,
            std::vector<std::string>{"'A@example.org' is counted as 'a@example.org'"});
  EXPECT_EQ(piece_json(choice->pieces[1]).dump(), R"({"type":"from","piece":"b@example.org"})");
  const auto exact = choose_pieces({.words = {"from", "A@example.org"}, .exact = true});
  EXPECT_EQ(piece_text(exact->pieces[0]), "A@example.org");
  EXPECT_TRUE(exact->notes.empty());
}

TEST(PieceChoice, TakesTwoPiecesForAPair) {
  const auto pair = choose_pieces({.words = {"30", "A@example.org", "B@example.org"}});
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ(piece_json(pair->pieces[0]).dump(),
            R"({"type":"sender_recipient","piece":["a@example.org","b@example.org"]})");
  EXPECT_EQ(piece_text(pair->pieces[0]), "a@example.org + b@example.org");
  EXPECT_FALSE(choose_pieces({.words = {"30", "a@example.org"}}).has_value());
  EXPECT_FALSE(choose_pieces({.words = {"30", "a@b", "c@d", "e@f"}}).has_value());
}

TEST(PieceChoice, TakesAShingle) {
  const auto choice = choose_pieces({.words = {"from"}, .shingle = "5791F8CAC2B7D8DD"});
  EXPECT_EQ(piece_json(choice->pieces[0]).dump(),
            R"({"type":"from","shingle":"5791f8cac2b7d8dd"})");
  EXPECT_FALSE(choose_pieces({.words = {"from"}, .shingle = "5791F8CAC2B7D8D"}).has_value());
  EXPECT_FALSE(choose_pieces({.words = {"from"}, .shingle = "+791f8cac2b7d8dd"}).has_value());
  EXPECT_FALSE(choose_pieces({.words = {"from", "a"}, .shingle = "5791f8cac2b7d8dd"}).has_value());
  EXPECT_FALSE(choose_pieces({.words = {"from"}}).has_value());
}

TEST(PieceChoice, AddsTheUniquesOfPairsOnce) {
  const auto pieces = with_uniques({{PieceType::kSender, "a", ""},
                                    {PieceType::kSenderRecipient, "a", "b"},
                                    {PieceType::kSenderRecipient, "a", "c"}});
  ASSERT_EQ(pieces.size(), 4U);
  EXPECT_EQ(pieces[3].piece, (mime::Piece{PieceType::kUniqueRecipients, "a", ""}));
}

}  // namespace
}  // namespace shingled::milter::pieces
