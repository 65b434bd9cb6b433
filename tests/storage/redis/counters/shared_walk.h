#pragma once

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/storage/redis/counters/counting_process.h"
#include "tests/storage/redis/counters/walked_servers.h"

namespace shingled::storage::redis {

/// Random calls of several daemons against brute force, while daemons are killed or end and start
/// again, clocks move, and something happens to the servers. The law:
///
/// - A call that returned counts once, whatever happens. A call under way when its daemon is killed
///   counts once or not at all, with all its counters and pairs.
/// - What only one daemon counts, that daemon knows exactly or not at all, after every call.
/// - What all of them count is never answered too high; when all have delivered, each daemon knows
///   it exactly, new pairs of ten minutes and of days included.
class SharedWalk {
 public:
  struct Plan {
    SharedCounterOptions options;
    std::string folder;  ///< of the journals
    std::uint64_t seed = 1;
    /// Clocks are also set back, by two hours at most. Then a daemon that starts again is behind
    /// the others, for which the oldest of its 24 hours are over.
    bool goes_back = false;
    unsigned disturb_one_of = 150;        ///< rounds, on average
    unsigned kill_one_of = 50;            ///< the same, of daemons
    unsigned outage_rounds = 60;          ///< mostly at most; sometimes ten times as many
    std::chrono::milliseconds outage{0};  ///< also at least a part of this
    std::uint64_t unsent_bytes_max = 150'000;
  };

  SharedWalk(Plan plan, WalkedServers& servers)
      : plan_(std::move(plan)), servers_(servers), random_(plan_.seed), windows_(windows()) {
    for (unsigned of = 0; of <= kDaemons; ++of) {
      for (unsigned i = 0; i < kHosts; ++i) keep(of, host(of, i));
      for (unsigned i = 0; i < kPairs; ++i) {
        const Pair one = pair(of, i);
        keep(of, one.key);
        keep(of, one.unique_key());
        uniques_.emplace(one.key, one.unique_key());
      }
    }
    for (unsigned d = 0; d < kDaemons; ++d)
      daemons_.emplace_back().process = process("journal" + std::to_string(d));
  }

  /// A step is a call of one daemon. Goes on until something went wrong so often.
  void go(std::uint64_t steps, std::uint64_t disturbances = 1) {
    while (!::testing::Test::HasFailure() && (steps_ < steps || disturbances_ < disturbances))
      round();
    if (!::testing::Test::HasFailure()) settle();
    std::cout << "seed " << plan_.seed << ": " << steps_ << " steps, " << kills_ << " starts, "
              << doubts_ << " killed calls of which " << counted_doubts_ << " count, "
              << disturbances_ << " disturbances, " << failed_forgets_ << " forgets failed, "
              << known_ << " of " << answers_ << " answers known\n";
  }

 private:
  static constexpr unsigned kDaemons = 3;  ///< as an owner: all of them
  static constexpr unsigned kHosts = 24;
  static constexpr unsigned kSenders = 4;
  static constexpr unsigned kPairs = 8 * kSenders;
  static constexpr std::size_t kKeysPerRequest = 50;
  static constexpr std::chrono::seconds kPatience{120};
  static constexpr std::chrono::seconds kMovePause{30};

  struct Doubt {
    Addition addition;
    CounterKey marker;  ///< one of its counters, and of no other addition
    Slot slot = 0;
  };
  struct Daemon {
    std::unique_ptr<CountingProcess> process;
    std::optional<Doubt> doubt;  ///< of a killed call
    Slot slot = 0;               ///< the last known of this process; 0 = none
    Request request;             ///< under way
  };

  [[nodiscard]] std::vector<Window> windows() const {
    const unsigned back = plan_.goes_back ? 1 : 0;
    return {{Period::Unit::kSlot, 1, 0},
            {Period::Unit::kSlot, 6, 0},
            {Period::Unit::kSlot, 144 - 13 * back, 0},
            {Period::Unit::kDay, 1, 0},
            {Period::Unit::kDay, 14 - back, 0},
            {Period::Unit::kDay, 13 - back, 1}};
  }
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
  std::unique_ptr<CountingProcess> process(const std::string& journal) {
    SharedCounterOptions options = plan_.options;
    options.journal_directory = plan_.folder + "/" + journal;
    return std::make_unique<CountingProcess>(options, windows_);
  }

