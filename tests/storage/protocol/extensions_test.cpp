// Covers storage/protocol/codec.cpp: extensions.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "config/base/hex.h"
#include "storage/protocol/codec.h"

namespace shingled::storage::protocol {
namespace {

Bytes bytes_of(const char* hex) { return from_hex(hex).value(); }

std::vector<Extension> all_of(BytesView bytes) {
  std::vector<Extension> out;
  ExtensionReader reader(bytes);
  while (const auto extension = reader.next()) out.push_back(*extension);
  EXPECT_TRUE(reader.ok());
  return out;
}

TEST(Extensions, AreReadOneByOne) {
  Bytes longest{0x90, 0xff};
  longest.resize(2 + 255);
  struct Case {
    const char* why;
    Bytes bytes;
    std::vector<std::pair<int, std::size_t>> expected;  // type and length
  };
  const Case cases[] = {
      {"none", {}, {}},
      {"a domain", bytes_of("6403612e62"), {{0x64, 3}}},
      {"an empty domain", bytes_of("6400"), {{0x64, 0}}},
      {"IPv4", bytes_of("34c0000201"), {{0x34, 4}}},
      {"IPv6", bytes_of("3620010db8000000000000000000000001"), {{0x36, 16}}},
      {"facts", bytes_of("800400000608"), {{0x80, 4}}},
      {"in any order", bytes_of("34c0000201800400000608640178"), {{0x34, 4}, {0x80, 4}, {0x64, 1}}},
      {"the same type twice", bytes_of("34c000020134c0000202"), {{0x34, 4}, {0x34, 4}}},
      {"unknown types between others",
       bytes_of("8101ff6403612e62ff00"),
       {{0x81, 1}, {0x64, 3}, {0xff, 0}}},
      {"the longest unknown extension", longest, {{0x90, 255}}},
  };
  for (const Case& c : cases) {
    EXPECT_TRUE(are_extensions(c.bytes)) << c.why;
    const auto read = all_of(c.bytes);
    ASSERT_EQ(read.size(), c.expected.size()) << c.why;
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i].type, c.expected[i].first) << c.why;
      EXPECT_EQ(read[i].payload.size(), c.expected[i].second) << c.why;
    }
  }
  const Bytes domain = bytes_of("6403612e62");
  EXPECT_EQ(as_text(all_of(domain)[0].payload), "a.b");
}

TEST(Extensions, NameACompanion) {
  Digest first;
  first.bytes.fill(1);
  Digest last;
  last.bytes.fill(2);
  const auto named = [](const Digest& digest) {
    const auto bytes = companion_extension(digest);
    EXPECT_EQ(bytes[0], 0xf1);
    EXPECT_EQ(bytes[1], 64);
    return Bytes(bytes.begin(), bytes.end());
  };
  const auto old = [](const Digest& digest) {
    const auto bytes = companion_extension(digest, ExtensionType::kOldCompanion);
    EXPECT_EQ(bytes[0], 0x81);
    return Bytes(bytes.begin(), bytes.end());
  };
  const auto both = [](Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  struct Case {
    const char* why;
    Bytes bytes;
    std::optional<Digest> companion;
  };
  const Case cases[] = {
      {"none", {}, std::nullopt},
      {"one", named(first), first},
      {"after another extension", both({0x64, 1, 'a'}, named(first)), first},
      {"the last companion counts", both(named(first), named(last)), last},
      {"from an older client", old(first), first},
      {"both numbers: the last counts", both(named(first), old(last)), last},
      {"both numbers the other way", both(old(first), named(last)), last},
      {"a companion of another length is ignored", {0xf1, 2, 0, 0}, std::nullopt},
      {"facts of rspamd under the old number", {0x81, 4, 0, 0, 6, 8}, std::nullopt},
      {"a companion of another length replaces none", both(named(first), {0xf1, 0}), first},
      {"another type", both({0x82, 0}, {}), std::nullopt},
  };
  for (const Case& c : cases) {
    EXPECT_TRUE(are_extensions(c.bytes)) << c.why;
    EXPECT_EQ(companion_in(c.bytes), c.companion) << c.why;
  }
}

TEST(Extensions, AreRefusedIfOneIsMalformed) {
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
      {"an unknown extension cut", "9003ffff"},
      {"an unknown type without a length", "7803ffffff"},
      {"a type of zero", "00"},
      {"a valid extension, then a malformed one", "34c000020101"},
  };
  for (const Case& c : kCases) {
    EXPECT_FALSE(are_extensions(bytes_of(c.hex))) << c.why;
  }
}

}  // namespace
}  // namespace shingled::storage::protocol
