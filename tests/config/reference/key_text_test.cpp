#include "config/reference/key_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shingled::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(KeyText, IsThatOfTheManualPage) {
  const KeyText* timeout = find_key("milter.timeout");
  ASSERT_NE(timeout, nullptr);
  EXPECT_EQ(timeout->type, "duration");
  EXPECT_EQ(timeout->default_value, "5s");
  EXPECT_EQ(timeout->meaning, "For all look-ups of one message together; 100ms to 10m.");
  EXPECT_FALSE(timeout->needs_restart);
  EXPECT_TRUE(find_key("daemon.user")->needs_restart);
  EXPECT_TRUE(find_key("storage.mirror.key")->required);
  EXPECT_TRUE(find_key("storage.redis.password")->is_secret());
  EXPECT_TRUE(find_key("storage.keypair")->is_secret());
  EXPECT_FALSE(find_key("rules.NAME.encryption_key")->is_secret()) << "public";
}

TEST(KeyText, OfEveryKeyIsThere) {
  for (const KeyText& text : key_texts()) {
    EXPECT_FALSE(text.meaning.empty()) << text.name;
    EXPECT_EQ(text.meaning.find('\\'), std::string::npos) << text.name << ": " << text.meaning;
    EXPECT_EQ(text.meaning.find(" ."), std::string::npos) << text.name << ": " << text.meaning;
  }
  EXPECT_GT(key_texts().size(), 220U);
}

TEST(KeyText, IsFoundByTheNamesOfAFile) {
  struct Case {
    const char* why;
    const char* key;
    const char* page;
  };
  constexpr Case kCases[] = {
      {"a rule's name", "rules.feed.timeout", "rules.NAME.timeout"},
      {"a list's", "rules.feed.flags.phish.weight", "rules.NAME.flags.LIST.weight"},
      {"a number in a list", "similar.lists[2].score", "similar.lists.score"},
      {"the other pair of keys", "storage.sync_keypair.privkey", "storage.keypair.privkey"},
      {"as it is", "storage.expire", "storage.expire"},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.why);
    ASSERT_NE(find_key(test.key), nullptr);
    EXPECT_EQ(find_key(test.key)->name, test.page);
  }
  EXPECT_EQ(find_key("storage.expires"), nullptr);
}

TEST(KeyText, GuessesWhatWasMeant) {
  EXPECT_THAT(meant_keys("storage.expier", 5), ElementsAre("storage.expire"));
  EXPECT_THAT(meant_keys("hits_limit", 5), ElementsAre("rules.NAME.flags.LIST.hits_limit"));
  EXPECT_THAT(meant_keys("add_heder", 5), ElementsAre("milter.actions.add_header"));
  EXPECT_THAT(meant_keys("timeout", 3), SizeIs(3)) << "several have it";
  EXPECT_THAT(meant_keys("nonsense_of_mine", 5), IsEmpty());
  EXPECT_EQ(home_of("actions"), "milter.actions");
  EXPECT_EQ(home_of("timeout"), std::nullopt);
}

}  // namespace
}  // namespace shingled::config
