#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "storage/crypto/keypair.h"
#include "storage/replication/master_session.h"
#include "storage/replication/mirror_session.h"
#include "storage/sqlite/hashes/fuzzy_table.h"
#include "tests/storage/engine/engine_fixture.h"
#include "tests/support/seeded_random.h"

namespace shingled::storage::replication {

/// What all stores must agree on: the rows without their ids, by digest.
using Contents = std::vector<sqlite::FuzzyRow>;

inline Contents contents_of(const std::string& path) {
  Contents rows;
  auto table = sqlite::FuzzyTable::open_read_only(path);
  EXPECT_TRUE(table) << table.error().message;
  if (!table) return rows;
  const Status read = (*table)->for_each([&](sqlite::FuzzyRow row) {
    row.id = 0;
    rows.push_back(std::move(row));
    return true;
  });
  EXPECT_TRUE(read) << read.error().message;
  std::ranges::sort(rows, {}, &sqlite::FuzzyRow::digest);
  return rows;
}

/// One store of the test: an engine with its file, its keys, its reader.
class ReplicaStore {
 public:
  ReplicaStore(Clock& clock, Random& random, std::uint32_t journal_max)
      : clock_(clock), keys(crypto::generate_keypair(random)) {
    options.hashfile = directory_.file("fuzzy.db");
    options.durability = Durability::kNormal;
    options.journal_max = journal_max;
    open();
  }

  void open() {
    reader.reset();
    engine.reset();
    auto opened = engine::Engine::open(options, clock_, logger_);
    ASSERT_TRUE(opened) << opened.error().message;
    engine = *std::move(opened);
    auto read = sqlite::ReplicaReader::open(options.hashfile);
    ASSERT_TRUE(read) << read.error().message;
    reader = *std::move(read);
    id = reader->self().value().value_or(StoreId{});
  }
  void apply(const Update& update) {
    const Status done = engine->apply({&update, 1});
    ASSERT_TRUE(done) << done.error().message;
  }
  /// Makes the writer walk over all rows and expire the old ones. Move the clock before the call.
  void expire() {
    engine::Seeded random(1);
    const Update nothing{.kind = Update::Kind::kDelete,
                         .fingerprint = {engine::random_digest(random), {}}};
    apply(nothing);
    apply(nothing);
  }
  /// Each batch is committed before the call returns, so the test decides about the order.
  void submit(ReplicaBatch batch, const UpdateDone& done) {
    std::promise<Status> outcome;
    engine->submit_batch(std::move(batch), [&](const Status& told) { outcome.set_value(told); });
    done(outcome.get_future().get());
  }
  [[nodiscard]] Contents contents() const { return contents_of(options.hashfile); }

 private:
  shingled::testing::TemporaryDirectory directory_;
  Clock& clock_;
  NullLogger logger_;

 public:
  EngineOptions options;
  Keypair keys;
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<sqlite::ReplicaReader> reader;
  StoreId id{};
};

/// A connection from a master to a mirror, through memory; it can be cut after any byte.
class MemoryLink {
 public:
  MemoryLink(ReplicaStore& master, ReplicaStore& mirror, Random& random)
      : master_(master), mirror_(mirror), random_(random) {}

  static constexpr std::size_t kUncut = std::numeric_limits<std::size_t>::max();

  void connect(std::size_t cut_after = kUncut) {
    cut();
    left_ = cut_after;
    master_end_ = std::make_unique<MasterSession>(
        master_.id, *master_.reader,
        SecureChannel::call(master_.keys, mirror_.keys.public_key, random_), random_);
    mirror_end_ = std::make_unique<MirrorSession>(
        *mirror_.reader,
        [this](ReplicaBatch batch, const UpdateDone& done) {
          mirror_.submit(std::move(batch), done);
        },
        SecureChannel::answer(mirror_.keys, {master_.keys.public_key}, random_), random_, [] {});
  }
  void cut() {
    master_end_.reset();
    mirror_end_.reset();
  }
  [[nodiscard]] bool is_up() const { return master_end_ != nullptr; }
  [[nodiscard]] const MasterSession& master_end() const { return *master_end_; }
  [[nodiscard]] const MirrorSession& mirror_end() const { return *mirror_end_; }
  [[nodiscard]] std::uint64_t carried() const { return carried_; }
  [[nodiscard]] const std::string& failure() const { return failure_; }

  /// Does one step of each end and carries the bytes. Returns false if nothing moves any more.
  bool step() {
    if (!is_up()) return false;
    bool moved = false;
    const auto master = master_end_->work();
    const auto mirror = mirror_end_->work();
    if (!master || !mirror) return fail(master ? mirror.error() : master.error());
    moved = *master || *mirror;
    if (mirror_end_->master() && !mirror_end_->has_begun()) {
      if (Status begun = mirror_end_->begin(); !begun) return fail(begun.error());
      moved = true;
    }
    moved |= carry(master_end_->output(), [this](BytesView b) { return mirror_end_->receive(b); });
    if (!is_up()) return true;
    moved |= carry(mirror_end_->output(), [this](BytesView b) { return master_end_->receive(b); });
    return moved;
  }
  void run() {
    int still = 0;
    while (is_up() && still < 3) still = step() ? 0 : still + 1;
  }

 private:
  bool fail(const Error& error) {
    failure_ = error.message;
    cut();
    return true;
  }
  template <typename Receive>
  bool carry(Bytes& from, Receive receive) {
    if (from.empty()) return false;
    const std::size_t count = std::min(from.size(), left_);
    const Bytes bytes(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
    from.clear();
    carried_ += count;
    if (left_ != kUncut) left_ -= count;
    if (Status taken = receive(bytes); !taken) return fail(taken.error());
    if (left_ == 0) cut();
    return true;
  }

  ReplicaStore& master_;
  ReplicaStore& mirror_;
  Random& random_;
  std::size_t left_ = kUncut;
  std::uint64_t carried_ = 0;
  std::string failure_;
  std::unique_ptr<MasterSession> master_end_;
  std::unique_ptr<MirrorSession> mirror_end_;
};

}  // namespace shingled::storage::replication
