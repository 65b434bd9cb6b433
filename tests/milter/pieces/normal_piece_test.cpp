#include "milter/pieces/normal_piece.h"

#include <gtest/gtest.h>

namespace shingled::milter::pieces {
namespace {

TEST(NormalPiece, IsTheFormThatTheMilterCounts) {
  struct Row {
    PieceType type;
    const char* text;
    const char* form;
  };
  for (const Row& row : {
           Row{PieceType::kSender, "<Ann+news@Example.ORG>", "ann@example.org"},
           Row{PieceType::kSender, "<>", "<>"},
           Row{PieceType::kSenderDomain, "ann@mail.example.co.uk", "example.co.uk"},
           Row{PieceType::kLinkHost, "https://WWW.Example.org/x?y", "www.example.org"},
           Row{PieceType::kLinkHost, "WWW.Example.org.", "www.example.org"},
           Row{PieceType::kLink, "HTTPS://Example.org/a?b#c", "https://example.org/a"},
           Row{PieceType::kLinkPath, "bit.example/abc/d", "bit.example/abc"},
           Row{PieceType::kLinkDomain, "https://a@www.example.org/x", "example.org"},
           Row{PieceType::kForeignHost, "WWW.Example.org", "www.example.org"},
           Row{PieceType::kClient, "::ffff:192.0.2.7", "192.0.2.7"},
           Row{PieceType::kClientNetwork, "2001:db8:1:2:3::4", "2001:db8:1:2::/64"},
           Row{PieceType::kClientNetwork, "192.0.2.0/24", "192.0.2.0/24"},
           Row{PieceType::kPhone, "+49 (0)30 1234567", "49301234567"},
           Row{PieceType::kAttachmentName, "Invoice 4711.PDF", "invoice 0000.pdf"},
           Row{PieceType::kMessageIdDomain, "<1@Mail.Example.org>", "mail.example.org"},
           Row{PieceType::kExactSubject, "Re: Hi", "Re: Hi"},
           Row{PieceType::kUniqueRecipients, "Ann@example.org", "ann@example.org"},
           Row{PieceType::kMessageReporter, "As It Is", "As It Is"},
       }) {
    EXPECT_EQ(normal_piece(row.type, row.text).value_or("(none)"), row.form) << row.text;
    EXPECT_EQ(normal_piece(row.type, row.form).value_or("(none)"), row.form) << row.form;
  }
}

TEST(NormalPiece, RefusesWhatCannotBeOne) {
  EXPECT_FALSE(normal_piece(PieceType::kClient, "nowhere"));
  EXPECT_FALSE(normal_piece(PieceType::kClientNetwork, "192.0.2.0/99"));
  EXPECT_FALSE(normal_piece(PieceType::kPhone, "call me"));
  EXPECT_FALSE(normal_piece(PieceType::kWallet, "1abc"));
  EXPECT_FALSE(normal_piece(PieceType::kSender, ""));
}

TEST(PairParts, NameTypesThatAreNoPairs) {
  for (const PieceTypeRow& row : piece_types()) {
    const PairParts parts = parts_of(row.type);
    if (row.kind != PieceTypeRow::Kind::kPair) {
      EXPECT_FALSE(parts.first || parts.second);
    }
    if (parts.first) {
      EXPECT_EQ(row_of(*parts.first).kind, PieceTypeRow::Kind::kSingle);
    }
    if (parts.second) {
      EXPECT_EQ(row_of(*parts.second).kind, PieceTypeRow::Kind::kSingle);
    }
  }
  EXPECT_EQ(parts_of(PieceType::kSenderRecipient).second, PieceType::kRecipient);
}

}  // namespace
}  // namespace shingled::milter::pieces