  static CounterKey host(unsigned of, unsigned number) {
    return key_of("host" + std::to_string(of) + "/" + std::to_string(number),
                  number % 2 == 0 ? PieceType::kLinkHost : PieceType::kFrom);
  }
  static Pair pair(unsigned of, unsigned number) {
    return pair_of("from" + std::to_string(of) + "/" + std::to_string(number % kSenders),
                   "to" + std::to_string(number));
  }
  void keep(unsigned of, const CounterKey& key) {
    if (owners_.emplace(key, of).second) worlds_[of].push_back(key);
  }
  Addition addition(unsigned d) {
    Addition out;
    for (unsigned i = below(4); i > 0; --i) out.counters.push_back(host(d, below(kHosts)));
    for (unsigned i = below(3); i > 0; --i) out.counters.push_back(host(kDaemons, below(kHosts)));
    for (unsigned i = below(3); i > 0; --i) out.pairs.push_back(pair(d, below(kPairs)));
    for (unsigned i = below(2); i > 0; --i) out.pairs.push_back(pair(kDaemons, below(kPairs)));
    out.amounts = message(below(5000));
    if (below(4) == 0) out.amounts.of(Measure::kSpam) = 1;
    if (below(8) == 0) out.amounts = Amounts{{0, 0, 0, 0, 0, 1}};  // a complaint
    return out;
  }

  void round() {
    const bool kills = below(plan_.kill_one_of) == 0;
    const unsigned killed = kills ? below(kDaemons) : kDaemons;
    if (!kills && (below(100) == 0 || real_.now() > move_due_)) move_clock();
    bool forgets = false;
    for (unsigned d = 0; d < kDaemons; ++d) {
      Daemon& daemon = daemons_[d];
      daemon.request = d == killed ? doubtful_request(d) : next_request(d);
      forgets = forgets || daemon.request.kind == Request::Kind::kForget;
      daemon.process->send(daemon.request);
    }
    spin(std::chrono::microseconds(kills ? below(3000) : below(10) == 0 ? below(300) : 0));
    if (outage_ == 0 && !forgets && below(plan_.disturb_one_of) == 0) begin_outage();
    if (kills) daemons_[killed].process->kill9();
    take_replies(killed);
    if (kills) start(killed);
    steps_ += kDaemons;
    if (outage_ > 1) --outage_;
    if (outage_ == 1 && real_.now() >= outage_end_) end_outage();
    if (below(300) == 0 || unsent_bytes_ > plan_.unsent_bytes_max) settle();
    if (below(500) == 0) {
      const unsigned d = below(kDaemons);
      daemons_[d].process->end();
      start(d);
    }
  }
  /// Any moment of the calls that are under way.
  void spin(std::chrono::microseconds time) const {
    const TimePoint end = real_.now() + time;
    while (real_.now() < end) continue;
  }
  void start(unsigned d) {
    ++kills_;
    daemons_[d].slot = 0;
    daemons_[d].process->start();
  }
  void begin_outage() {
    ++disturbances_;
    outage_ = 2 + below(plan_.outage_rounds * (below(8) == 0 ? 10 : 1));
    outage_end_ = real_.now() + plan_.outage * below(100) / 100;
    servers_.disturb(below(1'000'000));
  }
  void end_outage() {
    servers_.settle();
    outage_ = 0;
  }
  void move_clock() {
    move_due_ = real_.now() + kMovePause;
    if (plan_.goes_back && below(4) == 0) {
      moved_ = top_ - kSlot * below(12);
      return;
    }
    top_ += kSlot * (1 + (below(10) == 0 ? below(200) : below(3)));
    if (below(300) == 0) top_ += kSlot * counters::kSlotsPerDay * 3;  // it is doubted for a day
    moved_ = top_;
  }

