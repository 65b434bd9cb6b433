// Covers storage/engine/checkpointer.cpp.
// The WAL that is found beside the file after a crash: whole, cut, damaged, or of an unknown
// format.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "config/base/byte_reader.h"
#include "tests/storage/engine/engine_fixture.h"

namespace shingled::storage::engine {
namespace {

class WalTest : public EngineTest {
 protected:
  static constexpr std::size_t kGroups = 20;
  static constexpr std::size_t kGroupSize = 3;

  /// Leaves a file and a WAL with twenty groups of updates, as a crash would.
  void SetUp() override {
    options_.durability =
        Durability::kSync;  // with these three options, a group waits until it is full
    options_.sync = std::chrono::hours(1);
    options_.group_commit_max = kGroupSize;
    open();
    for (std::size_t group = 0; group < kGroups; ++group) {
      std::vector<Update> updates;
      for (std::size_t i = 0; i < kGroupSize; ++i) {
        texts_.push_back(random_fingerprint(random_));
        updates.push_back(add(texts_.back()));
      }
      ASSERT_TRUE(engine_->apply(updates));
    }
    const std::string crashed = directory_.file("crashed.db");
    std::filesystem::copy_file(options_.hashfile, crashed);
    wal_ = read(options_.hashfile + "-wal");
    engine_.reset();
    options_.hashfile = crashed;
    file_ = read(crashed);
  }
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::string& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  /// The old file, beside this WAL.
  void crash_with(std::string_view wal) {
    engine_.reset();
    std::filesystem::remove(options_.hashfile + "-shm");
    write(options_.hashfile, file_);
    write(options_.hashfile + "-wal", wal);
  }
  /// The number of whole groups at the beginning. No group may be there in part, and none after a
  /// gap.
  [[nodiscard]] std::size_t groups_found() const {
    std::size_t texts = 0;
    while (texts < texts_.size() && check(texts_[texts])) ++texts;
    EXPECT_EQ(texts % kGroupSize, 0U) << "half a group";
    EXPECT_EQ(engine_->size(), texts) << "something after the gap";
    return texts / kGroupSize;
  }

  std::vector<Fingerprint> texts_;
  std::string file_;
  std::string wal_;
};

TEST_F(WalTest, IsReplayedAfterACrash) {
  crash_with(wal_);
  open();
  EXPECT_EQ(groups_found(), kGroups);
}

TEST_F(WalTest, GivesWholeGroupsUpToACut) {
  std::size_t before = 0;
  for (std::size_t size = 0; size <= wal_.size(); size += wal_.size() / 61) {
    crash_with(std::string_view(wal_).substr(0, size));
    open();
    const std::size_t groups = groups_found();
    EXPECT_GE(groups, before) << "a longer WAL gave fewer groups";
    before = groups;
  }
  EXPECT_GE(before, kGroups - 1);
}

TEST_F(WalTest, GivesWholeGroupsUpToADamage) {
  for (std::size_t at = 0; at < wal_.size(); at += 1 + wal_.size() / 61) {
    std::string damaged = wal_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    crash_with(damaged);
    open();
    EXPECT_LT(groups_found(), kGroups) << "at " << at;
  }
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes.substr(0, 4)) value = value << 8 | static_cast<std::uint8_t>(byte);
  return value;
}
std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(value >> shift));
  return bytes;
}

/// A WAL header with another format number and the matching checksum, as an older or newer program
/// would write it (https://www.sqlite.org/fileformat2.html#walformat).
std::string with_version(std::string wal, std::uint32_t version) {
  wal.replace(4, 4, big_endian(version));
  const bool little = big_endian(wal) == 0x377f0682;
  std::uint32_t s0 = 0;
  std::uint32_t s1 = 0;
  for (std::size_t at = 0; at < 24; at += 8) {
    std::uint32_t x0 = big_endian(std::string_view(wal).substr(at));
    std::uint32_t x1 = big_endian(std::string_view(wal).substr(at + 4));
    if (little) {
      x0 = __builtin_bswap32(x0);
      x1 = __builtin_bswap32(x1);
    }
    s0 += x0 + s1;
    s1 += x1 + s0;
  }
  return wal.replace(24, 8, big_endian(s0) + big_endian(s1));
}

TEST_F(WalTest, OfAnotherVersionIsRefusedAndNotChanged) {
  constexpr std::uint32_t kWalVersion = 3'007'000;
  crash_with(with_version(wal_, kWalVersion));
  open();
  ASSERT_EQ(groups_found(), kGroups) << "the checksum above is correct";

  const std::string newer = with_version(wal_, kWalVersion + 1);
  crash_with(newer);
  const auto refused = Engine::open(options_, clock_, logger_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr(options_.hashfile));
  EXPECT_EQ(read(options_.hashfile), file_);
  EXPECT_EQ(read(options_.hashfile + "-wal"), newer);
}

}  // namespace
}  // namespace shingled::storage::engine
