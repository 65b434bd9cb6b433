// Compares the laws of bucket_store.h with an ideal bucket: a queue in whole nanoseconds that knows
// the drops of each message.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "storage/buckets/bucket_table.h"
#include "tests/storage/buckets/ideal_bucket.h"

namespace shingled::storage::buckets {
namespace {

using testing::IdealBucket;

constexpr TimePoint kStart{std::chrono::hours(1)};

struct Law {
  LeakRate rate{1, 1};
  int amounts_max = 1;
};

Law any_law() {
  const double per_second = std::pow(10, *rc::gen::inRange(-30, 30) / 10.0);
  const int burst = *rc::gen::inRange(1, 30);
  return {LeakRate(per_second, burst), *rc::gen::inRange(1, 4)};
}

Duration any_pause(const LeakRate& rate) {
  const int kind = *rc::gen::inRange(0, 4);
  if (kind == 0) return Duration::zero();
  const double units = kind == 3 ? 30 : 1;
  return std::chrono::duration_cast<Duration>(rate.time_of(1) *
                                              (units * *rc::gen::inRange(0, 1000) / 1000.0));
}

RC_GTEST_PROP(BucketLaw, PassesExactlyWhatTheIdealBucketPasses, ()) {
  const Law law = any_law();
  BucketTable table(64, {});
  IdealBucket ideal(law.rate.room(), kStart);
  TimePoint now = kStart;
  const int steps = *rc::gen::inRange(1, 200);
  for (int i = 0; i < steps; ++i) {
    now += any_pause(law.rate);
    const BucketDemand what{"x", law.rate,
                            static_cast<double>(*rc::gen::inRange(1, law.amounts_max + 1))};
    const bool passes = ideal.try_add(i, law.rate.time_of(what.amount), now);
    const BucketAnswer answer = table.take({&what, 1}, now);
    RC_ASSERT(answer.taken == passes);
    if (passes) continue;
    RC_ASSERT(answer.wait > Duration::zero());
    if (answer.wait == Duration::max()) continue;
    IdealBucket then = ideal;
    RC_ASSERT(!IdealBucket(ideal).try_add(i, law.rate.time_of(what.amount),
                                          now + answer.wait - Duration(1)));
    RC_ASSERT(then.try_add(i, law.rate.time_of(what.amount), now + answer.wait));
  }
}

// In each window of time at most burst + leak * t passes and is not given back, with any drops
// given back in any order.
RC_GTEST_PROP(BucketLaw, HoldsWhateverDropsAreGivenBack, ()) {
  const Law law = any_law();
  BucketTable table(64, {});
  TimePoint now = kStart;
  struct Taken {
    BucketDemand what;
    BucketAnswer answer;
    TimePoint when;
    bool given_back = false;
  };
  std::vector<Taken> all;
  const int steps = *rc::gen::inRange(1, 150);
  for (int i = 0; i < steps; ++i) {
    now += any_pause(law.rate);
    if (!all.empty() && *rc::gen::inRange(0, 3) == 0) {
      Taken& one =
          all[static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(all.size())))];
      if (!one.given_back) table.give_back({&one.what, 1}, one.answer, now);
      one.given_back = true;
      continue;
    }
    const BucketDemand what{"x", law.rate,
                            static_cast<double>(*rc::gen::inRange(1, law.amounts_max + 1))};
    const BucketAnswer answer = table.take({&what, 1}, now);
    if (answer.taken) all.push_back({what, answer, now});
  }
  // The maximum over all windows of (passed - time) is at most the room.
  Duration most{};
  Duration level{};
  TimePoint before = kStart;
  for (const Taken& one : all) {
    level = std::max(level - (one.when - before), Duration::zero());
    before = one.when;
    if (!one.given_back) level += law.rate.time_of(one.what.amount);
    most = std::max(most, level);
  }
  RC_ASSERT(most <= law.rate.room());
}

// If one message at a time is given back, with any other traffic before and after, the result is
// exactly that of the ideal queue.
RC_GTEST_PROP(BucketLaw, GivesBackDropsThatHaveNotLeaked, ()) {
  const Law law = any_law();
  BucketTable table(64, {});
  IdealBucket ideal(law.rate.room(), kStart);
  TimePoint now = kStart;
  int message = 0;
  const auto arrive = [&] {
    now += any_pause(law.rate);
    const BucketDemand what{"x", law.rate};
    (void)ideal.try_add(++message, law.rate.time_of(1), now);
    return table.take({&what, 1}, now);
  };
  const auto level = [&] {
    const auto state = table.show("x", now);
    return state ? state->empty_in : Duration::zero();
  };
  for (int round = *rc::gen::inRange(1, 5); round > 0; --round) {
    for (int i = *rc::gen::inRange(0, 30); i > 0; --i) (void)arrive();
    const BucketAnswer answer = arrive();
    const int it = message;
    for (int i = *rc::gen::inRange(0, 10); i > 0; --i) (void)arrive();
    now += any_pause(law.rate);
    const BucketDemand what{"x", law.rate};
    table.give_back({&what, 1}, answer, now);
    ideal.give_back(it, now);
    RC_ASSERT(level() == ideal.level(now));
  }
}

// If any number of messages are under way and given back in any order, the bucket never holds less
// than the ideal queue. It holds at most as much more as leaked meanwhile; nothing if no time
// passed.
RC_GTEST_PROP(BucketLaw, ErrsAtMostByTheDropsThatLeakedMeanwhile, ()) {
  const Law law = any_law();
  BucketTable table(64, {});
  IdealBucket ideal(law.rate.room(), kStart);
  const bool at_once = *rc::gen::arbitrary<bool>();
  TimePoint now = kStart;
  const BucketDemand what{"x", law.rate};
  std::vector<std::pair<int, BucketAnswer>> under_way;
  for (int i = *rc::gen::inRange(1, 30); i > 0; --i) {
    if (!at_once) now += any_pause(law.rate) / 20;
    const bool passes = ideal.try_add(i, law.rate.time_of(1), now);
    const BucketAnswer answer = table.take({&what, 1}, now);
    RC_ASSERT(answer.taken == passes);
    if (passes) under_way.emplace_back(i, answer);
  }
  Duration may_differ{};
  while (!under_way.empty()) {
    if (!at_once) now += any_pause(law.rate) / 20;
    const auto which = under_way.begin() + *rc::gen::inRange(0, static_cast<int>(under_way.size()));
    table.give_back({&what, 1}, which->second, now);
    ideal.give_back(which->first, now);
    may_differ += now - TimePoint(Duration(which->second.at));
    under_way.erase(which);
    const auto state = table.show("x", now);
    const Duration level = state ? state->empty_in : Duration::zero();
    RC_ASSERT(level >= ideal.level(now));
    RC_ASSERT(level - ideal.level(now) <= may_differ);
  }
}

}  // namespace
}  // namespace shingled::storage::buckets
