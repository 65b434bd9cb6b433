// Covers storage/similar/gram_index.cpp.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "storage/similar/gram_index.h"

namespace shingled::storage::similar {
namespace {

std::vector<std::uint32_t> sources_of(const PackedPostings& packed, std::uint32_t gram) {
  std::vector<std::uint32_t> out;
  EXPECT_TRUE(packed.find(gram, [&](std::uint32_t source) {
    out.push_back(source);
    return true;
  }));
  return out;
}

void expect_holds(const std::set<Posting>& postings, unsigned gram_bits) {
  const std::vector<Posting> sorted(postings.begin(), postings.end());
  const PackedPostings packed(sorted, gram_bits);
  RC_ASSERT(packed.size() == sorted.size());
  RC_ASSERT(packed.unpack() == sorted);
  const auto check = [&](std::uint32_t gram) {
    if (gram >> gram_bits != 0) return;
    std::vector<std::uint32_t> wanted;
    for (auto at = postings.lower_bound(make_posting(gram, 0));
         at != postings.end() && gram_of(*at) == gram; ++at)
      wanted.push_back(source_of(*at));
    RC_ASSERT(sources_of(packed, gram) == wanted);
  };
  check(0);
  check((std::uint32_t{1} << gram_bits) - 1);
  for (const Posting posting : sorted) {
    check(gram_of(posting));
    check(gram_of(posting) + 1);
    if (gram_of(posting) > 0) check(gram_of(posting) - 1);
  }
}

// Grams and sources of any range, so that there are few or many low bits, empty groups, and groups
// with all postings.
RC_GTEST_PROP(PackedPostings, ContainThePackedPostings, ()) {
  const unsigned gram_bits = *rc::gen::inRange(1U, 31U);
  const auto grams = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << gram_bits);
  const unsigned source_bits = *rc::gen::inRange(0U, 33U);
  const auto sources = std::uint64_t{1} << source_bits;
  std::set<Posting> postings;
  const int count = *rc::gen::inRange(0, 500);
  for (int i = 0; i < count; ++i) {
    postings.insert(
        make_posting(static_cast<std::uint32_t>(*rc::gen::inRange<std::uint64_t>(0, grams)),
                     static_cast<std::uint32_t>(*rc::gen::inRange<std::uint64_t>(0, sources))));
  }
  expect_holds(postings, gram_bits);
}

TEST(PackedPostings, ContainAGramWithVeryManySources) {
  std::vector<Posting> sorted;
  for (std::uint32_t gram = 0; gram < 1000; ++gram) {
    const std::uint32_t count = gram == 500 ? 100'000 : 1;
    for (std::uint32_t i = 0; i < count; ++i) sorted.push_back(make_posting(gram * 4000, i * 3));
  }
  const PackedPostings packed(sorted, 22);
  EXPECT_EQ(packed.unpack(), sorted);
  EXPECT_EQ(sources_of(packed, 500 * 4000).size(), 100'000U);
  for (std::uint32_t gram = 0; gram < 1000; ++gram) {
    if (gram == 500) continue;
    EXPECT_THAT(sources_of(packed, gram * 4000), ::testing::ElementsAre(0));
    EXPECT_THAT(sources_of(packed, gram * 4000 + 1), ::testing::IsEmpty());
  }
}

TEST(PackedPostings, StopWhenTold) {
  const std::vector<Posting> sorted = {make_posting(1, 1), make_posting(1, 2), make_posting(1, 3)};
  const PackedPostings packed(sorted, 8);
  int seen = 0;
  EXPECT_FALSE(packed.find(1, [&](std::uint32_t) { return ++seen < 2; }));
  EXPECT_EQ(seen, 2);
}

TEST(PackedPostings, NeedLittleMoreThanTheMinimum) {
  // 2^19 postings of 2^22 grams and 2^20 sources, as in a segment of a million files. A posting
  // needs at least 23 bits, and at most 3 more.
  std::vector<Posting> sorted;
  for (std::uint32_t i = 0; i < (1U << 19U); ++i)
    sorted.push_back(make_posting(i * 8 + i % 8, i * 2'654'435'761U >> 12U));
  const PackedPostings packed(sorted, 22);
  EXPECT_LE(packed.bytes() * 8, sorted.size() * 26);
}

}  // namespace
}  // namespace shingled::storage::similar
