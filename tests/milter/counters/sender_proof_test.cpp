#include "milter/counters/sender_proof.h"

#include <gtest/gtest.h>

#include <string>

namespace shingled::milter::counters {
namespace {

std::vector<mime::AuthenticationResults> believed(std::string_view value) {
  const std::vector<mime::HeaderField> fields = {{"Authentication-Results", value}};
  const std::vector<std::string> ids = {"other.example", "MX.example"};
  return believed_results(fields, ids);
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
  EXPECT_TRUE(believed_results(fields, {}).empty());
}

TEST(SenderProof, ReadsAllOurFieldsUpToABound) {
  std::vector<mime::HeaderField> fields = {
      {"authentication-results",
       "mx.example; dkim=pass header.d=a.example; dkim=pass header.d=B.example"},
      {"Authentication-Results", "stranger.example; dkim=pass header.d=c.example"},
      {"Authentication-Results",
       "mx.example; dkim=pass header.d=a.example; dkim=fail header.d=d.example"}};
  const std::vector<std::string> ids = {"mx.example"};
  EXPECT_EQ(signing_domains(believed_results(fields, ids)),
            (std::vector<std::string>{"a.example", "b.example"}));
  fields.resize(100, fields.front());
  EXPECT_EQ(believed_results(fields, ids).size(), kBelievedFieldsMax);
}

}  // namespace
}  // namespace shingled::milter::counters
