// Covers storage/counters/live/counter_log.cpp, storage/counters/addition.cpp.
#include "storage/counters/live/counter_log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "config/base/hex.h"
#include "tests/support/fake_store.h"
#include "tests/support/memory_files.h"

namespace shingled::storage::counters {
namespace {

using testing::MemoryFiles;

Addition any_addition(std::mt19937_64& random) {
  Addition addition;
  for (std::uint64_t i = random() % 5; i > 0; --i)
    addition.counters.push_back({random(), PieceType::kLink, static_cast<Direction>(random() % 2)});
  for (std::uint64_t i = random() % 3; i > 0; --i)
    addition.pairs.push_back({{random(), PieceType::kLinkFrom}, random()});
  for (std::uint64_t& count : addition.amounts.counts)
    if (random() % 2 == 0) count = random() >> (1 + random() % 63);
  return addition;
}

std::vector<Addition> write_log(FileSystem& files, std::size_t count) {
  std::mt19937_64 random(2);
  auto log = CounterLog::create(files, "1.log", 77);
  EXPECT_TRUE(log);
  std::vector<Addition> written;
  for (std::size_t i = 0; i < count; ++i) {
    written.push_back(any_addition(random));
    EXPECT_TRUE((*log)->append(written.back()));
  }
  EXPECT_EQ((*log)->bytes() > 0, count > 0);
  return written;
}

struct Read {
  LogContent content;
  std::vector<Addition> additions;
};

Result<Read> read(FileSystem& files) {
  Read out;
  auto content = read_log(files, "1.log", [&](Slot slot, const Addition& addition) {
    EXPECT_EQ(slot, 77U);
    out.additions.push_back(addition);
    return Status{};
  });
  if (!content) return content.error();
  out.content = *content;
  return out;
}

TEST(Addition, IsDecodedAsItWasEncodedAndNoOtherBytesAre) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const Addition addition = any_addition(random);
    Bytes bytes;
    encode_addition(addition, bytes);
    EXPECT_EQ(decode_addition(bytes), addition);
    EXPECT_EQ(decode_addition(BytesView(bytes).first(bytes.size() - 1)), std::nullopt);
    bytes.push_back(0);
    EXPECT_EQ(decode_addition(bytes), std::nullopt);
  }
}

TEST(Addition, OfTypesThatDoNotFitIsRefused) {
  for (const auto type : {PieceType::kLinkFrom, PieceType::kUniqueLinkSenders,
                          static_cast<PieceType>(99), static_cast<PieceType>(0)}) {
    Addition addition;
    addition.counters.push_back({1, type});
    Bytes bytes;
    encode_addition(addition, bytes);
    EXPECT_EQ(decode_addition(bytes), std::nullopt);
  }
  Addition addition;
  addition.pairs.push_back({{1, PieceType::kFrom}, 1});
  Bytes bytes;
  encode_addition(addition, bytes);
  EXPECT_EQ(decode_addition(bytes), std::nullopt);
}

TEST(CounterLog, HasTheAdditionsThatWereAppended) {
  MemoryFiles files;
  const std::vector<Addition> written = write_log(files, 300);
  const auto got = read(files);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->additions, written);
  EXPECT_EQ(got->content.additions, 300U);
  EXPECT_EQ(got->content.bytes_lost, 0U);
}

TEST(CounterLog, CutAtEveryByteHasTheWholeRecordsBefore) {
  MemoryFiles files;
  const std::vector<Addition> written = write_log(files, 12);
  const Bytes whole = files.content("1.log");
  std::size_t before = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    files.content("1.log").assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto got = read(files);
    ASSERT_TRUE(got) << size;
    const std::size_t count = got->additions.size();
    ASSERT_TRUE(count == before || count == before + 1) << size;
    before = count;
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(got->additions[i], written[i]);
  }
  EXPECT_EQ(before, written.size());
}

TEST(CounterLog, FlippedBitLosesOneRecordAndSaysSo) {
  MemoryFiles files;
  const std::vector<Addition> written = write_log(files, 12);
  constexpr std::size_t kHeaderBytes = 20;
  const std::size_t size = files.content("1.log").size();
  for (std::size_t at = 0; at < size; ++at) {
    files.content("1.log")[at] ^= 4;
    const auto got = read(files);
    if (at < kHeaderBytes) {
      ASSERT_FALSE(got) << at;
      EXPECT_EQ(got.error().code, ErrorCode::kCorrupt);
    } else {
      ASSERT_TRUE(got) << at;
      EXPECT_EQ(got->additions.size(), written.size() - 1) << at;
      EXPECT_GT(got->content.bytes_lost, 0U);
    }
    files.content("1.log")[at] ^= 4;
  }
}

TEST(CounterLog, RecordsOfAnotherPlaceDoNotCount) {
  MemoryFiles files;
  write_log(files, 3);
  Bytes& content = files.content("1.log");
  const Bytes records(content.begin() + 20, content.end());
  content.insert(content.end(), records.begin(), records.end());
  const auto got = read(files);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->additions.size(), 3U);
  EXPECT_EQ(got->content.bytes_lost, records.size());
}

