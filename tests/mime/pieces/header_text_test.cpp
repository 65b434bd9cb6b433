#include "mime/pieces/header_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace shingled::mime {
namespace {

struct Case {
  const char* why;
  std::string value;
  std::string expected;
};

TEST(HeaderText, NamesTheMailer) {
  const Case cases[] = {
      {"digits", "Microsoft Outlook 16.0", "Microsoft Outlook 00.0"},
      {"folded", "Evil\r\n Mailer ", "Evil Mailer"},
      {"nothing", " ", ""},
  };
  for (const Case& test : cases) EXPECT_EQ(normal_mailer(test.value), test.expected) << test.why;
}

TEST(HeaderText, NamesTheRightSideOfAMessageId) {
  const Case cases[] = {
      {"as usual", "<1.2@Mail.Example.ORG>", "mail.example.org"},
      {"without brackets", "1.2@example.org", "example.org"},
      {"folded", "\r\n <1@example.org>", "example.org"},
      {"two signs", "<a@b@example.org>", "example.org"},
      {"a comment behind", "<1@example.org> (x@y)", "example.org"},
      {"an open bracket", "<1@example.org", "example.org"},
      {"text behind", "1@example.org and more", "example.org"},
      {"international", "<1@b\u00FCcher.example>", "xn--bcher-kva.example"},
      {"no right side", "<1>", ""},
      {"an empty one", "<1@>", ""},
      {"nothing", "", ""},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(message_id_domain(test.value), test.expected) << test.why;
  }
}

TEST(HeaderText, NamesTheList) {
  const Case cases[] = {
      {"a phrase before it", "The Team <Team.Example.org>", "team.example.org"},
      {"alone", "<team.example.org>", "team.example.org"},
      {"without brackets", "team.example.org", "team.example.org"},
      {"folded", "The\r\n Team\r\n <team.example.org>", "team.example.org"},
      {"nothing", "<>", ""},
  };
  for (const Case& test : cases) EXPECT_EQ(list_id(test.value), test.expected) << test.why;
}

std::string order_of(const std::vector<std::string_view>& names) {
  std::vector<HeaderField> fields;
  for (const std::string_view name : names) fields.push_back({name, "x"});
  return header_order(fields);
}

TEST(HeaderText, HasTheOrderOfTheFieldsBelowReceived) {
  EXPECT_EQ(order_of({"Received", "DKIM-Signature", "received", "From", "To"}), "From:To");
  EXPECT_EQ(order_of({"from", "To", "MIME-version"}), "from:To:MIME-version");
  EXPECT_EQ(order_of({"From", "Received"}), "");
  EXPECT_EQ(order_of({}), "");
  const std::string many = order_of(std::vector<std::string_view>(1000, "X"));
  EXPECT_EQ(many.size(), 2 * kOrderedNamesMax - 1);
}

TEST(HeaderText, HasTheNamesThatWritersOfMailSet) {
  const auto names_of = [](const std::vector<std::string_view>& names) {
    std::vector<HeaderField> fields;
    for (const std::string_view name : names) fields.push_back({name, "x"});
    return header_names(fields);
  };
  EXPECT_EQ(names_of({"X-Spam", "from", "Received", "To", "X-MAILER"}), "from:To:X-MAILER");
  EXPECT_EQ(names_of({"To", "From"}), "To:From");
  EXPECT_EQ(names_of({"Received", "X-To"}), "");
  const std::string many = names_of(std::vector<std::string_view>(1000, "To"));
  EXPECT_EQ(many.size(), 3 * kOrderedNamesMax - 1);
}

}  // namespace
}  // namespace shingled::mime
