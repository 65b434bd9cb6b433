#include "milter/counters/country_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <vector>

#include "tests/milter/counters/country_writer.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::counters {
namespace {

using ::testing::HasSubstr;

class CountryFileTest : public ::testing::Test {
 protected:
  CountryFileTest() {
    shingled::testing::CountryWriter writer;
    writer.add("192.0.2.0/24", "DE");
    writer.add("198.51.100.0/25", "FR");
    writer.add("2001:db8::/32", "JP");
    writer.add("203.0.113.0/24", "not two letters");
    bytes_ = writer.bytes();
  }
  Result<std::unique_ptr<const CountryFile>> open(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return CountryFile::open(path_);
  }

  shingled::testing::TemporaryDirectory folder_;
  const std::string path_ = folder_.file("countries.mmdb");
  std::string bytes_;
};

TEST_F(CountryFileTest, KnowsTheCountryOfAnAddress) {
  const auto file = open(bytes_);
  ASSERT_TRUE(file) << file.error().message;
  std::ofstream(path_, std::ios::binary) << "cut while it is used";
  const auto country = [&](const char* address) {
    return (*file)->country_of(*IpAddress::parse(address));
  };
  EXPECT_EQ(country("192.0.2.0"), "DE");
  EXPECT_EQ(country("192.0.2.255"), "DE");
  EXPECT_EQ(country("192.0.3.0"), "");
  EXPECT_EQ(country("198.51.100.127"), "FR");
  EXPECT_EQ(country("198.51.100.128"), "");
  EXPECT_EQ(country("2001:db8:ffff::1"), "JP");
  EXPECT_EQ(country("2001:db9::1"), "");
  EXPECT_EQ(country("203.0.113.9"), "");
}

TEST_F(CountryFileTest, SaysWhatCannotBeUsed) {
  EXPECT_EQ(CountryFile::open(path_).error().message, path_ + ": No such file or directory");
  for (const std::string& wrong :
       {std::string(), std::string("text\n"), bytes_.substr(0, bytes_.size() / 2)}) {
    const auto file = open(wrong);
    ASSERT_FALSE(file);
    EXPECT_THAT(file.error().message, HasSubstr(path_ + ": is not a whole MaxMind DB file"));
  }
}

TEST_F(CountryFileTest, SurvivesDamage) {
  std::mt19937_64 random(1);
  const std::vector<IpAddress> addresses = {
      *IpAddress::parse("192.0.2.1"), *IpAddress::parse("198.51.100.1"),
      *IpAddress::parse("2001:db8::1"), *IpAddress::parse("ff::")};
  const auto look = [&](const std::string& bytes) {
    const auto file = open(bytes);
    if (!file) return;
    for (const IpAddress& address : addresses) {
      const std::string country = (*file)->country_of(address);
      EXPECT_TRUE(country.empty() || country.size() == 2);
    }
  };
  for (std::size_t end = 0; end < bytes_.size(); end += 7) look(bytes_.substr(0, end));
  for (std::size_t begin = 0; begin < bytes_.size(); begin += 7) look(bytes_.substr(begin));
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = bytes_;
    for (std::uint64_t i = 0; i < 1 + random() % 4; ++i)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    look(bytes);
  }
}

}  // namespace
}  // namespace shingled::milter::counters
