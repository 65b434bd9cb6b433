#include "config/words/list_words.h"

#include <gtest/gtest.h>

namespace shingled::config {
namespace {

TEST(ListWords, ReadNetworks) {
  EXPECT_EQ(network_word("192.0.2.0/24")->size(), 1U);
  EXPECT_EQ(network_word("localhost")->size(), 2U) << "IPv4 and IPv6";
  EXPECT_FALSE(network_word("example.org"));
  EXPECT_FALSE(network_word(""));
}

TEST(ListWords, ReadIdsInBothEncodingsAndDigestsInOne) {
  const std::string hex(128, '0');
  const std::string zbase32(103, 'y');
  EXPECT_TRUE(key_id_word(hex));
  EXPECT_TRUE(key_id_word(zbase32));
  EXPECT_FALSE(key_id_word(std::string(52, 'y'))) << "32 bytes: a key";
  EXPECT_TRUE(digest_word(hex));
  EXPECT_FALSE(digest_word(zbase32));
  EXPECT_FALSE(digest_word(hex.substr(2)));
}

TEST(ListWords, ReadRecipientsInLowerCase) {
  EXPECT_EQ(recipient_word("PostMaster"), "postmaster");
  EXPECT_EQ(recipient_word("A@Example.ORG"), "a@example.org");
  EXPECT_EQ(recipient_word("@example.org"), "@example.org");
  for (const std::string& wrong : {std::string(), std::string("a@"), std::string("a b"),
                                   std::string("\xc3\xa4"), std::string(321, 'a')}) {
    EXPECT_FALSE(recipient_word(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace shingled::config
