#include "storage/counters/sealed/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "storage/counters/sealed/sealed_writer.h"
#include "tests/support/memory_files.h"

namespace shingled::storage::counters {
namespace {

using testing::MemoryFiles;

Amounts mass(std::uint64_t count) {
  Amounts amounts;
  amounts.of(Measure::kMass) = count;
  return amounts;
}

Entry slot(Slot number, std::uint64_t count) {
  return {{Period::Unit::kSlot, number}, mass(count)};
}
Entry day(Day number, std::uint64_t count) { return {{Period::Unit::kDay, number}, mass(count)}; }

TEST(ApplyRules, FoldsSlotsIntoTheirDaysAndLeavesOutOldDays) {
  const Slot midnight = 10 * kSlotsPerDay;
  struct Case {
    const char* why;
    std::vector<Entry> entries;
    MergeRules rules;
    std::vector<Entry> expected;
  };
  const Case kCases[] = {
      {"nothing is old", {slot(midnight, 2), day(3, 1)}, {}, {slot(midnight, 2), day(3, 1)}},
      {"an old slot becomes its day",
       {slot(midnight - 1, 2), slot(midnight, 5)},
       {midnight, 0, 0},
       {slot(midnight, 5), day(9, 2)}},
      {"and is added to it",
       {slot(midnight - 1, 2), slot(midnight - 2, 1), day(9, 4)},
       {midnight, 0, 0},
       {day(9, 7)}},
      {"an old day goes", {day(8, 9), day(9, 1)}, {0, 9, 0}, {day(9, 1)}},
      {"also that of an old slot", {slot(midnight - 1, 2)}, {midnight, 10, 0}, {}},
      {"old counts of one go when the disk is full",
       {day(8, 1), day(9, 1), slot(midnight, 1)},
       {0, 0, 9},
       {slot(midnight, 1), day(9, 1)}},
      {"what became more than one stays",
       {slot(midnight - 1, 1), slot(midnight - 2, 1)},
       {midnight, 0, 10},
       {day(9, 2)}},
  };
  for (const Case& c : kCases)
    EXPECT_EQ(apply_rules(PieceType::kFrom, c.entries, c.rules), c.expected) << c.why;
}

TEST(ApplyRules, OfAUniqueTypeTheDayGetsWhatWasNewOnIt) {
  Entry entry = slot(kSlotsPerDay - 1, 5);
  entry.amounts.of(kNewOnDay) = 2;
  EXPECT_EQ(apply_rules(PieceType::kUniqueRecipients, std::vector{entry}, {kSlotsPerDay, 0, 0}),
            std::vector{day(0, 2)});
  entry.amounts.of(kNewOnDay) = 0;
  EXPECT_TRUE(
      apply_rules(PieceType::kUniqueRecipients, std::vector{entry}, {kSlotsPerDay, 0, 0}).empty());
}

TEST(FilesToMerge, AreTheSmallestUpToOneThatIsMuchLarger) {
  using Places = std::vector<std::size_t>;
  const struct {
    const char* why;
    std::vector<std::uint64_t> bytes;
    Places expected;
  } kCases[] = {
      {"nothing to merge", {}, {}},
      {"one file", {5}, {}},
      {"one is much larger", {500, 5}, {}},
      {"two alike", {5, 5}, {0, 1}},
      {"the larger ones stay", {5, 500, 5}, {0, 2}},
      {"the small ones together are large enough", {30, 11, 4}, {2, 1, 0}},
      {"each is too large for those before", {1, 4, 16, 64}, {}},
  };
  for (const auto& [why, bytes, expected] : kCases)
    EXPECT_EQ(files_to_merge(bytes), expected) << why;
}

TEST(FilesToMerge, FewFilesAreLeftAndEachCounterIsWrittenTenTimes) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> files;
  std::uint64_t sealed = 0;
  std::uint64_t written = 0;
  std::size_t most = 0;
  for (int i = 0; i < 3000; ++i) {
    files.push_back(900'000 + random() % 200'000);
    sealed += files.back();
    for (;;) {
      std::vector<std::size_t> places = files_to_merge(files);
      if (places.empty()) break;
      std::ranges::sort(places, std::greater<>());
      std::uint64_t merged = 0;
      for (const std::size_t place : places) {
        merged += files[place];
        files.erase(files.begin() + static_cast<std::ptrdiff_t>(place));
      }
      files.push_back(merged);
      written += merged;
    }
    most = std::max(most, files.size());
  }
  EXPECT_LE(most, 8U);
  EXPECT_LE(written, 10 * sealed);
}

TEST(MergeFiles, SumsEqualCountersAndStopsWhenAsked) {
  MemoryFiles files;
  const auto write = [&](const char* name, Slot number, std::vector<std::uint64_t> shingles) {
    PeriodRange range;
    range.include({Period::Unit::kSlot, number});
    auto writer = SealedWriter::begin(files, name, shingles.size(), range);
    ASSERT_TRUE(writer);
    for (const std::uint64_t shingle : shingles)
      ASSERT_TRUE(writer->add({shingle, PieceType::kFrom}, {slot(number, 1)}));
    ASSERT_TRUE(writer->finish());
  };
  write("a", 7, {1, 2, 5});
  write("b", 7, {2, 3});
  write("c", 8, {2, 9});
  std::vector<std::unique_ptr<SealedFile>> opened;
  std::vector<const SealedFile*> inputs;
  for (const char* name : {"a", "b", "c"}) {
    auto file = SealedFile::open(files, name);
    ASSERT_TRUE(file);
    opened.push_back(*std::move(file));
    inputs.push_back(opened.back().get());
  }
  std::stop_source stop;
  const auto footer = merge_files(files, inputs, "d", {}, stop.get_token());
  ASSERT_TRUE(footer) << footer.error().message;
  EXPECT_EQ(footer->rows, 5U);
  auto merged = SealedFile::open(files, "d");
  ASSERT_TRUE(merged);
  SealedFile::Cursor cursor(**merged);
  const std::pair<std::uint64_t, std::vector<Entry>> kExpected[] = {{1, {slot(7, 1)}},
                                                                    {2, {slot(7, 2), slot(8, 1)}},
                                                                    {3, {slot(7, 1)}},
                                                                    {5, {slot(7, 1)}},
                                                                    {9, {slot(8, 1)}}};
  for (const auto& [shingle, entries] : kExpected) {
    const auto row = cursor.next();
    ASSERT_TRUE(row && *row != nullptr);
    EXPECT_EQ((*row)->key.shingle, shingle);
    EXPECT_EQ((*row)->entries, entries);
  }
  const auto failing = [] { return Status(Error{ErrorCode::kUnavailable, "the other work"}); };
  const auto failed = merge_files(files, inputs, "e", {}, stop.get_token(), {}, failing);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "the other work");
  stop.request_stop();
  EXPECT_FALSE(merge_files(files, inputs, "e", {}, stop.get_token()));
  EXPECT_FALSE(files.has("e.tmp"));
}

}  // namespace
}  // namespace shingled::storage::counters
