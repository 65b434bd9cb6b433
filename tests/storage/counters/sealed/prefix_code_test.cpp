#include "storage/counters/sealed/prefix_code.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace shingled::storage::counters {
namespace {

void expect_round_trip(const std::vector<std::uint64_t>& counts) {
  const PrefixCode made = PrefixCode::of_counts(counts);
  ASSERT_EQ(made.lengths().size(), counts.size() + 1);
  const auto code = PrefixCode::of_lengths(made.lengths());
  ASSERT_TRUE(code);
  Bytes bytes;
  BitWriter out(bytes);
  for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) made.write(symbol, out);
  out.finish();
  BitReader in(bytes);
  for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) ASSERT_EQ(code->read(in), symbol);
  EXPECT_TRUE(in.ok());
}

TEST(PrefixCode, ReadsEverySymbolThatItWrites) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::uint64_t> counts(1 + random() % 300);
    for (std::uint64_t& count : counts)
      count = random() % 3 == 0 ? 0 : random() >> (16 + random() % 48);
    expect_round_trip(counts);
  }
  expect_round_trip({0});
  expect_round_trip({0, 0, 0});
  expect_round_trip({7});
  expect_round_trip(std::vector<std::uint64_t>(PrefixCode::kSymbolsMax, 1));
  std::vector<std::uint64_t> steep(50, 1);  // Huffman's tree would be 50 deep
  for (std::size_t i = 2; i < steep.size(); ++i) steep[i] = steep[i - 1] + steep[i - 2];
  expect_round_trip(steep);
}

TEST(PrefixCode, FrequentSymbolsAreShort) {
  const std::vector<std::uint64_t> counts = {1000, 500, 250, 0, 1};
  const PrefixCode code = PrefixCode::of_counts(counts);
  const std::vector<std::uint8_t> expected = {1, 2, 3, 0, 4, 4};
  EXPECT_EQ(code.lengths(), expected);
}

TEST(PrefixCode, LengthsThatAreNoCompleteCodeAreRefused) {
  using Lengths = std::vector<std::uint8_t>;
  const struct {
    const char* why;
    Lengths lengths;
  } kCases[] = {
      {"nothing", {}},
      {"only an escape", {1}},
      {"no escape", {1, 1, 0}},
      {"all zeros", {0, 0}},
      {"too few codes", {2, 2, 2}},
      {"too many codes", {1, 1, 1}},
      {"too long", {1, 13, 13}},
      {"too many symbols", Lengths(PrefixCode::kSymbolsMax + 2, 12)},
  };
  for (const auto& [why, lengths] : kCases) EXPECT_FALSE(PrefixCode::of_lengths(lengths)) << why;
  EXPECT_TRUE(PrefixCode::of_lengths({1, 1}));
}

TEST(PrefixCode, DamagedBitsAreStillSymbols) {
  const std::vector<std::uint64_t> counts = {9, 0, 0, 4, 0};
  const PrefixCode code = PrefixCode::of_counts(counts);
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const Bytes bytes = {static_cast<std::uint8_t>(random())};
    BitReader in(bytes);
    while (in.ok()) ASSERT_LT(code.read(in), counts.size());
  }
}

}  // namespace
}  // namespace shingled::storage::counters
