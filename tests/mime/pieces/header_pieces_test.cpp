#include "mime/pieces/header_pieces.h"

#include <gtest/gtest.h>

#include <vector>

#include "mime/message/header_block.h"

namespace shingled::mime {
namespace {

FromField from_of(std::string_view header) {
  WorkMeter meter(UINT64_MAX);
  const std::string text = std::string(header) + "\n\n";
  const HeaderBlock block = split_header_block(text, {});
  return read_from(block.fields, Compat::kRspamd4, meter);
}

TEST(HeaderPieces, KnowTheAddressOfFrom) {
  struct Case {
    const char* why;
    std::string header;
    std::string address;
    bool only;
  };
  const Case cases[] = {
      {"one", "From: Joe <Joe+x@Example.org>", "joe@example.org", true},
      {"two addresses", "From: a@example.org, b@example.org", "a@example.org", false},
      {"two fields", "From: a@example.org\nFrom: b@example.org", "a@example.org", false},
      {"an empty second one", "From: a@example.org\nFrom:", "a@example.org", false},
      {"an empty first one", "From:\nFROM: a@example.org", "a@example.org", false},
      {"another field", "X-From: a@example.org", "", false},
      {"only a name", "From: Joe", "joe", true},
      {"nothing", "To: a@example.org", "", false},
  };
  for (const Case& test : cases) {
    const FromField from = from_of(test.header);
    EXPECT_EQ(from.address ? from.address->text() : "", test.address) << test.why;
    EXPECT_EQ(from.only, test.only) << test.why;
  }
  EXPECT_EQ(from_of("From: =?utf-8?q?J=C3=B6e?= <a@example.org>").name, "J\u00F6e");
}

TEST(HeaderPieces, AreThoseOfTheFields) {
  constexpr std::string_view kMessage =
      "Received: from a by b; Mon, 23 Nov 2026 10:00:00 +0000\n"
      "From: PayPal Service <a@example.org>\n"
      "Reply-To: B <B+tag@example.net>\n"
      "Subject: ignored\n"
      "Message-ID: <1@mail.example.org>\n"
      "List-Id: Team <Team.example.org>\n"
      "User-Agent: Other 1.0\n"
      "X-Mailer: Mailer 3.14\n"
      "\n";
  const PieceOptions options;
  PieceList pieces(options);
  const HeaderBlock block = split_header_block(kMessage, {});
  add_header_pieces(block.fields, "Re: [Team] Invoice 17",
                    {.address = {}, .name = "PayPal  Service"}, pieces);
  const std::vector<Piece> expected = {
      {PieceType::kSubject, "lnvolce 00", ""},
      {PieceType::kExactSubject, "Re: [Team] Invoice 17", ""},
      {PieceType::kDisplayName, "paypal servlce", ""},
      {PieceType::kListId, "team.example.org", ""},
      {PieceType::kMailer, "Mailer 0.00", ""},
      {PieceType::kReplyTo, "b@example.net", ""},
      {PieceType::kMessageIdDomain, "mail.example.org", ""},
      {PieceType::kHeaderOrder, "From:Reply-To:Subject:Message-ID:List-Id:User-Agent:X-Mailer", ""},
      {PieceType::kHeaderNames, "From:Reply-To:Subject:Message-ID:User-Agent:X-Mailer", ""},
  };
  EXPECT_EQ(pieces.take(), expected);
}

TEST(HeaderPieces, AreNotThereWithoutFields) {
  const PieceOptions options;
  PieceList pieces(options);
  add_header_pieces({}, "", {}, pieces);
  EXPECT_TRUE(pieces.take().empty());
}

}  // namespace
}  // namespace shingled::mime
