#include "config/words/nearest_word.h"

#include <gtest/gtest.h>

#include <vector>

namespace shingled::config {
namespace {

TEST(NearestWord, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("expire", "expire"), 0U);
  EXPECT_EQ(edit_distance("expirre", "expire"), 1U);
  EXPECT_EQ(edit_distance("expier", "expire"), 1U) << "two neighbours swapped are one slip";
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(NearestWord, FindsWhatWasMeant) {
  const std::vector<std::string> known = {"expire", "sync", "hashfile", "allow_update", "threads"};
  EXPECT_EQ(nearest_word("expires", known), "expire");
  EXPECT_EQ(nearest_word("snyc", known), "sync");
  EXPECT_EQ(nearest_word("allow-update", known), "allow_update");
  EXPECT_EQ(nearest_word("Hashfile", known), "hashfile");
  EXPECT_EQ(nearest_word("allowupdates", known), "allow_update");
}

TEST(NearestWord, DoesNotGuessWildly) {
  const std::vector<std::string> known = {"expire", "sync"};
  EXPECT_EQ(nearest_word("listen", known), std::nullopt);
  EXPECT_EQ(nearest_word("", known), std::nullopt);
  EXPECT_EQ(nearest_word(std::string(65, 'e'), known), std::nullopt);
  EXPECT_EQ(nearest_word("expire", {}), std::nullopt);
}

}  // namespace
}  // namespace shingled::config
