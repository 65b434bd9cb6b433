#include "mime/url/host_name.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

TEST(AsciiHost, IsTheNameThatDnsHas) {
  struct Case {
    const char* why;
    std::string host;
    std::string expected;
  };
  const Case cases[] = {
      {"the case of letters", "WWW.Example.ORG", "www.example.org"},
      {"the root's dot", "example.org.", "example.org"},
      {"umlauts", "B\u00DCcher.example", "xn--bcher-kva.example"},
      {"decomposed ones", "bu\u0308cher.example", "xn--bcher-kva.example"},
      {"sharp s is a letter of its own", "stra\u00DFe.de", "xn--strae-oqa.de"},
      {"the dot of ideographs", "a\u3002example\u3002", "a.example"},
      {"full width", "\uFF45xample.org", "example.org"},
      {"punycode stays", "xn--bcher-kva.example", "xn--bcher-kva.example"},
      {"not UTF-8", "a\xFF.Example", "a\xFF.example"},
      {"an unassigned letter", "A\U000E0080.example", "a\U000E0080.example"},
      {"an underscore", "_dmarc.example.org", "_dmarc.example.org"},
      {"an address literal", "[IPv6:2001:DB8::1]", "[ipv6:2001:db8::1]"},
      {"nothing", "", ""},
      {"only dots", "...", ""},
  };
  for (const Case& test : cases) {
    const std::string once = ascii_host(test.host);
    EXPECT_EQ(once, test.expected) << test.why;
    EXPECT_EQ(ascii_host(once), once) << test.why;
  }
}

TEST(AsciiHost, DoesNotConvertWhatIsTooLong) {
  const std::string longest = std::string(kUnicodeHostBytesMax, 'A') + "\u00DC";
  EXPECT_EQ(ascii_host(longest).size(), longest.size());
}

}  // namespace
}  // namespace shingled::mime
