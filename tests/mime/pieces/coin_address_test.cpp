#include "mime/pieces/coin_address.h"

#include <gtest/gtest.h>

#include <string>

#include "config/base/hex.h"

namespace shingled::mime {
namespace {

TEST(Keccak256, GivesThePublishedHashes) {
  struct Case {
    std::string data;
    const char* hash;
  };
  const Case cases[] = {
      {"", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"},
      {"abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"},
      {"The quick brown fox jumps over the lazy dog",
       "4d741b6f1eb29cb2a9b9911c82f56fa8d73b04959d3d9d222895df6c0b28aa15"},
      {"transfer(address,uint256)",
       "a9059cbb2ab09eb219583f4a59a5d0623ade346d962bcd4e46b11da047c9049b"},
  };
  for (const Case& test : cases) EXPECT_EQ(to_hex(keccak256(test.data)), test.hash) << test.data;
}

TEST(Keccak256, TakesBlocksOfAllSizes) {
  std::string before;
  for (std::size_t size = 130; size < 280; ++size) {
    const std::string hash = to_hex(keccak256(std::string(size, 'a')));
    EXPECT_NE(hash, before) << size;
    before = hash;
  }
}

}  // namespace
}  // namespace shingled::mime
