#include "mime/pieces/piece_list.h"

#include <gtest/gtest.h>

#include <string>

#include "mime/charset/utf8.h"

namespace shingled::mime {
namespace {

TEST(PieceList, HasEachPieceOnceInOrderOfType) {
  const PieceOptions options;
  PieceList list(options);
  list.add(PieceType::kLink, "b");
  list.add(PieceType::kLink, "a");
  list.add(PieceType::kSubject, "s");
  list.add(PieceType::kLink, "b");
  list.add_pair(PieceType::kSenderRecipient, "x", "z");
  list.add_pair(PieceType::kSenderRecipient, "x", "y");
  const std::vector<Piece> expected = {{PieceType::kSubject, "s", ""},
                                       {PieceType::kSenderRecipient, "x", "y"},
                                       {PieceType::kSenderRecipient, "x", "z"},
                                       {PieceType::kLink, "a", ""},
                                       {PieceType::kLink, "b", ""}};
  EXPECT_EQ(list.of_type(PieceType::kLink), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(list.take(), expected);
  EXPECT_EQ(list.dropped(), 0U);
  EXPECT_EQ(list.size(), 0U);
}

TEST(PieceList, TakesNoEmptyPiece) {
  const PieceOptions options;
  PieceList list(options);
  list.add(PieceType::kSubject, "");
  list.add_pair(PieceType::kSenderRecipient, "x", "");
  list.add_pair(PieceType::kSenderRecipient, "", "y");
  EXPECT_TRUE(list.take().empty());
  EXPECT_EQ(list.dropped(), 0U);
}

TEST(PieceList, CountsWhatMeetsABound) {
  PieceOptions options;
  options.links_max = 2;
  options.pieces_max = 4;
  PieceList list(options);
  for (const char* link : {"a", "b", "c", "a"}) list.add(PieceType::kLink, link);
  EXPECT_FALSE(list.has_room(PieceType::kLink));
  EXPECT_EQ(list.dropped(), 1U) << "a is there already";
  list.add(PieceType::kSubject, "s");
  list.add(PieceType::kSubject, "t");
  EXPECT_EQ(list.dropped(), 2U) << "a message has one subject";
  list.add(PieceType::kPhone, "1");
  list.add(PieceType::kWallet, "1");
  EXPECT_EQ(list.dropped(), 3U);
  EXPECT_EQ(list.take().size(), options.pieces_max);
}

TEST(PieceList, TakesThePiecesOfAnother) {
  PieceOptions options;
  options.links_max = 2;
  PieceList from(options);
  from.add(PieceType::kLink, "a");
  from.add(PieceType::kLink, "b");
  from.add(PieceType::kSubject, "hello");
  from.note_dropped(3);
  PieceList pieces(options);
  pieces.add(PieceType::kLink, "b");
  pieces.add(PieceType::kLink, "c");
  pieces.take_all(from);
  EXPECT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces.dropped(), 4U);  // "a" has no room
  EXPECT_EQ(from.size(), 0U);
  EXPECT_EQ(from.dropped(), 0U);
  from.add(PieceType::kLink, "d");
  from.add(PieceType::kLink, "e");
  EXPECT_EQ(from.size(), 2U);
}

TEST(PieceList, MakesRoomByRemoving) {
  PieceOptions options;
  options.links_max = 2;
  PieceList list(options);
  for (const char* host : {"a", "b"}) list.add(PieceType::kForeignHost, host);
  list.add(PieceType::kLinkHost, "a");
  list.remove(PieceType::kForeignHost, [](std::string_view host) { return host == "a"; });
  EXPECT_EQ(list.of_type(PieceType::kForeignHost), std::vector<std::string_view>{"b"});
  EXPECT_EQ(list.of_type(PieceType::kLinkHost), std::vector<std::string_view>{"a"});
  EXPECT_TRUE(list.has_room(PieceType::kForeignHost));
}

TEST(PieceList, CutsAtTheEndOfACharacter) {
  PieceOptions options;
  options.piece_bytes_max = 16;
  PieceList list(options);
  list.add(PieceType::kSubject, std::string(15, 'a') + "\u00FC");
  list.add(PieceType::kMailer,
           "a\xFF"
           "b");
  list.add(PieceType::kReplyTo, std::string(100, '\xFF'));
  const std::vector<Piece> pieces = list.take();
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].first, std::string(15, 'a'));
  EXPECT_EQ(pieces[1].first,
            "a\uFFFD"
            "b");
  EXPECT_EQ(pieces[2].first, "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(PieceList, TakesAStringAsItTakesAView) {
  PieceOptions options;
  options.piece_bytes_max = 16;
  for (const std::string text : {"", "a", "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaa\u00FC", "a\xFF"}) {
    PieceList viewed(options);
    PieceList given(options);
    viewed.add(PieceType::kSubject, std::string_view(text));
    given.add(PieceType::kSubject, std::string(text));
    EXPECT_EQ(given.take(), viewed.take()) << text;
  }
}

TEST(Clipped, EndsBetweenCharacters) {
  EXPECT_EQ(clipped("abc", 3), "abc");
  EXPECT_EQ(clipped("abc", 2), "ab");
  EXPECT_EQ(clipped("a\u00FC", 2), "a");
  EXPECT_EQ(clipped("\U0001F600", 3), "");
  EXPECT_EQ(clipped("abc", 0), "");
}

}  // namespace
}  // namespace shingled::mime
