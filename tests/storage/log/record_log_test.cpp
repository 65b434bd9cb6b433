// Covers storage/log/record_log.cpp.
#include "storage/log/record_log.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/support/memory_files.h"

namespace shingled::storage::log {
namespace {

using ::testing::ElementsAre;
using testing::MemoryFiles;

constexpr LogKind kKind = {.what = "words",
                           .magic = {'w', 'o', 'r', 'd', 'l', 'o', 'g', '1'},
                           .fields_bytes = 2,
                           .body_bytes_min = 1,
                           .body_bytes_max = 10};
constexpr std::size_t kHeadBytes = 8 + 2 + 8;
const Bytes kFields = {3, 4};

struct Content {
  std::vector<std::string> words;
  LogReading reading;
};

class RecordLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto created = RecordLog::create(files_, "log", kKind, kFields);
    ASSERT_TRUE(created);
    log_ = *std::move(created);
  }
  void add(std::string_view word) {
    log_->add([&](Bytes& body) { body.insert(body.end(), word.begin(), word.end()); });
  }
  Result<Content> read(std::string_view without = "") {
    Content content;
    const auto reading = read_records(
        files_, "log", kKind, [](BytesView fields) { return fields[0] == 3; },
        [&](BytesView body) -> Result<bool> {
          if (as_text(body) == without) return false;
          content.words.emplace_back(as_text(body));
          return true;
        });
    if (!reading) return reading.error();
    content.reading = *reading;
    return content;
  }
  Bytes& content() { return files_.content("log"); }

  MemoryFiles files_;
  std::unique_ptr<RecordLog> log_;
};

TEST_F(RecordLogTest, WritesAllRecordsThatWereAddedAtOnce) {
  add("one");
  add("two");
  EXPECT_EQ(log_->bytes(), kHeadBytes) << "not written yet";
  const std::uint64_t writes = files_.writes();
  ASSERT_TRUE(log_->write());
  EXPECT_EQ(files_.writes(), writes + 1);
  add("three");
  ASSERT_TRUE(log_->write());
  EXPECT_EQ(log_->bytes(), content().size());
  const auto got = read();
  ASSERT_TRUE(got);
  EXPECT_THAT(got->words, ElementsAre("one", "two", "three"));
  EXPECT_EQ(got->reading.records, 3U);
  EXPECT_EQ(got->reading.bytes_lost, 0U);
}

TEST_F(RecordLogTest, WhatCouldNotBeWrittenIsNotWrittenLater) {
  add("one");
  files_.fail_at(0);
  EXPECT_FALSE(log_->write());
  files_.repair();
  add("two");
  ASSERT_TRUE(log_->write());
  const auto got = read();
  ASSERT_TRUE(got);
  EXPECT_THAT(got->words, ElementsAre("two"));
}

TEST_F(RecordLogTest, CutAtEveryByteHasTheWholeRecordsBefore) {
  for (const char* word : {"one", "two", "three"}) add(word);
  ASSERT_TRUE(log_->write());
  const Bytes whole = content();
  std::size_t before = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    content().assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto got = read();
    ASSERT_TRUE(got) << size;
    ASSERT_TRUE(got->words.size() == before || got->words.size() == before + 1) << size;
    before = got->words.size();
  }
  EXPECT_EQ(before, 3U);
}

TEST_F(RecordLogTest, AFlippedBitLosesItsRecordAlone) {
  for (const char* word : {"one", "two", "three"}) add(word);
  ASSERT_TRUE(log_->write());
  for (std::size_t bit = 0; bit < content().size() * 8; ++bit) {
    content()[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    const auto got = read();
    content()[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    if (bit / 8 < kHeadBytes) {
      ASSERT_FALSE(got) << bit;
      EXPECT_EQ(got.error().code, ErrorCode::kCorrupt);
      EXPECT_EQ(got.error().message, "log: not a log of words");
    } else {
      ASSERT_TRUE(got) << bit;
      EXPECT_EQ(got->words.size(), 2U) << bit;
      EXPECT_GT(got->reading.bytes_lost, 0U);
    }
  }
}

TEST_F(RecordLogTest, RecordsOfAnotherPlaceDoNotCount) {
  add("one");
  ASSERT_TRUE(log_->write());
  const Bytes records(content().begin() + kHeadBytes, content().end());
  content().insert(content().end(), records.begin(), records.end());
  const auto got = read();
  ASSERT_TRUE(got);
  EXPECT_THAT(got->words, ElementsAre("one"));
  EXPECT_EQ(got->reading.bytes_lost, records.size());
}

TEST_F(RecordLogTest, ARecordOfAnotherSizeThanTheKindAllowsDoesNotCount) {
  add("");
  add("one");
  add("12345678901");
  ASSERT_TRUE(log_->write());
  const auto got = read();
  ASSERT_TRUE(got);
  EXPECT_THAT(got->words, ElementsAre("one"));
}

TEST_F(RecordLogTest, ARecordThatIsOfNoUseIsLost) {
  add("one");
  add("two");
  ASSERT_TRUE(log_->write());
  const auto got = read("one");
  ASSERT_TRUE(got);
  EXPECT_THAT(got->words, ElementsAre("two"));
  EXPECT_EQ(got->reading.records, 1U);
  EXPECT_EQ(got->reading.bytes_lost, 4 + 8 + 3U);
}

TEST_F(RecordLogTest, ALogOfAnotherKindOrWithOtherFieldsIsNotRead) {
  LogKind other = kKind;
  other.magic[0] = 'x';
  const auto never = [](BytesView) -> Result<bool> { return false; };
  const auto of_kind = read_records(
      files_, "log", other, [](BytesView) { return true; }, never);
  ASSERT_FALSE(of_kind);
  EXPECT_EQ(of_kind.error().code, ErrorCode::kCorrupt);
  const auto of_fields = read_records(
      files_, "log", kKind, [](BytesView) { return false; }, never);
  ASSERT_FALSE(of_fields);
  EXPECT_EQ(of_fields.error().code, ErrorCode::kCorrupt);
}

TEST(Checksum, IsXxh3) {
  EXPECT_EQ(checksum({}), 0x2d06'8005'38d3'94c2U) << "the vector of xxHash for no bytes";
}

}  // namespace
}  // namespace shingled::storage::log
