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

struct SubjectCase {
  const char* why;
  std::string text;
  std::string expected;  // fold_letters() writes i as l
};

TEST(NormalSubject, IsWhatAThreadHasInCommon) {
  const SubjectCase cases[] = {
      {"case", "Your Account", "your account"},
      {"digits", "Order 4711 of 2026", "order 0000 of 0000"},
      {"look-alikes", "P\u0430yp\u0430l", "paypal"},
      {"i and l are one", "BILL", "blll"},
      {"full width", "\uFF21\uFF22\uFF23", "abc"},
      {"invisible letters", "a\u200Bb", "ab"},
      {"blanks", "  a \t b\u00A0c ", "a b c"},
      {"an answer", "Re: hello", "hello"},
      {"many answers", "RE: re: AW: Fwd: hello", "hello"},
      {"counted answers", "RE[2]: Re(3): Re^4: hello", "hello"},
      {"a blank before the colon", "Re : hello", "hello"},
      {"no blank behind it", "Re:hello", "hello"},
      {"German", "WG: AW: hallo", "hallo"},
      {"Swedish", "SV: VB: hej", "hej"},
      {"Finnish", "VS: VL: moro", "moro"},
      {"French", "TR: R\u00E9: jeu", "jeu"},
      {"Spanish", "RV: RE: hola", "hola"},
      {"Polish", "Odp: PD: sauna", "sauna"},
      {"Turkish", "Ynt: \u0130lt: deneme", "deneme"},
      {"Italian", "R: I: offerta", "offerta"},
      {"Russian", "\u041D\u0430: Re: order", "order"},
      {"Chinese", "\u56DE\u590D: \u8F6C\u53D1\uFF1A order", "order"},
      {"Korean", "\uB2F5\uC7A5: order", "order"},
      {"the tag of a list", "[Team] hello", "hello"},
      {"tags and answers", "Re: [team] AW: [other] hello", "hello"},
      {"only an answer", "Re:", "re:"},
      {"answers to nothing", "Re: Re:", "re:"},
      {"only a tag", "[team]", "[team]"},
      {"an open bracket", "[team hello", "[team hello"},
      {"a word that begins so", "Regards: hello", "regards: hello"},
      {"another word with a colon", "Invoice: 17", "lnvolce: 00"},
      {"nothing", "", ""},
      {"only blanks", " \t ", ""},
      {"not UTF-8",
       "a\xFF"
       "b",
       "a b"},
  };
  for (const SubjectCase& test : cases) {
    const std::string once = normal_subject(test.text);
    EXPECT_EQ(once, test.expected) << test.why;
    EXPECT_EQ(normal_subject(once), once) << test.why;
  }
}

TEST(NormalSubject, IsBounded) {
  const std::string longest(100'000, 'a');
  EXPECT_EQ(normal_subject(longest).size(), kSubjectBytesMax);
  std::string answers;
  for (int i = 0; i < 50'000; ++i) answers += "Re: ";
  EXPECT_EQ(normal_subject(answers), "re:");
}

TEST(NormalDisplayName, IsWhatAReaderSees) {
  const SubjectCase cases[] = {
      {"case and blanks", "  PayPal\t Service ", "paypal servlce"},
      {"look-alikes", "\u0420\u0430ypal", "paypal"},
      {"it keeps a prefix", "Re: Joe", "re: joe"},
      {"nothing", " ", ""},
  };
  for (const SubjectCase& test : cases) {
    EXPECT_EQ(normal_display_name(test.text), test.expected) << test.why;
  }
}

}  // namespace
}  // namespace shingled::mime
