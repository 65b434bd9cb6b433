#include "storage/protocol/extensions.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "config/base/hex.h"

namespace shingled::storage {
namespace {

using Dkim = SenderFacts::Dkim;
using Dmarc = SenderFacts::Dmarc;
using Ptr = SenderFacts::Ptr;
using Recipients = SenderFacts::Recipients;
using Spf = SenderFacts::Spf;

Bytes bytes_of(const char* hex) { return from_hex(hex).value(); }

Bytes encoded(const Extensions& extensions) {
  Bytes out(1024);
  out.resize(encode_extensions(extensions, out));
  return out;
}

TEST(Extensions, MeanWhatTheirTypeSays) {
  struct Case {
    const char* why;
    Bytes bytes;
    std::string domain;
    const char* source;  // null = none
    bool has_facts;
  };
  Bytes longest{0x90, 0xff};
  longest.resize(2 + 255);
  const Case cases[] = {
      {"none", {}, "", nullptr, false},
      {"a domain", bytes_of("6403612e62"), "a.b", nullptr, false},
      {"an empty domain", bytes_of("6400"), "", nullptr, false},
      {"IPv4 in network order", bytes_of("34c0000201"), "", "192.0.2.1", false},
      {"IPv6", bytes_of("3620010db8000000000000000000000001"), "", "2001:db8::1", false},
      {"facts", bytes_of("800400000608"), "", nullptr, true},
      {"in any order", bytes_of("34c0000201800400000608640178"), "x", "192.0.2.1", true},
      {"the last of several", bytes_of("34c000020134c0000202"), "", "192.0.2.2", false},
      {"either kind of address", bytes_of("34c00002013620010db8000000000000000000000001"), "",
       "2001:db8::1", false},
      {"unknown ones between", bytes_of("8101ff6403612e62ff00"), "a.b", nullptr, false},
      {"the longest unknown one", longest, "", nullptr, false},
      {"facts of a class to come", bytes_of("800401000608"), "", nullptr, false},
  };
  for (const Case& c : cases) {
    const auto read = decode_extensions(c.bytes);
    ASSERT_TRUE(read) << c.why;
    EXPECT_EQ(as_text(read->domain), c.domain) << c.why;
    const auto source = c.source == nullptr ? std::nullopt : IpAddress::parse(c.source);
    EXPECT_EQ(read->source, source) << c.why;
    EXPECT_EQ(read->facts.has_value(), c.has_facts) << c.why;
  }
}

TEST(Extensions, AreNoneIfOneIsMalformed) {
  struct Case {
    const char* why;
    const char* hex;
  };
  constexpr Case kCases[] = {
      {"a type alone", "64"},
      {"a domain cut", "6403612e"},
      {"IPv4 cut", "34c00002"},
      {"IPv6 cut", "3620010db80000000000000000000000"},
      {"facts without a length", "80"},
      {"facts of 3 bytes", "8003000006"},
      {"facts of 5 bytes", "80050000060800"},
      {"facts cut", "8004000006"},
      {"an unknown one cut", "9003ffff"},
      {"an unknown type without a length", "7803ffffff"},
      {"a type of zero", "00"},
      {"a good one, then a bad one", "34c000020101"},
  };
  for (const Case& c : kCases) {
    EXPECT_FALSE(decode_extensions(bytes_of(c.hex))) << c.why;
    EXPECT_FALSE(are_extensions(bytes_of(c.hex))) << c.why;
  }
}

TEST(SenderFacts, StandWhereARealClientPutsThem) {
  struct Case {
    const char* why;
    std::uint32_t word;
    SenderFacts facts;
  };
  const Case cases[] = {
      {"captured from a client of 4.1.6", 0x608, {.dkim = Dkim::kNone, .ptr = Ptr::kConfirmed}},
      {"nothing known", 0, {}},
      {"spf pass", 2, {.spf = Spf::kPass}},
      {"dkim temperror", 5U << 3, {.dkim = Dkim::kTemporaryError}},
      {"a dkim to come", 7U << 3, {}},
      {"dmarc temperror", 7U << 6, {.dmarc = Dmarc::kTemporaryError}},
      {"generic ptr", 1U << 11, {.generic_ptr = true}},
      {"21 recipients", 3U << 12, {.recipients = Recipients::kMore}},
      {"tls", 1U << 14, {.tls = true}},
      {"reserved bits mean nothing", 0x1ffU << 15, {}},
  };
  for (const Case& c : cases) {
    const auto read = decode_sender_facts(c.word);
    ASSERT_TRUE(read) << c.why;
    EXPECT_EQ(*read, c.facts) << c.why;
  }
  EXPECT_FALSE(decode_sender_facts(0x01000000)) << "another class";
}

// The law: what can be said comes back, and the reserved bits stay zero.
TEST(SenderFacts, ComeBackAsTheyWere) {
  for (std::uint32_t word = 0; word < (1U << 15); ++word) {
    if (((word >> 3) & 7) > static_cast<std::uint32_t>(Dkim::kTemporaryError)) continue;
    ASSERT_EQ(encode_sender_facts(decode_sender_facts(word).value()), word);
  }
}

TEST(Extensions, ComeBackAsTheyWere) {
  const std::string domain = "mail.example.org";
  for (const char* source : {"192.0.2.1", "2001:db8::1", "0.0.0.0"}) {
    const Extensions said{as_bytes(domain), IpAddress::parse(source),
                          SenderFacts{.spf = Spf::kFail, .tls = true}};
    const Bytes bytes = encoded(said);
    const auto read = decode_extensions(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(as_text(read->domain), domain);
    EXPECT_EQ(read->source, said.source);
    EXPECT_EQ(read->facts, said.facts);
  }
  EXPECT_TRUE(encoded({}).empty());
}

TEST(Extensions, SendTheEndOfALongDomain) {
  const std::string domain = std::string(100, 'a') + std::string(60, 'b') + ".org";
  const Bytes bytes = encoded({as_bytes(domain), std::nullopt, std::nullopt});
  EXPECT_EQ(as_text(decode_extensions(bytes).value().domain), std::string(60, 'b') + ".org");
  std::array<std::uint8_t, 65> small{};
  EXPECT_EQ(encode_extensions({as_bytes(domain), std::nullopt, std::nullopt}, small), 0U);
}

}  // namespace
}  // namespace shingled::storage
