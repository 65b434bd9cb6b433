#include "mime/pieces/phone_numbers.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

std::string phones_in(std::string_view text, std::size_t count_max = 100) {
  std::string out;
  for (const std::string& phone : find_phones(text, count_max)) {
    out += (out.empty() ? "" : " ") + phone;
  }
  return out;
}

TEST(PhoneNumbers, AreFoundByTheirForm) {
  struct Case {
    const char* why;
    std::string text;
    std::string expected;
  };
  const Case cases[] = {
      {"international", "Call +49 30 1234567 now", "49301234567"},
      {"without separators", "+15551234567", "15551234567"},
      {"with a trunk prefix", "+49 (0)30 123 45-67", "49301234567"},
      {"with 00", "0049 30/12345-67", "49301234567"},
      {"in brackets", "(+49) 30 1234567.", "49301234567"},
      {"hard spaces",
       "+49\u00A0"
       "30\u00A0"
       "1234567",
       "49301234567"},
      {"hard hyphens",
       "+1\u2011"
       "555\u2011"
       "123\u2011"
       "4567",
       "15551234567"},
      {"American", "call 800-555-0100 or 1-888-555-0199", "8005550100 18885550199"},
      {"American in brackets", "(800) 555-0100", "8005550100"},
      {"American with dots", "800.555.0100", "8005550100"},
      {"German", "030/1234567, 0171 1234567", "0301234567 01711234567"},
      {"French", "01 23 45 67 89", "0123456789"},
      {"the same twice", "+15551234567 +1 555 123 4567", "15551234567"},
      {"in a line of texts", "Tel.: +49-30-1234567, Fax: +49-30-1234568",
       "49301234567 49301234568"},
      {"the number of an order", "Order 20261123456", ""},
      {"one with a hyphen", "Order 123-4567890", ""},
      {"one with leading zeros", "Customer 0012345678", ""},
      {"one with letters", "ABC-030-1234567", ""},
      {"a date", "03.11.2026 10", ""},
      {"a date as in ISO 8601", "2026-11-23 10", ""},
      {"a date with slashes", "01/02/2026 10", ""},
      {"an amount", "1.234.567,00 and 100.000.000", ""},
      {"an IP address", "192.168.100.200", ""},
      {"an IP address in brackets", "by mx.example.org (10.152.251.207) with ESMTP", ""},
      {"four groups in brackets, no IP address", "(079.123.45.67)", "0791234567"},
      {"the tag of an address", "<error+1826111378@example.com>", ""},
      {"behind its name", "Tel.+49 30 1234567", "49301234567"},
      {"a credit card", "4111 1111 1111 1111", ""},
      {"an IBAN", "DE89 3704 0044 0532 0130 00", ""},
      {"too short", "+49 30 123", ""},
      {"too long", "+1234567890123456", ""},
      {"a plus alone", "1 + 2 = 3", ""},
      {"part of a link", "https://example.org/030/1234567", ""},
      {"nothing", "", ""},
  };
  for (const Case& test : cases) EXPECT_EQ(phones_in(test.text), test.expected) << test.why;
}

TEST(PhoneNumbers, EndAtTheBound) {
  std::string many;
  for (int i = 1000000; i < 1000100; ++i) many += "+49 30 " + std::to_string(i) + "\n";
  EXPECT_EQ(find_phones(many, 7).size(), 7U);
}

TEST(PhoneNumbers, OfLinksAreTheirDigits) {
  EXPECT_EQ(phone_of_link("+49-30-1234567;ext=12"), "49301234567");
  EXPECT_EQ(phone_of_link("0049301234567"), "49301234567");
  EXPECT_EQ(phone_of_link("//+1 (555) 123-4567"), "15551234567");
  EXPECT_FALSE(phone_of_link("110"));
  EXPECT_FALSE(phone_of_link(""));
  EXPECT_FALSE(phone_of_link(std::string(1000, '1')));
}

}  // namespace
}  // namespace shingled::mime
