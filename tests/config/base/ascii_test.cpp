#include "config/base/ascii.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace shingled::mime::ascii {
namespace {

TEST(Ascii, SearchByEightBytesFindsWhatASearchByOneFinds) {
  // The neighbours of what is sought, with and without the high bit.
  constexpr std::string_view kBytes = "\n\v\t:;9\x8a\xba\xbb\x80\xff aaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  std::minstd_rand random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = kBytes[random() % kBytes.size()];
    const std::size_t at = random() % (text.size() + 1);
    const auto first = [&](auto wanted) {
      return static_cast<std::size_t>(
          std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), wanted) -
          text.begin());
    };
    const auto listed = [](char c) { return c == ':' || c == '\n'; };
    EXPECT_EQ((find_any<':', '\n'>(text, at)), first(listed));
    EXPECT_EQ((find_any_or_high<':', '\n'>(text, at)),
              first([&](char c) { return listed(c) || is_high(c); }));
    EXPECT_EQ(find_high(text, at), first(is_high));
  }
}

}  // namespace
}  // namespace shingled::mime::ascii
