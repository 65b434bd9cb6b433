#include "mime/pieces/normal_subject.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

struct Case {
  const char* why;
  std::string text;
  std::string expected;  // fold_letters() writes i as l
};

TEST(NormalSubject, IsWhatAThreadHasInCommon) {
  const Case cases[] = {
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
  for (const Case& test : cases) {
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
  const Case cases[] = {
      {"case and blanks", "  PayPal\t Service ", "paypal servlce"},
      {"look-alikes", "\u0420\u0430ypal", "paypal"},
      {"it keeps a prefix", "Re: Joe", "re: joe"},
      {"nothing", " ", ""},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(normal_display_name(test.text), test.expected) << test.why;
  }
}

}  // namespace
}  // namespace shingled::mime