  Request next_request(unsigned d) {
    Request request;
    request.moved = moved_;
    if (outage_ > 0) request.patience = std::chrono::milliseconds(20);
    const unsigned dice = below(100);
    if (dice < 2 && daemons_[d].slot > 0 && !plan_.goes_back) {
      request.kind = Request::Kind::kLearn;
      for (unsigned i = below(6); i > 0; --i) {
        const Slot age = below(below(2) == 0 ? 10 : 12 * counters::kSlotsPerDay);
        request.past.push_back({daemons_[d].slot - age, addition(d)});
      }
    } else if (dice < 3 && outage_ == 0 && !daemons_[d].doubt) {
      request.kind = Request::Kind::kForget;
      for (unsigned i = 1 + below(3); i > 0; --i) request.keys.push_back(any_of(d));
      return request;
    } else if (dice < 12) {
      request.kind = Request::Kind::kDeliver;
    } else {
      request.past.push_back({0, addition(d)});
    }
    for (const counters::PastAddition& past : request.past) ask_for(past.addition, request);
    for (int i = 0; i < 3; ++i) request.keys.push_back(any_of(d));
    request.keys.push_back(any_of(kDaemons));
    return request;
  }
  /// Of a daemon that is killed meanwhile.
  Request doubtful_request(unsigned d) {
    Request request;
    request.moved = moved_;
    if (daemons_[d].doubt || daemons_[d].slot == 0) return request;
    request.past.push_back({daemons_[d].slot, addition(d)});
    request.past.front().addition.amounts = message();
    request.past.front().addition.counters.push_back(
        key_of("killed " + std::to_string(++markers_)));
    return request;
  }
  CounterKey any_of(unsigned of) {
    return worlds_[of][below(static_cast<unsigned>(worlds_[of].size()))];
  }
  void ask_for(const Addition& addition, Request& request) {
    request.keys.insert(request.keys.end(), addition.counters.begin(), addition.counters.end());
    for (const Pair& pair : addition.pairs) {
      request.keys.push_back(pair.key);
      request.keys.push_back(pair.unique_key());
    }
    if (outage_ > 0) unsent_bytes_ += 60 + 20 * (addition.counters.size() + addition.pairs.size());
  }

  void take_replies(unsigned killed) {
    std::array<std::optional<Reply>, kDaemons> replies;
    for (unsigned d = 0; d < kDaemons; ++d) {
      Daemon& daemon = daemons_[d];
      const Request& request = daemon.request;
      replies[d] = daemon.process->receive();
      if (!replies[d]) {
        ASSERT_EQ(d, killed) << "daemon " << d << " ended by itself";
        if (request.past.empty()) continue;
        daemon.doubt =
            Doubt{request.past.front().addition, request.past.front().addition.counters.back(),
                  request.past.front().slot};
        ++doubts_;
        continue;
      }
      daemon.slot = replies[d]->slot;
      note_done(request, *replies[d]);
    }
    for (unsigned d = 0; d < kDaemons; ++d)
      if (replies[d]) compare(d, daemons_[d].request.keys, *replies[d]);
  }
  void note_done(const Request& request, const Reply& reply) {
    using Kind = Request::Kind;
    if (request.kind == Kind::kDeliver) return;
    ASSERT_TRUE(reply.done || request.kind == Kind::kForget) << where();
    for (const counters::PastAddition& past : request.past)
      oracle_.add(past.addition, request.kind == Kind::kLearn ? past.slot : reply.slot);
    if (request.kind != Kind::kForget) return;
    for (const CounterKey& key : request.keys) {
      oracle_.forget(key);
      if (reply.done) continue;
      // It may still be done, at any time: nobody can say any more what is right.
      owners_.erase(key);
      if (const auto unique = uniques_.find(key); unique != uniques_.end())
        owners_.erase(unique->second);
      ++failed_forgets_;
    }
  }
  [[nodiscard]] std::string where() const {
    return "seed " + std::to_string(plan_.seed) + ", step " + std::to_string(steps_) + ", outage " +
           std::to_string(outage_);
  }
  void compare(unsigned d, const std::vector<CounterKey>& keys, const Reply& reply) {
    const bool any_doubt = std::ranges::any_of(
        daemons_, [](const Daemon& daemon) { return daemon.doubt.has_value(); });
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const auto owner = owners_.find(keys[k]);
      if (owner == owners_.end()) continue;
      ++answers_;
      known_ += reply.answers.known[k] ? 1U : 0U;
      if (!reply.answers.known[k]) continue;
      if (owner->second == d && !daemons_[d].doubt) expect_sums(d, keys[k], reply, k, Law::kExact);
      if (owner->second == kDaemons && !any_doubt) expect_sums(d, keys[k], reply, k, Law::kAtMost);
    }
  }
  enum class Law : std::uint8_t { kExact, kAtMost };
  void expect_sums(unsigned d, const CounterKey& key, const Reply& reply, std::size_t k, Law law) {
    for (std::size_t w = 0; w < windows_.size(); ++w) {
      Amounts got = reply.answers.of(k, w);
      if (is_unique(key.type)) got.of(counters::kNewOnDay) = 0;
      const Amounts wanted = oracle_.sum(key, windows_[w], reply.slot);
      if (law == Law::kExact) {
        ASSERT_EQ(got.counts, wanted.counts)
            << where() << ", daemon " << d << ", " << to_string(key.type) << ", window " << w;
      } else {
        for (std::size_t m = 0; m < counters::kMeasures; ++m)
          ASSERT_LE(got.counts[m], wanted.counts[m])
              << where() << ", daemon " << d << ", " << to_string(key.type) << ", window " << w;
      }
    }
  }

