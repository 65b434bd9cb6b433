#include "milter/counters/sender_proof.h"

#include <gtest/gtest.h>

#include <string>

namespace shingled::milter::counters {
namespace {

std::vector<mime::AuthenticationResults> believed(std::string_view value) {
  const std::vector<mime::HeaderField> fields = {{"Authentication-Results", value}};
  return believed_results(fields, std::vector<std::string>{"other.example", "MX.example"}, {});
}

TEST(SenderProof, NeedsAnAlignedPassOfOurServer) {
  struct Case {
    const char* why;
    std::string value;
    bool proved;
  };
  const Case cases[] = {
      {"a signature", "mx.example; dkim=pass header.d=example.org", true},
      {"of the domain above", "mx.example; dkim=pass header.d=org", false},
      {"of a domain below", "mx.example; dkim=pass header.d=mail.example.org", true},
      {"in another case", "MX.EXAMPLE; DKIM=PASS header.d=Example.ORG", true},
      {"of somebody else", "mx.example; dkim=pass header.d=example.net", false},
      {"of a name that ends so", "mx.example; dkim=pass header.d=notexample.org", false},
      {"that failed", "mx.example; dkim=fail header.d=example.org", false},
      {"the second one",
       "mx.example; dkim=fail header.d=example.org; dkim=pass header.d=example.org", true},
      {"only i=", "mx.example; dkim=pass header.i=@news.example.org", true},
      {"i= does not matter beside d=",
       "mx.example; dkim=pass header.d=example.net header.i=@example.org", false},
      {"without a domain", "mx.example; dkim=pass", false},
      {"SPF", "mx.example; spf=pass smtp.mailfrom=bounce@mail.example.org", true},
      {"SPF of a domain", "mx.example; spf=pass smtp.mailfrom=example.org", true},
      {"SPF of HELO", "mx.example; spf=pass smtp.helo=mail.example.org", false},
      {"SPF of somebody else", "mx.example; spf=pass smtp.mailfrom=a@example.net", false},
      {"SPF of a crafted local part",
       "mx.example; spf=pass smtp.mailfrom=\"x@example.org\"@example.net", false},
      {"softfail", "mx.example; spf=softfail smtp.mailfrom=a@example.org", false},
      {"DMARC", "mx.example; dmarc=pass header.from=example.org", true},
      {"DMARC of another From", "mx.example; dmarc=pass header.from=example.net", false},
      {"DMARC of no From", "mx.example; dmarc=pass", false},
      {"another method", "mx.example; auth=pass smtp.auth=a@example.org", false},
      {"a stranger", "mx.example.net; dkim=pass header.d=example.org", false},
      {"a comment of a stranger", "x (mx.example); dkim=pass header.d=example.org", false},
      {"a comment in our field", "mx.example; spf=fail (dkim=pass header.d=example.org)", false},
      {"nothing", "mx.example; none", false},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(is_proved(believed(test.value), "shop.example.org"), test.proved) << test.why;
  }
  EXPECT_FALSE(is_proved(believed("mx.example; dkim=pass header.d=x"), ""));
}

TEST(SenderProof, BelievesNobodyByDefault) {
  const std::vector<mime::HeaderField> fields = {
      {"Authentication-Results", "mx.example; dkim=pass header.d=example.org"}};
  EXPECT_TRUE(believed_results(fields, {}, {}).empty());
}

TEST(SenderProof, ReadsAllOurFieldsUpToABound) {
  std::vector<mime::HeaderField> fields = {
      {"authentication-results",
       "mx.example; dkim=pass header.d=a.example; dkim=pass header.d=B.example"},
      {"Authentication-Results", "stranger.example; dkim=pass header.d=c.example"},
      {"Authentication-Results",
       "mx.example; dkim=pass header.d=a.example; dkim=fail header.d=d.example"}};
  const std::vector<std::string> ids = {"mx.example"};
  EXPECT_EQ(signing_domains(believed_results(fields, ids, {})),
            (std::vector<std::string>{"a.example", "b.example"}));
  std::vector<std::string> values;
  for (int i = 0; i < 100; ++i) values.push_back("mx.example; m" + std::to_string(i) + "=pass");
  fields.clear();
  for (const std::string& value : values) fields.push_back({"Authentication-Results", value});
  EXPECT_EQ(believed_results(fields, ids, {}).size(), kBelievedFieldsMax);
}

TEST(SenderProof, BelievesWhatStandsAboveTheForger) {
  const std::string taken =
      "from x (x.evil [192.0.2.7]) by mx.example; Thu, 26 Nov 2026 10:00:00 +0000";
  const std::string relay =
      "from mx.example (mx.example [10.0.0.2]) by in.example; Thu, 26 Nov 2026";
  const std::string lmtp =
      "from in.example ([192.0.2.9]) by in.example with LMTP id x; Thu, 26 Nov";
  const std::string stranger = "from y (y [198.51.100.1]) by evil.example; Thu, 26 Nov 2026";
  const std::string pass = "mx.example; dkim=pass header.d=example.org";
  const std::string dmarc = "mx.example; dmarc=pass header.from=example.org";
  const std::string spf = "mx.example; spf=pass smtp.mailfrom=a@example.org";
  constexpr const char* kReceived = "Received";
  constexpr const char* kResults = "Authentication-Results";
  using Fields = std::vector<std::pair<const char*, std::string>>;
  const struct {
    const char* why;
    Fields fields;
    bool proved;
  } cases[] = {
      {"in a milter: on top", {{kResults, pass}, {kReceived, stranger}}, true},
      {"above our Received", {{kResults, pass}, {kReceived, taken}, {kReceived, stranger}}, true},
      {"below our Received", {{kReceived, taken}, {kResults, pass}, {kReceived, stranger}}, true},
      {"below those of our relays",
       {{kReceived, lmtp}, {kReceived, relay}, {kReceived, taken}, {kResults, pass}},
       true},
      {"below the one of a stranger",
       {{kReceived, taken}, {kReceived, stranger}, {kResults, pass}},
       false},
      {"below one that cannot be read",
       {{kReceived, "from z by mx.example"}, {kReceived, stranger}, {kResults, pass}},
       false},
      {"ours says no, the forged one is below Received",
       {{kResults, "mx.example; dkim=none"}, {kReceived, taken}, {kResults, pass}},
       false},
      {"ours says no, the forged one is next",
       {{kResults, "mx.example; dkim=none"}, {kResults, pass}},
       false},
      {"ours says no, in another case",
       {{kResults, "MX.Example; DKIM=fail header.d=example.org"}, {"authentication-results", pass}},
       false},
      {"ours has nothing to say", {{kResults, "mx.example; none"}, {kResults, pass}}, false},
      {"a field of three filters each, the first",
       {{kResults, "mx.example; dmarc=none header.from=example.org"},
        {kResults, "mx.example; spf=none smtp.mailfrom=a@example.org"},
        {kResults, pass}},
       true},
      {"the second", {{kResults, "mx.example; dkim=none"}, {kResults, spf}}, true},
      {"OpenDMARC writes above OpenDKIM",
       {{kResults, dmarc}, {kResults, "mx.example; dkim=none"}},
       true},
      {"and not below it", {{kResults, "mx.example; dkim=none"}, {kResults, dmarc}}, false},
      {"DMARC above has failed",
       {{kResults, "mx.example; dmarc=fail header.from=example.org"}, {kResults, pass}},
       false},
      {"DMARC of another domain has failed",
       {{kResults, "mx.example; dmarc=fail header.from=example.net"}, {kResults, pass}},
       true},
      {"a stranger above says no", {{kResults, "evil.example; dkim=fail"}, {kResults, pass}}, true},
  };
  const std::vector<std::string> ids = {"mx.example"};
  const std::vector<Network> local = {*Network::parse("10.0.0.0/8")};
  for (const auto& c : cases) {
    std::vector<mime::HeaderField> fields;
    for (const auto& [name, value] : c.fields) fields.push_back({name, value});
    EXPECT_EQ(is_proved(believed_results(fields, ids, local), "example.org"), c.proved) << c.why;
  }
}

}  // namespace
}  // namespace shingled::milter::counters
