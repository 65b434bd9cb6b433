#include "mime/words/word_normaliser.h"

#include <gtest/gtest.h>

#include <string>

namespace shingled::mime {
namespace {

TEST(WordNormaliser, FoldsCompatibleFormsAndDropsWhatIsNoLetter) {
  WordNormaliser normaliser;
  EXPECT_EQ(normaliser.normalise("Don't"), "dont");
  EXPECT_EQ(normaliser.normalise("3.14"), "314");
  EXPECT_EQ(normaliser.normalise("ＦＵＬＬ"), "full");
  EXPECT_EQ(normaliser.normalise("Straße"), "straße");
  EXPECT_EQ(normaliser.normalise("a+b=$1^"), "a+b=$1");
  EXPECT_EQ(normaliser.normalise("😀"), "");
  EXPECT_EQ(normaliser.normalise(std::string(1025, 'a')), "");
}

// The ASCII way and the way through ICU must agree: here each character next to one that forces it.
TEST(WordNormaliser, TreatsAsciiAlikeWithAndWithoutIcu) {
  WordNormaliser normaliser;
  for (char c = 1; c > 0 && c < 127; ++c) {
    const std::string alone(normaliser.normalise(std::string(1, c)));
    EXPECT_EQ(normaliser.normalise(std::string(1, c) + "ß"), alone + "ß") << int{c};
  }
}

}  // namespace
}  // namespace shingled::mime
