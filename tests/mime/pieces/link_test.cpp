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
      {"dot segments, as a browser requests it", "http://example.org/a/../b/./c",
       "http://example.org/b/c"},
      {"more of them than there are steps", "http://example.org/../../a/", "http://example.org/a/"},
      {"at the end", "http://example.org/a/b/..", "http://example.org/a/"},
      {"one dot at the end", "http://example.org/a/.", "http://example.org/a/"},
      {"dots in disguise", "http://example.org/a/%2e%2E/b/.%2e/c", "http://example.org/c"},
      {"a slash in disguise separates nothing", "http://example.org/a/..%2fb",
       "http://example.org/a/../b"},
      {"a step with such a slash goes as a whole", "http://example.org/a/b%2fc/../d",
       "http://example.org/a/d"},
      {"three dots are a name", "http://example.org/a/.../b", "http://example.org/a/.../b"},
      {"empty steps stay", "http://example.org/a//b/../c", "http://example.org/a//c"},
      {"dots in the query stay", "http://example.org/a?x=/../b", "http://example.org/a"},
      {"with backslashes", "http://example.org/a\\..\\b", "http://example.org/b"},
      {"international", "http://b\u00FCcher.example/", "http://xn--bcher-kva.example/"},
      {"a number", "http://3232235777/a", "http://192.168.1.1/a"},
      {"octal and hexadecimal", "http://0300.0xa8.257/", "http://192.168.1.1/"},
      {"IPv6", "http://[2001:db8::1]/a", "http://2001:db8::1/a"},
      {"IPv6 at length", "http://[2001:0DB8:0:0::1]:80/a", "http://2001:db8::1/a"},
      {"brackets without IPv6", "http://[example.org]/a", ""},
      {"ftp", "ftp://example.org/a", "ftp://example.org/a"},
      {"one label", "http://intranet/a", "http://intranet/a"},
      {"a relative link", "/a/b", ""},
      {"a bare name is a relative link", "example.org/a", ""},
      {"a mail address", "mailto:joe@example.org", ""},
      {"a script", "javascript:x()", ""},
      {"three slashes, as in browsers", "http:///example.org", "http://example.org/"},
      {"one slash, as in browsers", "https:/example.org/a", "https://example.org/a"},
      {"a slash and a backslash", "https:/\\example.org/a", "https://example.org/a"},
      {"an empty port, as in browsers", "http://example.org:/a", "http://example.org/a"},
      {"a port that cannot be", "http://example.org:99999/a", ""},
      {"no host", "http:///", ""},
      {"no host but a user", "http://joe@/a", ""},
      {"no host but a dot", "http://.example.org/", ""},
      {"nothing", "", ""},
  };
  for (const Case& test : cases) {
    const auto link = read_link(test.url);
    EXPECT_EQ(link ? link->text() : "", test.expected) << test.why;
  }
}

/// What precedes the last @ looks like a host, but a browser goes to the one behind it.
TEST(Link, NeverHasTheHostThatItsUserPretendsToBe) {
  const std::string far(300, 'a');
  const std::string users[] = {"www.bank.example",
                               "www.bank.example:80",
                               "www.bank.example\u00AD",
                               "www.bank.example&" + far,
                               "www.bank.example;" + far + ":" + far,
                               "x@www.bank.example",
                               "www.bank.example%2F%40",
                               far};
  for (const std::string& user : users) {
    const auto link = read_link("https://" + user + "@evil.example/a");
    EXPECT_EQ(link ? link->text() : "", "https://evil.example/a") << user;
  }
  // Nobody knows what would follow.
  EXPECT_FALSE(
      read_link("https://www.bank.example&" + std::string(kLinkBytesMax, 'a') + "@a.example/"));
}

