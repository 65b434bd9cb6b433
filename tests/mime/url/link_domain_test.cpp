#include "mime/url/link_domain.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

struct Case {
  std::string_view why, href, domain;  ///< no domain: leads nowhere
};

void expect_all(std::initializer_list<Case> cases, const std::string* base) {
  for (const Case& c : cases) {
    EXPECT_EQ(link_domain(c.href, base).value_or(""), c.domain) << c.why << ": " << c.href;
  }
}

TEST(LinkDomain, IsWhatRspamd4KeepsAUrlOf) {
  expect_all(
      {
          {"the registrable part", "https://a.b.example.co.uk/x", "example.co.uk"},
          {"white space is nothing", " http://www.exam\nple.com ", "example.com"},
          {"what needs no percent sign is decoded", "http:%2f%2fexample.com%2Fx", "example.com"},
          {"an address is written out", "http://1.2.3/", "1.2.0.3"},
          {"one label is a host behind a scheme", "http://intranet/x", "intranet"},
          {"a bare host", "www.example.com/x", "example.com"},
          {"is one below a public suffix only", "page.html", ""},
          {"no scheme but slashes", "//example.com", "example.com"},
          {"a bare address of mail", "me@example.com", "example.com"},
          {"one that says so", "mailto:me@example.com?subject=x y", "example.com"},
          {"its user has no colon", "mailto:e-mail%3Ame@example.com", ""},
          {"nor is a bracket an address", "mailto:[%25mail%25]", ""},
          {"a number stands for a host", "tel:+49 76-21", "497621"},
          {"without digits it does not", "tel:", ""},
          {"a host has no exclamation mark", "http://ww!", ""},
          {"a defused link", "hxxps://example[.]com/", ""},
          {"a script", "javascript:go('http://example.com')", ""},
          {"relative", "/x", ""},
          {"anchor", "#x", ""},
          {"nothing", "", ""},
          {"one word", "x", ""},
          {"a percent sign at the end", "http://example.com/%2", "example.com"},
      },
      nullptr);
}

TEST(LinkDomain, LiesBelowTheBaseUnlessAbsolute) {
  const std::string base = "base.com";
  expect_all(
      {
          {"a path", "/x", "base.com"},
          {"a name", "page.html", "base.com"},
          {"another host", "http://example.com", "example.com"},
          {"a script, too", "javascript:go('http://example.com')", "base.com"},
          {"but not an address of mail", "mailto:me@example.com", "example.com"},
          {"data is never a link", "data:image/png;base64,xx", ""},
      },
      &base);
}

TEST(UrlName, IsTheDomainAddressOrNumber) {
  EXPECT_EQ(url_name("https://me:secret@a.b.example.co.uk:8080/x"), "example.co.uk");
  EXPECT_EQ(url_name("www.Example.com/x"), "example.com");
  EXPECT_EQ(url_name("mailto:me@mail.example.com"), "example.com");
  EXPECT_EQ(url_name("me@mail.example.com"), "example.com");
  EXPECT_EQ(url_name("http://192.0.2.1/x"), "192.0.2.1");
  EXPECT_EQ(url_name("http://[2001:db8::1]/x"), "2001:db8::1");
  EXPECT_EQ(url_name("tel:+49 76-21 now 5"), "497621");
  EXPECT_EQ(url_name("http://"), "");
}

}  // namespace
}  // namespace shingled::mime
