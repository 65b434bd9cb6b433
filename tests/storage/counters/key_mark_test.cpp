// Covers also site_key() of storage/counters/counter_key.cpp, and marks in counters.db.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "storage/counters/counter_key.h"
#include "storage/counters/embedded/embedded_counters.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_files.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::counters {

namespace {

using ::testing::HasSubstr;

CounterKeyBytes key_of(std::uint8_t first) {
  CounterKeyBytes key{};
  key[0] = first;
  return key;
}

TEST(KeyMark, DependsOnTheKeyAlone) {
  EXPECT_EQ(key_mark(key_of(1)), key_mark(key_of(1)));
  EXPECT_NE(key_mark(key_of(1)), key_mark(key_of(2)));
}

TEST(KeyMark, IsReadAsItIsWritten) {
  for (const std::uint64_t mark : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0},
                                   std::uint64_t{0x0123'4567'89AB'CDEF}})
    EXPECT_EQ(parse_mark(mark_text(mark)), mark);
  for (const char* text : {"", "0", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeg"})
    EXPECT_FALSE(parse_mark(text)) << text;
}

class KeyOfAFolder : public ::testing::Test {
 protected:
  Status open(std::optional<std::uint64_t> mark) {
    EmbeddedCounterOptions options;
    options.directory = directory_.path();
    auto opened = EmbeddedCounters::open(options, files_, clock_, {}, mark);
    return opened ? Status() : Status(opened.error());
  }

  testing::TemporaryDirectory directory_;
  testing::MemoryFiles files_;
  testing::ManualClock clock_;
  testing::SeededRandom random_{3};
};

TEST_F(KeyOfAFolder, ACatalogueTakesItsFirstMarkAndNoOther) {
  ASSERT_TRUE(open({}));  // that of an earlier version has none
  EXPECT_TRUE(check_key_mark(directory_.path(), 6));
  ASSERT_TRUE(open(5));
  ASSERT_TRUE(open(5));
  EXPECT_TRUE(check_key_mark(directory_.path(), 5));
  for (const Status& other : {open(6), check_key_mark(directory_.path(), 6)}) {
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(other.error().message, HasSubstr("counted with another key"));
  }
  EXPECT_TRUE(open(5));
}

TEST_F(KeyOfAFolder, ALostKeyIsNotMadeAnewForCountersThatAreThere) {
  CounterOptions options;
  options.embedded.directory = directory_.path();
  const auto made = site_key(options, random_);
  ASSERT_TRUE(made);
  ASSERT_TRUE(open(key_mark(*made)));
  EXPECT_EQ(site_key(options, random_).value(), *made);
  std::filesystem::remove(options.key_path());
  const auto lost = site_key(options, random_);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(lost.error().message, HasSubstr("the key is gone"));
  EXPECT_FALSE(std::filesystem::exists(options.key_path()));
}

}  // namespace

}  // namespace shingled::storage::counters
