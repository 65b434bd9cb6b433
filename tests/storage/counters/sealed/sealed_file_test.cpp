// Covers storage/counters/sealed/sealed_file.cpp, storage/counters/sealed/sealed_writer.cpp.
#include "storage/counters/sealed/sealed_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "storage/counters/sealed/sealed_writer.h"
#include "tests/support/memory_files.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::counters {
namespace {

using testing::MemoryFiles;

using Rows = std::map<CounterKey, std::vector<Entry>>;

Rows random_rows(std::uint64_t seed, std::size_t count, bool one_slot) {
  std::mt19937_64 random(seed);
  Rows rows;
  while (rows.size() < count) {
    CounterKey key{random(), PieceType::kLink, static_cast<Direction>(random() % 2)};
    if (random() % 50 == 0 && !rows.empty())
      key = {rows.begin()->first.shingle, PieceType::kFrom, Direction::kIn};
    std::vector<Entry> entries;
    for (std::uint64_t i = one_slot ? 1 : 1 + random() % 4; i > 0; --i) {
      Amounts amounts;
      amounts.of(Measure::kMass) = 1 + random() % 3;
      amounts.of(Measure::kBytes) = random() % 90'000;
      const auto number = static_cast<std::uint32_t>(one_slot ? 500 : 500 + random() % 200);
      add_entry(entries,
                {{one_slot || random() % 2 == 0 ? Period::Unit::kSlot : Period::Unit::kDay, number},
                 amounts});
    }
    rows[key] = entries;
  }
  return rows;
}

SealedFooter write(FileSystem& files, const std::string& name, const Rows& rows,
                   std::uint64_t rows_expected) {
  PeriodRange range;
  for (const auto& [key, entries] : rows)
    for (const Entry& entry : entries) range.include(entry.period);
  auto writer = SealedWriter::begin(files, name, rows_expected, range);
  EXPECT_TRUE(writer);
  for (const auto& [key, entries] : rows) EXPECT_TRUE(writer->add(key, entries));
  const auto footer = writer->finish();
  EXPECT_TRUE(footer);
  return *footer;
}

std::vector<Entry> find(const SealedFile& file, const CounterKey& key) {
  std::vector<Entry> entries;
  entries.reserve(64);  // `take` must not allocate
  EXPECT_TRUE(file.find(key, [&](const Period& period, const Amounts& amounts) {
    entries.push_back({period, amounts});
  }));
  return entries;
}

TEST(SealedFile, HasTheRowsThatWereWritten) {
  for (const std::size_t count : {0U, 1U, 2U, 15U, 17U, 1000U, 20'000U})
    for (const bool one_slot : {true, false}) {
      MemoryFiles files;
      const Rows rows = random_rows(count + 1, count, one_slot);
      const SealedFooter footer = write(files, "a", rows, count);
      EXPECT_EQ(footer.rows, count);
      auto file = SealedFile::open(files, "a");
      ASSERT_TRUE(file) << file.error().message;
      EXPECT_EQ((*file)->footer(), footer);
      EXPECT_TRUE((*file)->verify());
      for (const auto& [key, entries] : rows) {
        (*file)->prefetch_index(std::span(&key, 1));
        (*file)->prefetch_buckets(std::span(&key, 1));
        ASSERT_EQ(find(**file, key), entries);
        ASSERT_TRUE(find(**file, {key.shingle + 1, key.type, key.direction}).empty());
        ASSERT_TRUE(find(**file, {key.shingle, PieceType::kImage, key.direction}).empty());
      }
      SealedFile::Cursor cursor(**file);
      for (const auto& [key, entries] : rows) {
        const auto row = cursor.next();
        ASSERT_TRUE(row && *row != nullptr);
        ASSERT_EQ((*row)->key, key);
        ASSERT_EQ((*row)->entries, entries);
      }
      const auto end = cursor.next();
      ASSERT_TRUE(end);
      EXPECT_EQ(*end, nullptr);
    }
}

TEST(SealedFile, MayHaveFewerRowsThanExpectedAndShinglesInARow) {
  MemoryFiles files;
  Rows rows;
  Amounts one;
  one.of(Measure::kMass) = 1;
  for (std::uint64_t i = 0; i < 3000; ++i)
    rows[{i, PieceType::kLink}] = {{{Period::Unit::kSlot, 1}, one}};
  rows[{~0ULL, PieceType::kLink}] = {{{Period::Unit::kSlot, 1}, one}};
  write(files, "a", rows, 1'000'000);
  auto file = SealedFile::open(files, "a");
  ASSERT_TRUE(file);
  for (const auto& [key, entries] : rows) ASSERT_EQ(find(**file, key), entries);
}

TEST(SealedFile, OneMessageTakesNineBytesARow) {
  MemoryFiles files;
  std::mt19937_64 random(4);
  Rows rows;
  for (int i = 0; i < 200'000; ++i) {
    Amounts amounts;
    amounts.of(Measure::kMass) = 1;
    amounts.of(Measure::kRecipients) = 1;
    amounts.of(Measure::kHam) = 1;
    amounts.of(Measure::kBytes) = 2000 + random() % 60'000;
    rows[{random(), PieceType::kLink}] = {{{Period::Unit::kSlot, 1}, amounts}};
  }
  const SealedFooter footer = write(files, "a", rows, rows.size());
  RecordProperty("bytes_per_row", std::to_string(static_cast<double>(footer.file_bytes()) /
                                                 static_cast<double>(footer.rows)));
  EXPECT_LE(footer.file_bytes(), 9 * footer.rows);
}

TEST(SealedFile, FlippedBitInAnyByteIsFoundAndNeverAWrongNumber) {
  MemoryFiles files;
  const Rows rows = random_rows(9, 300, false);
  write(files, "a", rows, 300);
  const std::size_t size = files.content("a").size();
  for (std::size_t at = 0; at < size; at += at < size - 600 ? 7 : 1) {
    files.content("a")[at] ^= static_cast<std::uint8_t>(1U << at % 8);
    const auto file = SealedFile::open(files, "a");
    if (file) {
      EXPECT_FALSE((*file)->verify()) << at;
      for (const auto& [key, entries] : rows) {
        std::vector<Entry> got;
        got.reserve(64);
        const Status found = (*file)->find(key, [&](const Period& period, const Amounts& amounts) {
          if (got.size() < 64) got.push_back({period, amounts});
        });
        if (found) {
          ASSERT_EQ(got, entries) << at;
        }
      }
    } else {
      EXPECT_EQ(file.error().code, ErrorCode::kCorrupt);
    }
    files.content("a")[at] ^= static_cast<std::uint8_t>(1U << at % 8);
  }
}

TEST(SealedFile, ThatWasCutIsRefused) {
  MemoryFiles files;
  write(files, "a", random_rows(9, 100, true), 100);
  const Bytes whole = files.content("a");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    files.content("a").assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(SealedFile::open(files, "a")) << size;
  }
}

TEST(SealedFile, ThatBecomesShorterWhileItIsOpenIsUnreadable) {
  const testing::TemporaryDirectory directory;
  const auto files = folder_files(directory.path());
  const Rows rows = random_rows(9, 20'000, true);
  write(*files, "a", rows, rows.size());
  const auto file = SealedFile::open(*files, "a");
  ASSERT_TRUE(file);
  ASSERT_EQ(::truncate(directory.file("a").c_str(), 4096), 0);
  const Status verified = (*file)->verify();
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().code, ErrorCode::kUnavailable);
  const CounterKey last = rows.rbegin()->first;
  (*file)->prefetch_buckets(std::span(&last, 1));
  const Status found = (*file)->find(last, [](const Period&, const Amounts&) {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
  std::vector<ShingleRange> lost;
  SealedFile::Cursor cursor(**file, &lost);
  for (auto row = cursor.next(); true; row = cursor.next()) {
    ASSERT_TRUE(row) << "a repair passes over what the disk does not give";
    if (*row == nullptr) break;
  }
  EXPECT_FALSE(lost.empty());
}

TEST(SealedWriter, LeavesNothingBehindIfItDoesNotFinish) {
  MemoryFiles files;
  {
    auto writer = SealedWriter::begin(files, "a", 10, {});
    ASSERT_TRUE(writer);
    EXPECT_TRUE(files.has("a.tmp"));
  }
  EXPECT_FALSE(files.has("a.tmp"));
  EXPECT_FALSE(files.has("a"));
}

}  // namespace
}  // namespace shingled::storage::counters