  /// All daemons deliver; then all is known.
  void settle() {
    end_outage();
    for (unsigned d = 0; d < kDaemons; ++d) {
      Request deliver;
      deliver.kind = Request::Kind::kDeliver;
      deliver.moved = moved_;
      until_done(*daemons_[d].process, deliver);
    }
    for (Daemon& daemon : daemons_)
      if (daemon.doubt && !::testing::Test::HasFailure()) resolve(daemon);
    const bool is_cached = plan_.options.cache.count() > 0;
    const auto reader = is_cached ? process("reader") : nullptr;
    for (unsigned d = 0; d < kDaemons && !::testing::Test::HasFailure(); ++d) {
      expect_all(d, d, *daemons_[d].process);
      expect_all(d, kDaemons, is_cached ? *reader : *daemons_[d].process);
    }
    unsent_bytes_ = 0;
    oracle_.drop_before(static_cast<counters::Day>(MovedClock::kBegin + top_.count()) / 86'400 -
                        20);
  }
  Reply until_done(const CountingProcess& process, const Request& request) {
    const TimePoint end = real_.now() + kPatience;
    for (;;) {
      process.send(request);
      const auto reply = process.receive();
      EXPECT_TRUE(reply) << where();
      if (!reply) return {};
      const bool knows =
          std::ranges::all_of(reply->answers.known, [](bool known) { return known; });
      if (reply->done && knows) return *reply;
      if (real_.now() > end) {
        ADD_FAILURE() << where() << ": not done, or not known";
        return *reply;
      }
    }
  }
  void resolve(Daemon& daemon) {
    const Doubt doubt = *std::exchange(daemon.doubt, std::nullopt);
    Request question;
    question.moved = moved_;
    question.keys = {doubt.marker};
    const Reply reply = until_done(*daemon.process, question);
    daemon.slot = reply.slot;
    const Amounts got = reply.answers.of(0, 4);
    if (got.is_zero()) return;
    ASSERT_EQ(got.counts, doubt.addition.amounts.counts) << where();
    ++counted_doubts_;
    oracle_.add(doubt.addition, doubt.slot);
  }
  void expect_all(unsigned d, unsigned of, const CountingProcess& process) {
    const auto& world = worlds_[of];
    for (std::size_t first = 0; first < world.size(); first += kKeysPerRequest) {
      Request question;
      question.moved = moved_;
      const std::size_t end = std::min(first + kKeysPerRequest, world.size());
      for (std::size_t k = first; k < end; ++k)
        if (owners_.contains(world[k])) question.keys.push_back(world[k]);
      const Reply reply = until_done(process, question);
      for (std::size_t k = 0; k < question.keys.size() && !::testing::Test::HasFailure(); ++k)
        expect_sums(d, question.keys[k], reply, k, Law::kExact);
    }
  }

  static constexpr std::chrono::seconds kSlot{600};

  const Plan plan_;
  WalkedServers& servers_;
  SystemClock real_;
  std::mt19937_64 random_;
  const std::vector<Window> windows_;
  std::map<CounterKey, unsigned> owners_;
  std::map<CounterKey, CounterKey> uniques_;                  ///< of pairs
  std::array<std::vector<CounterKey>, kDaemons + 1> worlds_;  ///< by owner
  std::vector<Daemon> daemons_;
  CounterOracle oracle_;
  std::chrono::seconds moved_{0};
  std::chrono::seconds top_{0};  ///< the largest `moved_`
  TimePoint move_due_ = real_.now() + kMovePause;
  unsigned outage_ = 0;  ///< rounds that are left, and one
  TimePoint outage_end_{};
  std::uint64_t unsent_bytes_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t kills_ = 0;
  std::uint64_t doubts_ = 0;
  std::uint64_t counted_doubts_ = 0;
  std::uint64_t markers_ = 0;
  std::uint64_t disturbances_ = 0;
  std::uint64_t failed_forgets_ = 0;
  std::uint64_t known_ = 0;
  std::uint64_t answers_ = 0;
};

}  // namespace shingled::storage::redis
