#include "milter/counters/country_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <random>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace shingled::milter::counters {
namespace {

using ::testing::HasSubstr;

// Source of the format: MaxMind DB File Format Specification 2.0.

std::string text(std::string_view bytes) {
  return static_cast<char>(0x40U | bytes.size()) + std::string(bytes);
}
std::string map(std::size_t entries) { return {static_cast<char>(0xE0U | entries)}; }
std::string number(unsigned type, std::uint64_t value, std::size_t bytes) {
  std::string out;
  if (type < 8) {
    out += static_cast<char>(type << 5U | bytes);
  } else {
    out += static_cast<char>(bytes);
    out += static_cast<char>(type - 7);
  }
  for (std::size_t i = bytes; i > 0; --i) out += static_cast<char>(value >> (8 * (i - 1)));
  return out;
}

/// Writes a database of networks and their countries.
class CountryWriter {
 public:
  /// An IPv4 network is that of ::/96.
  void add(const std::string& network, const std::string& country) {
    const Network parsed = *Network::parse(network);
    const bool v4 = parsed.address.family == IpAddress::Family::kV4;
    std::array<std::uint8_t, 16> bytes{};
    const std::size_t shift = v4 ? 12 : 0;
    for (std::size_t i = 0; i + shift < 16; ++i) bytes[i + shift] = parsed.address.bytes[i];
    const auto bits = static_cast<std::size_t>(parsed.prefix_bits) + (v4 ? 96 : 0);
    std::size_t node = 0;
    for (std::size_t bit = 0; bit < bits; ++bit) {
      const std::size_t side = bytes[bit / 8] >> (7 - bit % 8) & 1U;
      if (bit + 1 == bits) {
        nodes_[node][side] = {Kind::kData, data_.size()};
      } else if (nodes_[node][side].kind != Kind::kNode) {
        nodes_[node][side] = {Kind::kNode, nodes_.size()};
        nodes_.emplace_back();
      }
      if (bit + 1 < bits) node = nodes_[node][side].number;
    }
    data_ += map(1) + text("country") + map(1) + text("iso_code") + text(country);
  }

  [[nodiscard]] std::string bytes() const {
    std::string out;
    for (const auto& node : nodes_) {
      for (const Record& record : node) {
        const std::size_t value = record.kind == Kind::kNode   ? record.number
                                  : record.kind == Kind::kNone ? nodes_.size()
                                                               : nodes_.size() + 16 + record.number;
        for (const unsigned at : {16U, 8U, 0U}) out += static_cast<char>(value >> at);
      }
    }
    out += std::string(16, '\0') + data_ + "\xab\xcd\xefMaxMind.com" + map(9);
    out += text("node_count") + number(6, nodes_.size(), 4);
    out += text("record_size") + number(5, 24, 2) + text("ip_version") + number(5, 6, 2);
    out += text("database_type") + text("Country") + text("languages") + std::string{0, 4};
    out += text("binary_format_major_version") + number(5, 2, 2);
    out += text("binary_format_minor_version") + number(5, 0, 2);
    out += text("build_epoch") + number(9, 1'700'000'000, 8) + text("description") + map(0);
    return out;
  }

 private:
  enum class Kind : std::uint8_t { kNone, kNode, kData };
  struct Record {
    Kind kind = Kind::kNone;
    std::size_t number = 0;
  };
  std::vector<std::array<Record, 2>> nodes_ = std::vector<std::array<Record, 2>>(1);
  std::string data_;
};

class CountryFileTest : public ::testing::Test {
 protected:
  CountryFileTest() {
    CountryWriter writer;
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