TEST(CounterLog, AfterASyncThatFailedNoneIsTrusted) {
  MemoryFiles files;
  auto log = CounterLog::create(files, "1.log", 77);
  ASSERT_TRUE(log);
  Addition addition;
  addition.counters.push_back({1, PieceType::kFrom});
  addition.amounts.of(Measure::kMass) = 1;
  ASSERT_TRUE((*log)->append(addition));
  files.fail_at(0);
  EXPECT_FALSE((*log)->sync());
  EXPECT_TRUE((*log)->is_doubtful());
  files.repair();
  EXPECT_FALSE((*log)->sync()) << "the system may have dropped what it could not write";
}

TEST(CounterLog, IsByteForByteTheOneOfVersion0_1) {
  Addition addition;
  addition.amounts.of(Measure::kMass) = 1;
  addition.amounts.of(Measure::kBytes) = 0x1234;
  addition.counters = {{7, PieceType::kLinkHost, Direction::kOut}};
  addition.pairs = {{{0x10001, PieceType::kSenderRecipient, Direction::kIn}, 0x20001}};
  MemoryFiles files;
  auto log = CounterLog::create(files, "1.log", 2'831'519);
  ASSERT_TRUE(log);
  ASSERT_TRUE((*log)->append(addition));
  ASSERT_TRUE((*log)->append(addition));
  const auto wanted = from_hex(
      "736867636c6f67319f342b00c4455a50840ceb872f000000e181e356a56acfd50501000000000000"
      "0034120000000000000100010007000000000000006701000100000000003c01000200000000002f"
      "0000009eab1aa3bc7f91bf0501000000000000003412000000000000010001000700000000000000"
      "6701000100000000003c0100020000000000");
  ASSERT_TRUE(wanted);
  EXPECT_EQ(files.content("1.log"), *wanted);
}

/// A disk whose sync of a file lasts until the test ends it.
class SlowDisk final : public FileSystem {
 public:
  Result<std::unique_ptr<AppendFile>> create(const std::string& name) override {
    auto file = files_.create(name);
    if (!file) return file.error();
    return std::unique_ptr<AppendFile>(new SlowFile(*this, *std::move(file)));
  }
  Result<std::unique_ptr<MappedFile>> map(const std::string& name) override {
    return files_.map(name);
  }
  Result<HeldFile> hold(const std::string& name) override { return files_.hold(name); }
  Status rename(const std::string& from, const std::string& to) override {
    return files_.rename(from, to);
  }
  Status remove(const std::string& name) override { return files_.remove(name); }
  Status sync(const std::string& name) override { return files_.sync(name); }
  Status sync_names() override { return files_.sync_names(); }
  Result<std::vector<std::string>> names() override { return files_.names(); }
  Result<std::uint64_t> free_bytes() override { return files_.free_bytes(); }

  std::atomic<bool> is_slow{false};
  std::atomic<int> syncing{0};

 private:
  class SlowFile final : public AppendFile {
   public:
    SlowFile(SlowDisk& disk, std::unique_ptr<AppendFile> file)
        : disk_(disk), file_(std::move(file)) {}
    Status append(BytesView bytes) override { return file_->append(bytes); }
    Status sync() override {
      ++disk_.syncing;
      disk_.is_slow.wait(true);
      return file_->sync();
    }
    [[nodiscard]] std::uint64_t size() const override { return file_->size(); }

   private:
    SlowDisk& disk_;
    std::unique_ptr<AppendFile> file_;
  };

  MemoryFiles files_;
};

TEST(CounterLog, NobodyHearsOfSuccessBeforeTheDiskHasDoneIt) {
  SlowDisk disk;
  auto log = CounterLog::create(disk, "1.log", 77);
  ASSERT_TRUE(log);
  Addition addition;
  addition.counters.push_back({1, PieceType::kFrom});
  addition.amounts.of(Measure::kMass) = 1;
  ASSERT_TRUE((*log)->append(addition));
  const int before = disk.syncing;
  disk.is_slow = true;
  std::atomic<int> done{0};
  const auto sync = [&] {
    EXPECT_TRUE((*log)->sync());
    EXPECT_FALSE(disk.is_slow) << "the disk still works";
    ++done;
  };
  std::jthread first(sync);
  ASSERT_TRUE(testing::eventually([&] { return disk.syncing > before; }));
  std::jthread second(sync);
  // The second one waits, or is wrong: then it gets the time to be so.
  for (int i = 0; i < 100'000 && done == 0; ++i) std::this_thread::yield();
  EXPECT_TRUE((*log)->append(addition)) << "an addition does not wait";
  disk.is_slow = false;
  disk.is_slow.notify_all();
}

TEST(CounterLog, SyncDoesNothingIfNothingIsNew) {
  MemoryFiles files;
  auto log = CounterLog::create(files, "1.log", 77);
  ASSERT_TRUE(log);
  Addition addition;
  addition.counters.push_back({1, PieceType::kFrom});
  addition.amounts.of(Measure::kMass) = 1;
  ASSERT_TRUE((*log)->append(addition));
  EXPECT_TRUE((*log)->sync());
  const std::uint64_t writes = files.writes();
  EXPECT_TRUE((*log)->sync());
  EXPECT_EQ(files.writes(), writes);
  files.cut_power();
  const auto got = read(files);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->additions.size(), 1U);
}

}  // namespace
}  // namespace shingled::storage::counters