/// Signs that browsers leave out of a host, or do not allow in one.
TEST(Link, NeverHasOnlyTheFrontOfItsHost) {
  for (const std::string sign : {"\u2060", "\u180B", "\uFEFF"}) {
    const auto link = read_link("https://www.bank.example" + sign + ".evil.example/a");
    EXPECT_EQ(link ? link->host : "", "www.bank.example.evil.example") << sign;
  }
  for (const std::string sign : {"&", ",", "\"", "|", "%3A80", "%2F", "<"})
    EXPECT_FALSE(read_link("https://www.bank.example" + sign + ".evil.example/a")) << sign;
}

TEST(Link, MayBeRelativeToABase) {
  const auto base = read_link("https://shop.example.org/a/b?x=1");
  ASSERT_TRUE(base);
  struct Case {
    const char* why;
    std::string url;
    std::string expected;
  };
  const Case cases[] = {
      {"a path", "/c", "https://shop.example.org/c"},
      {"a step", "c/d", "https://shop.example.org/a/c/d"},
      {"a query alone", "?y=2", "https://shop.example.org/a/b"},
      {"a path with a query", "c?y=http://x", "https://shop.example.org/a/c"},
      {"a bare host is a step", "www.example.net", "https://shop.example.org/a/www.example.net"},
      {"its own scheme without slashes", "https:c", "https://shop.example.org/a/c"},
      {"the other scheme without slashes", "http:example.net/c", "http://example.net/c"},
      {"its own scheme with slashes", "https://example.net/c", "https://example.net/c"},
      {"a step back", "../c", "https://shop.example.org/c"},
      {"more steps back", "../../../c", "https://shop.example.org/c"},
      {"another host", "//example.net/c", "http://example.net/c"},
      {"a whole link", "ftp://example.net/c", "ftp://example.net/c"},
      {"a place in the page", "#top", ""},
      {"another scheme", "cid:a", ""},
      {"nothing", "", ""},
  };
  for (const Case& test : cases) {
    const auto link = read_link(test.url, &*base);
    EXPECT_EQ(link ? link->text() : "", test.expected) << test.why;
  }
  EXPECT_EQ(read_link("c?y=2", &*base)->query, "y=2");
  EXPECT_EQ(read_link("c", &*base)->query, "");
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

TEST(LinkShape, IsWhatLinksOfOneProgramShare) {
  struct Case {
    const char* why;
    std::string url;
    std::string shape;
  };
  const Case cases[] = {
      {"digits", "http://192.0.2.7/cl/299_md/31/12/41", "/cl/0_md/0/0/0"},
      {"another host", "https://other.example/cl/1_md/7/1/2", "/cl/0_md/0/0/0"},
      {"names of a query", "http://a.example/go.php?id=7&user=joe", "/go.php?id&user"},
      {"a random step", "http://a.example/c/aB3dE6gH9jK2mN5p/x", "/c/*/x"},
      {"a long one without digits", "http://a.example/c/abcdefghijkLmnopqrstuvwxyz/x", "/c/*/x"},
      {"a long word stays", "http://a.example/unsubscribe-from-newsletter/a/b",
       "/unsubscribe-from-newsletter/a/b"},
      {"an escape", "http://a.example/%63l/a/b", "/cl/a/b"},
      {"the fragment is not read", "http://a.example/a/b/c#d/e", "/a/b/c"},
      {"a question mark in the fragment", "http://a.example/a/b/c#d?e", "/a/b/c"},
      {"backslashes, as in browsers", "http:\\\\a.example\\a\\b/c", "/a/b/c"},
      {"no scheme", "//a.example/a/b/c", "/a/b/c"},
      {"a name alone", "www.a.example/a/b/c", "/a/b/c"},
      {"line breaks", "http:/\n/a.example/a/\tb/c?u\r\n=1", "/a/b/c?u"},
      {"a port and a user", "http://u@a.example:8080/a/b/c", "/a/b/c"},
      {"too few steps", "http://a.example/a/b", ""},
      {"only numbers", "http://a.example/1/2/3/4", ""},
      {"no path", "http://a.example", ""},
  };
  for (const Case& test : cases)
    EXPECT_EQ(link_shape(read_link(test.url).value()), test.shape) << test.why;
}

}  // namespace
}  // namespace shingled::mime
