#include "mime/pieces/authentication_results.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

/// "mx.example: dkim=pass header.d=example.org; spf=none"
std::string text_of(std::string_view value) {
  const auto read = read_authentication_results(value);
  if (!read) return "not valid";
  std::string out = read->server + ":";
  for (const AuthResult& result : read->results) {
    out += (out.ends_with(':') ? " " : "; ") + result.method + "=" + result.result;
    for (const auto& property : result.properties)
      out += " " + property.name + "=" + property.value;
  }
  return out;
}

TEST(AuthenticationResults, AreReadAsTheStandardHasThem) {
  struct Case {
    const char* why;
    std::string value;
    std::string expected;
  };
  const Case cases[] = {
      {"one result", "mx.example; dkim=pass header.d=example.org",
       "mx.example: dkim=pass header.d=example.org"},
      {"several methods",
       "mx.example; spf=pass smtp.mailfrom=a@example.org; dkim=fail header.d=x.example",
       "mx.example: spf=pass smtp.mailfrom=a@example.org; dkim=fail header.d=x.example"},
      {"no result", "mx.example; none", "mx.example:"},
      {"only a server", "mx.example", "mx.example:"},
      {"version 1", "mx.example 1; spf=pass", "mx.example: spf=pass"},
      {"another version", "mx.example 2; spf=pass", "not valid"},
      {"a version of the method", "mx.example; dkim/1=pass header.d=a.example",
       "mx.example: dkim=pass header.d=a.example"},
      {"case", "MX.Example; DKIM=Pass Header.D=Example.org",
       "mx.example: dkim=pass header.d=Example.org"},
      {"folds", "mx.example;\r\n dkim=pass\r\n\theader.d=example.org;\r\n spf=none",
       "mx.example: dkim=pass header.d=example.org; spf=none"},
      {"comments everywhere",
       "(a) mx.example (b) 1 (c); (d) dkim (e) / (f) 1 (g) = (h) pass (i) header (j) . (k) d (l) = "
       "(m) example.org (n)",
       "mx.example: dkim=pass header.d=example.org"},
      {"comments in comments", "mx.example (a (b) c); spf=pass ((x) y) smtp.mailfrom=a.example",
       "mx.example: spf=pass smtp.mailfrom=a.example"},
      {"a semicolon in a comment", "mx.example; spf=pass (x; dkim=pass header.d=bank.example)",
       "mx.example: spf=pass"},
      {"an escaped bracket", "mx.example; spf=pass (x \\) y; dkim=pass) smtp.mailfrom=a.example",
       "mx.example: spf=pass smtp.mailfrom=a.example"},
      {"a quoted value", "mx.example; spf=pass smtp.mailfrom=\"a;b (c)\"@example.org",
       "mx.example: spf=pass smtp.mailfrom=a;b (c)@example.org"},
      {"a quoted server", "\"mx.example\"; spf=pass", "mx.example: spf=pass"},
      {"a quoted pair", "mx.example; spf=fail reason=\"x \\\"; y\" smtp.mailfrom=a.example",
       "mx.example: spf=fail smtp.mailfrom=a.example"},
      {"a reason is no property", "mx.example; dkim=fail reason=bad header.d=a.example",
       "mx.example: dkim=fail header.d=a.example"},
      {"Microsoft's words",
       "mx.example; dmarc=pass action=none header.from=a.example;compauth=pass reason=100",
       "mx.example: dmarc=pass header.from=a.example; compauth=pass"},
      {"no method", "mx.example; =pass; spf=pass", "mx.example: spf=pass"},
      {"no result of a method", "mx.example; dkim=; spf=pass", "mx.example: spf=pass"},
      {"rubbish between", "mx.example; ?!; \"a;b\"; spf=pass", "mx.example: spf=pass"},
      {"a method without a semicolon is no result", "mx.example; spf=fail dkim=pass",
       "mx.example: spf=fail"},
      {"no value", "mx.example; dkim=pass header.d= ; spf=pass", "mx.example: dkim=pass; spf=pass"},
      {"an open comment", "mx.example; spf=pass (x", "mx.example: spf=pass"},
      {"an open quote", "mx.example; spf=pass smtp.mailfrom=\"x",
       "mx.example: spf=pass smtp.mailfrom=x"},
      {"nothing", "", "not valid"},
      {"only a comment", "(x)", "not valid"},
      {"no server", "; spf=pass", "not valid"},
  };
  for (const Case& test : cases) EXPECT_EQ(text_of(test.value), test.expected) << test.why;
}

TEST(AuthenticationResults, HaveNoPropertyThatContradictsItself) {
  const auto read = read_authentication_results(
      "mx.example; spf=pass smtp.mailfrom=a.example smtp.helo=h.example smtp.mailfrom=b.example "
      "smtp.helo=h.example");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->results.size(), 1U);
  EXPECT_FALSE(read->results[0].property("smtp.mailfrom"));
  EXPECT_EQ(read->results[0].property("smtp.helo"), "h.example");
  EXPECT_FALSE(read->results[0].property("header.d"));
}

TEST(AuthenticationResults, AreBounded) {
  std::string many = "mx.example";
  for (int i = 0; i < 1000; ++i) many += "; dkim=pass";
  for (int i = 0; i < 1000; ++i) many += " header.d=a";
  const auto read = read_authentication_results(many);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->results.size(), kAuthResultsMax);
  std::string properties = "mx.example; dkim=pass";
  for (int i = 0; i < 1000; ++i) properties += " header.d=a";
  EXPECT_EQ(read_authentication_results(properties)->results[0].properties.size(),
            kAuthPropertiesMax);
  EXPECT_EQ(text_of(std::string(100'000, '(')), "not valid");
}

}  // namespace
}  // namespace shingled::mime
