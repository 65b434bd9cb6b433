// Covers storage/redis/hashes/redis_import.cpp.
// Connections break after the server has executed the commands; an import counts every line once.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <list>
#include <map>
#include <thread>

#include "storage/redis/hashes/redis_import.h"
#include "tests/storage/redis/hashes/redis_fixture.h"
#include "tests/storage/redis/route/cluster_process.h"
#include "tests/storage/redis/route/cutting_proxy.h"

namespace shingled::storage::redis {
namespace {

using ::testing::SizeIs;

std::size_t lines_wanted(std::size_t otherwise) {
  const char* wanted = std::getenv("SHINGLED_IMPORT_LINES");  // NOLINT(concurrency-mt-unsafe)
  return wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : otherwise;
}

class ImportCutTest : public ::testing::Test {
 protected:
  /// Every tenth line has shingles; after the first 600, two of five lines repeat an earlier one.
  std::vector<sqlite::FuzzyRow> lines(std::size_t count) {
    std::vector<sqlite::FuzzyRow> rows;
    const auto now = unix_seconds(clock_.wall());
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 5 > 2 && i > 600) {
        rows.push_back(rows[i - 600]);
        continue;
      }
      sqlite::FuzzyRow row;
      row.digest = engine::random_digest(random_);
      row.flags.add(
          {static_cast<std::uint32_t>(1 + i % 3), static_cast<std::int32_t>(1 + i % 100)});
      row.created = row.updated = now - 1000;
      if (i % 10 == 0) row.shingles = engine::random_shingles(random_);
      rows.push_back(row);
    }
    return rows;
  }
  static std::map<Digest, FlagSet> sums(const std::vector<sqlite::FuzzyRow>& rows) {
    std::map<Digest, FlagSet> sums;
    for (const sqlite::FuzzyRow& row : rows) {
      for (const FlagValue& list : row.flags.all()) sums[row.digest].add(list);
    }
    return sums;
  }
  /// Calls `before_write` each time before a group is written.
  Status import(
      const TransferOptions& options, const std::vector<sqlite::FuzzyRow>& rows,
      const std::function<void()>& before_write = [] {}) {
    auto opened = RedisImport::open(options, formats::MergeRule::kSum, clock_, names_, logger_);
    for (int attempt = 0; !opened && attempt < 20; ++attempt) {
      opened = RedisImport::open(options, formats::MergeRule::kSum, clock_, names_, logger_);
    }
    if (!opened) return opened.error();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i % 256 == 0) before_write();
      if (Status taken = (*opened)->take(rows[i]); !taken) return taken;
    }
    Status finished = (*opened)->finish();
    counts_ = (*opened)->counts();
    return finished;
  }
  std::map<Digest, FlagSet> dump(const TransferOptions& options) {
    std::map<Digest, FlagSet> out;
    const auto take = [&](const sqlite::FuzzyRow& row) -> Status {
      out[row.digest] = row.flags;
      return {};
    };
    const auto report = dump_redis(
        options, take, [](const WorkDone&) { return true; }, clock_, logger_);
    EXPECT_TRUE(report) << report.error().message;
    return out;
  }

  SystemClock clock_;
  SystemRandom names_;
  NullLogger logger_;
  engine::Seeded random_{20'261'123};
  formats::Import::Counts counts_;
};

TEST_F(ImportCutTest, EveryLineCountsOnceOnOneServerOrSeveral) {
  SHINGLED_NEED_REDIS();
  struct Case {
    const char* why;
    std::size_t proxies;
    std::uint32_t one_of;  ///< exchanges
    std::size_t lines;
  };
  const std::size_t many = lines_wanted(20'000);
  const std::size_t few = std::max<std::size_t>(many / 5, 4000);
  const Case cases[] = {{"one server, some connections break", 1, 4, many},
                        {"fresh connections break as well", 1, 2, few},
                        {"the next server gets commands that the first one executed", 2, 2, few}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.why);
    const std::vector<sqlite::FuzzyRow> rows = lines(c.lines);
    const auto wanted = sums(rows);
    testing::RedisProcess redis({"--appendonly", "no"});
    ASSERT_TRUE(redis.start());
    std::list<testing::CuttingProxy> proxies;
    TransferOptions cut;
    for (std::size_t i = 0; i < c.proxies; ++i) {
      auto& proxy = proxies.emplace_back(redis.socket(), c.one_of, 7 + i);
      ASSERT_TRUE(proxy.ok());
      cut.redis.servers.push_back(proxy.address());
    }
    const Status imported = import(cut, rows);
    ASSERT_TRUE(imported) << imported.error().message;
    std::size_t cuts = 0;
    for (const auto& proxy : proxies) cuts += proxy.cuts();
    EXPECT_GT(cuts, rows.size() / 256 / c.one_of / 2);
    TransferOptions direct;
    direct.redis.servers = {redis.address()};
    EXPECT_TRUE(dump(direct) == wanted) << cuts << " cuts";
    EXPECT_EQ(redis.ask({"GET", count_key("fuzzy")}).text, std::to_string(wanted.size()));
    EXPECT_EQ(counts_.added, wanted.size());
    EXPECT_EQ(counts_.added + counts_.merged, rows.size());
    EXPECT_THAT(redis.ask({"KEYS", "fuzzy_done_*"}).elements, SizeIs(1)) << "of the last group";
  }
}

TEST_F(ImportCutTest, EveryLineCountsOnceInACluster) {
  if (!testing::ClusterProcess::installed()) GTEST_SKIP() << "redis-server or redis-cli is missing";
  testing::ClusterProcess cluster;
  ASSERT_TRUE(cluster.start());
  TransferOptions options;
  options.redis.servers = cluster.seeds();
  options.redis.cluster = true;
  const std::vector<sqlite::FuzzyRow> rows = lines(lines_wanted(5000));
  const auto wanted = sums(rows);
  std::atomic<std::size_t> cuts{0};
  std::atomic<std::size_t> sweeps{0};  // how many times to break all connections
  std::jthread cutting([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::size_t left = sweeps.load();
      if (left == 0 || !sweeps.compare_exchange_strong(left, left - 1)) {
        std::this_thread::yield();
        continue;
      }
      for (std::size_t node = 0; node < testing::ClusterProcess::kNodes; ++node) {
        const auto killed = cluster.ask(cluster.port(node), {"CLIENT", "KILL", "TYPE", "normal"});
        cuts += static_cast<std::size_t>(killed.integer);
      }
    }
  });
  const Status imported = import(options, rows, [&] { sweeps = 1 + random_() % 8; });
  cutting.request_stop();
  cutting.join();
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_GT(cuts.load(), rows.size() / 256);
  EXPECT_TRUE(dump(options) == wanted) << cuts << " cuts";
  EXPECT_EQ(counts_.added, wanted.size());
  std::string count;
  for (std::size_t node = 0; node < testing::ClusterProcess::kNodes; ++node) {
    const auto reply = cluster.ask(cluster.port(node), {"GET", count_key("fuzzy")});
    if (reply.is_text()) count = reply.text;
  }
  EXPECT_EQ(count, std::to_string(wanted.size()));
}

}  // namespace
}  // namespace shingled::storage::redis
