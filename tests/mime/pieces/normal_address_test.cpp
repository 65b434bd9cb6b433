#include "mime/pieces/normal_address.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

std::string form_of(std::string_view address) {
  const auto normal = normal_address(address);
  return normal ? normal->text() : "";
}

TEST(NormalAddress, IsOneFormForOneMailbox) {
  struct Case {
    const char* why;
    std::string address;
    std::string expected;
  };
  const Case cases[] = {
      {"as it is", "joe@example.org", "joe@example.org"},
      {"case", "Joe.Doe@EXAMPLE.org", "joe.doe@example.org"},
      {"quotes", "\"joe\"@example.org", "joe@example.org"},
      {"a quoted pair", "\"j\\oe\"@example.org", "joe@example.org"},
      {"an at in quotes", "\"a@b\"@example.org", "a@b@example.org"},
      {"blanks", " joe @ example.org ", "joe@example.org"},
      {"the root's dot", "joe@example.org.", "joe@example.org"},
      {"an international domain", "joe@b\u00FCcher.example", "joe@xn--bcher-kva.example"},
      {"a local name", "postmaster", "postmaster"},
      {"an address literal", "joe@[192.0.2.1]", "joe@[192.0.2.1]"},
      {"a tag", "joe+shop@example.org", "joe@example.org"},
      {"two tags", "joe+a+b@example.org", "joe@example.org"},
      {"nothing but a tag", "+shop@example.org", "+shop@example.org"},
      {"BATV", "prvs=0123abcdef=joe@example.org", "joe@example.org"},
      {"BATV in capitals", "PRVS=0123ABCDEF=Joe@example.org", "joe@example.org"},
      {"BATV of Barracuda", "btv1==123abc==joe@example.org", "joe@example.org"},
      {"BATV of SparkPost", "msprvs1=19000abc=bounces-1@example.org", "bounces-1@example.org"},
      {"BATV without a user", "prvs=0123abcdef=@example.org", "prvs=0123abcdef=@example.org"},
      {"not BATV", "prvs=joe@example.org", "prvs=joe@example.org"},
      {"SRS0", "SRS0=HHH=TT=example.org=joe@forward.example", "joe@example.org"},
      {"SRS0 with another separator", "SRS0+HHH=TT=example.org=joe@forward.example",
       "joe@example.org"},
      {"SRS1", "SRS1=GGG=first.example==HHH=TT=example.org=joe@forward.example", "joe@example.org"},
      {"SRS0 without a domain", "SRS0=HHH=TT==joe@forward.example",
       "srs0=hhh=tt==joe@forward.example"},
      {"SRS0 of a tag and an equals sign", "SRS0=HHH=TT=example.org=a=b+c@forward.example",
       "a=b@example.org"},
      {"a name that begins so", "srs0@example.org", "srs0@example.org"},
      {"BATV inside SRS", "SRS0=HHH=TT=example.org=prvs=0123abcdef=joe@forward.example",
       "joe@example.org"},
      {"VERP", "news-joe=example.net@example.org", "news@example.org"},
      {"VERP with a number", "news-return-17-joe=example.net@example.org",
       "news-return@example.org"},
      {"VERP of a user with a hyphen", "news-return-17-mary-ann=example.net@example.org",
       "news-return@example.org"},
      {"VERP as a tag", "bounces+17-joe=example.net@example.org", "bounces@example.org"},
      {"VERP without a list", "joe=example.net@example.org", "joe=example.net@example.org"},
      {"an equals sign without a host", "a-b=c@example.org", "a-b=c@example.org"},
      {"an empty domain behind an address", "a@example.org@", "a@example.org"},
      {"no local part", "@example.org", ""},
      {"nothing", "", ""},
      {"only quotes", "\"\"@example.org", ""},
      {"too long", std::string(kAddressBytesMax, 'a') + "@example.org", ""},
  };
  for (const Case& test : cases) {
    const std::string once = form_of(test.address);
    EXPECT_EQ(once, test.expected) << test.why;
    EXPECT_EQ(form_of(once), once) << test.why;
  }
}

}  // namespace
}  // namespace shingled::mime
