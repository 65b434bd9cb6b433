// Covers storage/redis/counters/generation.cpp.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "config/base/hex.h"
#include "storage/redis/counters/generation.h"
#include "tests/support/memory_files.h"

namespace shingled::storage::redis {
namespace {

using counters::CounterKey;
using counters::CounterSeries;
using counters::Direction;
using counters::Entry;
using counters::Measure;
using counters::PastAddition;
using counters::Period;
using testing::MemoryFiles;

const WaitingName kName{0x0123'4567'89ab'cdef, 42};

std::vector<WaitingItem> items() {
  PastAddition past;
  past.slot = 2'831'519;
  past.addition.amounts.of(Measure::kMass) = 1;
  past.addition.amounts.of(Measure::kBytes) = counters::kCountMax;
  past.addition.counters = {{7, PieceType::kLinkHost, Direction::kOut}};
  past.addition.pairs = {{{0x10001, PieceType::kSenderRecipient, Direction::kIn}, 0x20001}};
  CounterSeries series{{9, PieceType::kFrom, Direction::kIn}, {}};
  Entry day{{Period::Unit::kDay, 19'663}, {}};
  day.amounts.of(Measure::kHam) = 3;
  series.entries = {{{Period::Unit::kSlot, 2'831'519}, past.addition.amounts}, day};
  return {past, series, past};
}

bool same(const WaitingItem& a, const WaitingItem& b) {
  if (a.index() != b.index()) return false;
  if (const auto* series = std::get_if<CounterSeries>(&a))
    return *series == std::get<CounterSeries>(b);
  return std::get<PastAddition>(a).slot == std::get<PastAddition>(b).slot &&
         std::get<PastAddition>(a).addition == std::get<PastAddition>(b).addition;
}

struct Content {
  std::map<std::uint64_t, WaitingItem> items;
  std::uint64_t lost = 0;
};

Result<Content> read(MemoryFiles& files) {
  Content content;
  const auto lost = read_waiting_log(
      files, kName,
      [&](std::uint64_t number, const WaitingItem& item) { content.items.emplace(number, item); });
  if (!lost) return lost.error();
  content.lost = *lost;
  return content;
}

class WaitingLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto log = WaitingLog::create(files_, kName);
    ASSERT_TRUE(log);
    ASSERT_TRUE((*log)->append(items(), 5));
    ASSERT_TRUE((*log)->append(std::get<PastAddition>(items()[0]), 8));
    ASSERT_TRUE((*log)->sync());
    EXPECT_EQ((*log)->bytes(), content().size());
  }
  Bytes& content() { return files_.content(kName.file()); }

  MemoryFiles files_;
};

TEST_F(WaitingLogTest, GivesBackWhatWasWritten) {
  const auto got = read(files_);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->lost, 0U);
  ASSERT_EQ(got->items.size(), 4U);
  for (std::uint64_t number = 5; number < 8; ++number)
    EXPECT_TRUE(same(got->items.at(number), items()[number - 5])) << number;
  EXPECT_TRUE(same(got->items.at(8), items()[0]));
}

TEST_F(WaitingLogTest, ACutLosesTheLastRecordsAlone) {
  const Bytes whole = content();
  std::size_t most = 4;
  for (std::size_t size = whole.size(); size-- > 0;) {
    content().resize(size);
    const auto got = read(files_);
    ASSERT_TRUE(got) << size;
    ASSERT_LE(got->items.size(), most);
    most = got->items.size();
    for (const auto& [number, item] : got->items)
      ASSERT_TRUE(same(item, items()[(number - 5) % 3])) << size;
  }
  EXPECT_EQ(most, 0U);
}

TEST_F(WaitingLogTest, AFlippedBitLosesItsRecordAlone) {
  const Bytes whole = content();
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    content() = whole;
    content()[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    const auto got = read(files_);
    if (bit / 8 < 28) {
      ASSERT_EQ(got.error().code, ErrorCode::kCorrupt);
      continue;
    }
    ASSERT_TRUE(got);
    ASSERT_EQ(got->items.size(), 3U) << bit;
    ASSERT_GT(got->lost, 0U);
    for (const auto& [number, item] : got->items)
      ASSERT_TRUE(same(item, items()[(number - 5) % 3])) << bit;
  }
}

TEST_F(WaitingLogTest, ALogWithTheNameOfAnotherIsNotRead) {
  ASSERT_TRUE(files_.rename(kName.file(), WaitingName{kName.writer, 43}.file()));
  const auto got = read_waiting_log(files_, {kName.writer, 43},
                                    [](std::uint64_t, const WaitingItem&) { FAIL(); });
  EXPECT_EQ(got.error().code, ErrorCode::kCorrupt);
}

TEST(WaitingLog, IsByteForByteTheOneOfVersion0_1) {
  PastAddition past;
  past.slot = 2'831'519;
  past.addition.amounts.of(Measure::kMass) = 1;
  past.addition.amounts.of(Measure::kBytes) = 0x1234;
  past.addition.counters = {{7, PieceType::kLinkHost, Direction::kOut}};
  past.addition.pairs = {{{0x10001, PieceType::kSenderRecipient, Direction::kIn}, 0x20001}};
  Entry day{{Period::Unit::kDay, 19'663}, {}};
  day.amounts.of(Measure::kHam) = 3;
  const CounterSeries series{{9, PieceType::kFrom, Direction::kIn}, {day}};
  MemoryFiles files;
  auto log = WaitingLog::create(files, kName);
  ASSERT_TRUE(log);
  ASSERT_TRUE((*log)->append(std::vector<WaitingItem>{past, series}, 5));
  const auto wanted = from_hex(
      "7368676377616931efcdab89674523012a0000006b5907fb02a8397a3c00000097f06d0abc1efc66"
      "0500000000000000019f342b00050100000000000000341200000000000001000100070000000000"
      "00006701000100000000003c01000200000000005900000039ea658bee2151f90600000000000000"
      "0209000000000000001c010001cf4c00000000000000000000000000000000000000000000000000"
      "00000000000000000003000000000000000000000000000000000000000000000000000000000000"
      "00");
  ASSERT_TRUE(wanted);
  EXPECT_EQ(files.content(kName.file()), *wanted);
}

TEST(WaitingName, IsReadBackInItsOwnFormAlone) {
  EXPECT_EQ(kName.file(), "0123456789abcdef-0000002a.waiting");
  EXPECT_EQ(WaitingName::parse(kName.file()), kName);
  for (const char* other :
       {"", "1.log", "0123456789ABCDEF-0000002a.waiting", "0123456789abcdef_0000002a.waiting",
        "0123456789abcdef-0000002a.waiting2", "0123456789abcdeg-0000002a.waiting"})
    EXPECT_EQ(WaitingName::parse(other), std::nullopt) << other;
}

}  // namespace
}  // namespace shingled::storage::redis
