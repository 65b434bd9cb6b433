// Covers storage/buckets/bucket_store.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "storage/buckets/bucket_store.h"
#include "storage/redis/route/slot_map.h"

namespace shingled::storage::buckets {
namespace {

using Parts = std::vector<std::string_view>;

std::string key_of(std::string_view type, const Parts& parts, std::size_t tag = kNoBucketTag) {
  return make_bucket_key(type, parts, tag);
}

TEST(BucketKey, ConsistsOfTypeAndParts) {
  const struct {
    const char* why;
    const char* type;
    Parts parts;
    std::size_t tag;
    const char* key;
  } kCases[] = {
      {"a type alone", "all", {}, kNoBucketTag, "all"},
      {"a recipient", "to", {"a@example.com"}, 0, "to:{a@example.com}"},
      {"any part can be the tag", "ip_to", {"192.0.2.1", "a@b"}, 1, "ip_to:192.0.2.1:{a@b}"},
      {"separators are escaped", "ip", {"2001:db8::1"}, kNoBucketTag, "ip:2001%3Adb8%3A%3A1"},
      {"so are braces, which would change the slot", "to", {"}{"}, 0, "to:{%7D%7B}"},
      {"and our own special characters", "to", {"~%"}, kNoBucketTag, "to:%7E%25"},
      {"control bytes, blanks, DEL", "to", {"a\r\n \x7f"}, kNoBucketTag, "to:a%0D%0A%20%7F"},
      {"bytes that are not ASCII", "to", {"\xc3\xa4@b"}, kNoBucketTag, "to:%C3%A4@b"},
      {"an empty sender is a part", "bounce_to", {"", "a@b"}, 1, "bounce_to::{a@b}"},
  };
  for (const auto& c : kCases) EXPECT_EQ(key_of(c.type, c.parts, c.tag), c.key) << c.why;
  EXPECT_EQ(bucket_type("to_ip:{a}:b"), "to_ip");
  EXPECT_EQ(bucket_type("all"), "all");
}

bool is_bounded_and_printable(std::string_view key) {
  return key.size() <= kBucketKeyMax &&
         std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

TEST(BucketKey, IsBoundedAndDifferentForDifferentParts) {
  const std::string long_a(10'000, 'a');
  const std::string long_b = long_a + "b";
  std::string binary(10'000, '\0');
  for (std::size_t i = 0; i < binary.size(); ++i) binary[i] = static_cast<char>(i * 7 % 256);
  const std::string type(1000, 't');
  const std::string half(50, 'h');
  const std::string after = "h:" + half;
  std::vector<Parts> all = {{},
                            {""},
                            {"", ""},
                            {long_a},
                            {long_b},
                            {long_a, "x"},
                            {"x", long_a},
                            {binary},
                            {binary, binary},
                            {binary, binary, binary},
                            {half, half, half},
                            {half, half, half, ""},
                            {half, half, half, half},
                            {half, half, after}};
  // The shortened form of a long part may be the whole name of another one.
  const std::string shortened = key_of("t", {long_a}).substr(2);
  all.push_back({shortened});
  std::map<std::string, std::size_t> seen;
  for (const std::string_view each : {std::string_view("t"), std::string_view(type)}) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string key = key_of(each, all[i]);
      EXPECT_TRUE(is_bounded_and_printable(key)) << key;
      EXPECT_TRUE(seen.emplace(key, i).second) << key << " is also " << seen[key];
      if (all[i].empty()) continue;
      const std::string tagged = key_of(each, all[i], 0);
      EXPECT_TRUE(is_bounded_and_printable(tagged)) << tagged;
      EXPECT_TRUE(seen.emplace(tagged, i).second) << tagged << " is also " << seen[tagged];
    }
  }
}

TEST(BucketKey, HasOneSlotPerRecipientInACluster) {
  const std::string longest(10'000, 'r');
  for (const std::string& recipient :
       {std::string("a@example.com"), longest, std::string("\n{}")}) {
    const std::uint16_t slot = redis::key_slot("rl" + key_of("to", {recipient}, 0));
    const Parts three = {"2001:db8:1234:5678:9abc:def0:1234:5678", recipient, longest};
    EXPECT_EQ(redis::key_slot("rl" + key_of("to_ip", {recipient, "192.0.2.1"}, 0)), slot);
    EXPECT_EQ(redis::key_slot("rl" + key_of("ip_to_from", three, 1)), slot);
    EXPECT_EQ(redis::key_slot("rl" + key_of(longest, three, 1)), slot);
  }
}

}  // namespace
}  // namespace shingled::storage::buckets
