#include "mime/pieces/link.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

TEST(Link, IsWhereItLeads) {
  struct Case {
    const char* why;
    std::string url;
    std::string expected;
  };
  const Case cases[] = {
      {"as usual", "https://www.example.org/a/b", "https://www.example.org/a/b"},
      {"case", "HTTPS://WWW.Example.org/A", "https://www.example.org/A"},
      {"query and fragment", "http://example.org/a?id=17#top", "http://example.org/a"},
      {"a query without a path", "http://example.org?id=17", "http://example.org/"},
      {"port", "http://example.org:8080/a", "http://example.org/a"},
      {"user", "http://bank.example@example.org/a", "http://example.org/a"},
      {"no path", "http://example.org", "http://example.org/"},
      {"no scheme but slashes", "//example.org/a", "http://example.org/a"},
      {"no scheme but www", "WWW.example.org/a", "http://www.example.org/a"},
      {"percent", "http://ex%61mple.org/%61%20b", "http://example.org/a b"},
      {"percent is decoded once", "http://example.org/%2541", "http://example.org/%41"},
      {"a half escape", "http://example.org/%4", "http://example.org/%4"},
      {"backslashes", "http:\\\\example.org\\a", "http://example.org/a"},
      {"line breaks", "http://exam\r\nple.org/\ta", "http://example.org/a"},
      {"international", "http://b\u00FCcher.example/", "http://xn--bcher-kva.example/"},
      {"a number", "http://3232235777/a", "http://192.168.1.1/a"},
      {"octal and hexadecimal", "http://0300.0xa8.257/", "http://192.168.1.1/"},
      {"IPv6", "http://[2001:db8::1]/a", "http://2001:db8::1/a"},
      {"ftp", "ftp://example.org/a", "ftp://example.org/a"},
      {"one label", "http://intranet/a", "http://intranet/a"},
      {"a relative link", "/a/b", ""},
      {"a bare name is a relative link", "example.org/a", ""},
      {"a mail address", "mailto:joe@example.org", ""},
      {"a script", "javascript:x()", ""},
      {"three slashes, as in browsers", "http:///example.org", "http://example.org/"},
      {"no host", "http:///", ""},
      {"nothing", "", ""},
  };
  for (const Case& test : cases) {
    const auto link = read_link(test.url);
    EXPECT_EQ(link ? link->text() : "", test.expected) << test.why;
  }
}

TEST(Link, HasADomainAndAFirstStep) {
  struct Case {
    const char* why;
    std::string url;
    std::string domain;
    std::string step;
  };
  const Case cases[] = {
      {"as usual", "http://a.b.example.co.uk/x/y", "example.co.uk", "a.b.example.co.uk/x"},
      {"one step", "http://bit.example/x7", "bit.example", "bit.example/x7"},
      {"no step", "http://example.org/", "example.org", ""},
      {"two slashes", "http://example.org//a", "example.org", "example.org/a"},
      {"an address", "http://192.0.2.1/a", "192.0.2.1", "192.0.2.1/a"},
      {"IPv6", "http://[2001:db8::1]/a", "2001:db8::1", "2001:db8::1/a"},
  };
  for (const Case& test : cases) {
    const auto link = read_link(test.url);
    ASSERT_TRUE(link) << test.why;
    EXPECT_EQ(link->domain(), test.domain) << test.why;
    EXPECT_EQ(link->first_step(), test.step) << test.why;
  }
}

TEST(Link, EndsAtItsBound) {
  const auto link = read_link("http://example.org/" + std::string(100'000, 'a'));
  ASSERT_TRUE(link);
  EXPECT_LE(link->text().size(), kLinkBytesMax);
}

}  // namespace
}  // namespace shingled::mime
