// Covers storage/redis/counters/shared_counters.cpp, storage/redis/counters/shared_layout.cpp,
// storage/redis/counters/counter_sender.cpp, storage/redis/counters/generation.cpp,
// storage/redis/counters/read_cache.cpp, storage/redis/counters/script_texts.cpp,
// storage/redis/counters/scripted_route.cpp, storage/redis/counters/shared_layout.cpp,
// storage/redis/counters/shared_scan.cpp and storage/redis/counters/waiting_counters.cpp, with a
// real Redis.
#include "storage/redis/counters/shared_counters.h"

#include <gmock/gmock.h>

#include <random>
#include <thread>

#include "config/metrics/metric_report.h"
#include "storage/redis/counters/shared_layout.h"
#include "storage/redis/route/slot_map.h"
#include "tests/storage/redis/counters/shared_fixture.h"

namespace shingled::storage::redis {
namespace {

using std::chrono::minutes;
using ::testing::IsEmpty;

TEST_F(SharedCountersTest, ReadsItsOwnAtOnceAndThoseOfOthersWhenTheyWereSent) {
  const Store a = open(0);
  const Store b = open(1);
  const CounterKey host = key_of("example.org");
  for (int i = 0; i < 3; ++i) add(*a, {{host}, {}, message()});
  EXPECT_EQ(mass(*a, host), 3U);
  EXPECT_EQ(mass(*b, host), 0U);
  deliver(*a);
  EXPECT_EQ(mass(*a, host), 3U) << "not once more";
  EXPECT_EQ(mass(*b, host), 3U);
  EXPECT_EQ(logs(), 0U) << "Redis has it";
  expect_oracle(*b);
}

TEST_F(SharedCountersTest, OneDaemonIsExactWithoutWaitingForAnything) {
  const Store store = open();
  RandomCalls calls(1);
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 5; ++i) add(*store, calls.next());
    if (calls.below(3) == 0) deliver(*store);
    if (calls.below(2) == 0) pass(minutes(calls.below(200)), {&store, 1});
    expect_oracle(*store);
  }
  EXPECT_THAT(logger_.events(), IsEmpty());
}

TEST_F(SharedCountersTest, ManyDaysAndDaemonsAgreeWithBruteForce) {
  const std::vector<int> numbers = {0, 1, 2};
  std::vector<Store> stores;
  for (const int number : numbers) stores.push_back(open(number));
  RandomCalls calls(2);
  for (int day = 0; day < 20; ++day) {
    for (int step = 0; step < 20; ++step) {
      add(*stores[calls.below(3)], calls.next());
      if (calls.below(2) == 0) pass(minutes(calls.below(150)), stores);
    }
    for (const Store& store : stores) deliver(*store);
    expect_oracle(*stores[0]);
  }
  for (const std::string& key : redis_.keys()) {
    EXPECT_GT(redis_.ask({"TTL", key}).integer, 15 * 86'400) << key;
    EXPECT_LE(redis_.ask({"TTL", key}).integer, 16 * 86'400) << key;
  }
}

// Buckets are swept at the first write of a day.
TEST_F(SharedCountersTest, RemovesWhatIsOver) {
  const Store store = open();
  const CounterKey host = key_of("example.org");
  const counters::Day first_day = counters::day_of(store->present_slot());
  const CounterKey neighbour{host.shingle ^ (1ULL << 40U), PieceType::kLinkHost, Direction::kIn};
  add(*store, {{host, neighbour}, {}, message()});
  deliver(*store);
  const std::string bucket = bucket_name("counters", bucket_of(host));
  EXPECT_EQ(redis_.ask({"HLEN", bucket}).integer, 3);
  std::string field;
  append_field(neighbour, field);
  for (int day = 1; day <= 16; ++day) {
    pass(std::chrono::hours(24), {&store, 1});
    for (int i = 0; i < 150; ++i) {
      add(*store, {{host}, {}, message()});
      if (i % 10 == 0) deliver(*store);
      clock_.move(std::chrono::seconds(day == 10 ? 600 : 1));
    }
    deliver(*store);
    const bool is_over = counters::day_of(store->present_slot()) >= first_day + counters::kDaysKept;
    EXPECT_EQ(redis_.ask({"HEXISTS", bucket, field}).integer, is_over ? 0 : 1) << day;
    expect_oracle(*store);
  }
  field.clear();
  append_field(host, field);
  EXPECT_LE(redis_.ask({"HSTRLEN", bucket, field}).integer, 30 * 16);
}

TEST_F(SharedCountersTest, SweepsOfACallAreFew) {
  const Store store = open();
  std::vector<CounterKey> keys;
  for (std::uint64_t i = 0; i < 700; ++i)
    for (std::uint64_t bucket = 0; bucket < 3; ++bucket)
      keys.push_back({i << 20U | bucket, PieceType::kLinkHost, Direction::kIn});
  add(*store, {keys, {}, message()});
  deliver(*store);
  for (int day = 0; day < 20; ++day) {
    pass(std::chrono::hours(24), {&store, 1});
  }
  for (int call = 0; call < 3; ++call) {
    std::size_t left = 0;
    for (Bucket bucket = 0; bucket < 3; ++bucket)
      left += static_cast<std::size_t>(
          redis_.ask({"HLEN", bucket_name("counters", bucket)}).integer > 2);
    EXPECT_EQ(left, 3U - static_cast<std::size_t>(call));
    add(*store, {{keys.begin(), keys.begin() + 3}, {}, message()});
    deliver(*store);
  }
  expect_oracle(*store);
}

TEST_F(SharedCountersTest, CountsAPairOnceWhenTwoDaemonsBringItAtOnce) {
  const Store a = open(0);
  const Store b = open(1);
  constexpr int kPairs = 300;
  const auto run = [&](SharedCounters& store) {
    for (int i = 0; i < kPairs; ++i)
      ASSERT_TRUE(store.add({{}, {pair_of("s", "r" + std::to_string(i))}, message()}, soon()));
  };
  {
    const std::jthread one([&] { run(*a); });
    const std::jthread other([&] { run(*b); });
    const std::jthread again([&] { run(*a); });
  }
  const CounterKey unique = pair_of("s", "").unique_key();
  EXPECT_EQ(mass(*a, unique), kPairs);
  EXPECT_EQ(mass(*b, pair_of("s", "r7").key), 3U);
  clock_.move(minutes(10));
  ASSERT_TRUE(a->add({{}, {pair_of("s", "r7")}, message()}, soon()));
  EXPECT_EQ(sum(*b, unique, {Period::Unit::kSlot, 1, 0}).of(Measure::kMass), 1U);
  EXPECT_EQ(mass(*b, unique), kPairs) << "not new on the day, unless midnight passed";
}

TEST_F(SharedCountersTest, StaysAtTheLargestNumber) {
  const Store store = open();
  const CounterKey host = key_of("example.org");
  Amounts huge;
  huge.of(Measure::kMass) = counters::kCountMax - 1;
  for (int i = 0; i < 3; ++i) {
    add(*store, {{host}, {pair_of("a", "b")}, huge});
    deliver(*store);
  }
  EXPECT_EQ(mass(*store, host), counters::kCountMax);
  EXPECT_EQ(mass(*store, pair_of("a", "b").key), counters::kCountMax);
  EXPECT_EQ(mass(*store, pair_of("a", "b").unique_key()), 1U);
}

TEST_F(SharedCountersTest, SurvivesWhatOthersWroteIntoItsKeys) {
  const Store store = open();
  const std::vector<CounterKey> keys = {key_of("a"), key_of("b"), key_of("c"),
                                        pair_of("x", "y").key, pair_of("x", "y").unique_key()};
  add(*store, {{keys[0], keys[1], keys[2]}, {pair_of("x", "y")}, message()});
  deliver(*store);
  const auto bucket = [](const CounterKey& key) { return bucket_name("counters", bucket_of(key)); };
  redis_.ask({"DEL", bucket(keys[0])});
  redis_.ask({"SET", bucket(keys[0]), "a text"});
  const std::string record = [&] {
    std::string out;
    append_record({{Period::Unit::kSlot, store->present_slot()}, message()}, out);
    return out;
  }();
  const std::vector<std::string> values = {"x",
                                           "",
                                           record.substr(0, 5),
                                           record.substr(0, record.size() - 1),
                                           record + record,
                                           std::string(6, '\xff'),
                                           std::string(300, '\xff'),
                                           std::string(300, '\0')};
  for (const std::string& value : values) {
    for (std::size_t k = 1; k < keys.size(); ++k) {
      std::string field;
      append_field(keys[k], field);
      redis_.ask({"HSET", bucket(keys[k]), field, value, "s", value, "zz", value, "", value});
    }
    const CounterAnswers answers = store->ask(keys, kWindows, soon());
    EXPECT_FALSE(answers.known[0]);
    EXPECT_TRUE(answers.known[1]);
    ASSERT_TRUE(store->add({{keys[0], keys[1]}, {pair_of("x", "y")}, message()}, soon()));
    ASSERT_TRUE(store->add({{keys[2]}, {}, message()}, soon()));
    deliver(*store);
    pass(std::chrono::hours(24), {&store, 1});
  }
  EXPECT_LE(mass(*store, keys[1]), 10U);
  EXPECT_FALSE(store->series(keys[0], soon()));
  const auto cursor = store->scan();
  ASSERT_TRUE(cursor);
  auto next = (*cursor)->next();
  while (next && *next != nullptr) next = (*cursor)->next();
  EXPECT_TRUE(next);
}

TEST_F(SharedCountersTest, ScansWhatWasCountedAndImportsItElsewhere) {
  const Store a = open(0);
  RandomCalls calls(3);
  for (int i = 0; i < 300; ++i) {
    add(*a, calls.next());
    if (i % 10 == 0) pass(minutes(100), {&a, 1});
  }
  auto cursor = a->scan();
  ASSERT_TRUE(cursor) << cursor.error().message;
  std::vector<counters::CounterSeries> all;
  for (;;) {
    const auto next = (*cursor)->next();
    ASSERT_TRUE(next) << next.error().message;
    if (*next == nullptr) break;
    EXPECT_EQ((*next)->entries, *a->series((*next)->key, soon()));
    all.push_back(**next);
  }
  EXPECT_GE(all.size(), oracle_.keys().size() - 3) << "some may be over";

  std::vector<CounterKey> keys = oracle_.keys();
  ASSERT_TRUE(a->forget(keys, soon()));
  EXPECT_EQ(mass(*a, keys[0]), 0U);
  auto none = a->scan();
  ASSERT_TRUE(none);
  EXPECT_EQ(*(*none)->next(), nullptr);
  ASSERT_TRUE(a->import(all, soon()));
  expect_oracle(*a);
  const Pair known = pair_of("from1", "to1");
  if (mass(*a, known.key) > 0) {
    for (int i = 0; i < 20; ++i) add(*a, calls.next());
    expect_oracle(*a);
  }
  all[0].entries[0].period = {Period::Unit::kSlot, a->present_slot() + 1};
  EXPECT_EQ(a->import(all, soon()).error().code, ErrorCode::kInvalid);
}

TEST_F(SharedCountersTest, LearnsWhatHappenedEarlier) {
  const Store store = open();
  RandomCalls calls(4);
  const Slot now = store->present_slot();
  std::vector<counters::PastAddition> past;
  for (Slot slot = now - 16 * 144; slot <= now; slot += 29) {
    past.push_back({slot, calls.next()});
    // What is over by ten minutes counts for its day alone, whose uniques are not in the oracle of
    // its slots.
    if (counters::day_of(slot) + counters::kDaysKept > counters::day_of(now))
      oracle_.add(past.back().addition, slot);
  }
  ASSERT_TRUE(store->learn(past, soon()));
  deliver(*store);
  expect_oracle(*store);
  past.push_back({now + 1, calls.next()});
  EXPECT_EQ(store->learn(past, soon()).error().code, ErrorCode::kInvalid);
}

TEST_F(SharedCountersTest, CachesWhatItReadButNotItsOwn) {
  options_.cache = std::chrono::minutes(1);
  const Store a = open(0);
  const Store b = open(1);
  const CounterKey host = key_of("example.org");
  const Pair pair = pair_of("a", "b");
  add(*a, {{host}, {pair}, message()});
  deliver(*a);
  EXPECT_EQ(mass(*a, host), 1U);
  EXPECT_EQ(mass(*b, host), 1U);
  EXPECT_EQ(mass(*b, pair.key), 1U);
  for (int i = 2; i < 5; ++i) {
    add(*b, {{host}, {pair}, message()});
    EXPECT_EQ(mass(*b, host), static_cast<std::uint64_t>(i));
    EXPECT_EQ(mass(*b, pair.key), static_cast<std::uint64_t>(i));
    deliver(*b);
    EXPECT_EQ(mass(*b, host), static_cast<std::uint64_t>(i));
  }
  EXPECT_EQ(mass(*a, host), 1U) << "still the old answer";
  MetricReport report;
  a->report(report);
  EXPECT_GE(report.total("shingled_counters_cached"), 1);
  for (int i = 0; i < 10; ++i) {
    add(*b, {{key_of("other")}, {}, message()});
    deliver(*b);
  }
  EXPECT_EQ(mass(*b, host), 4U) << "too much was sent since, so it was read again";
}

TEST_F(SharedCountersTest, RefusesWhatIsNotAPair) {
  const Store store = open();
  Pair pair = pair_of("a", "b");
  pair.unique ^= 1U;
  EXPECT_EQ(store->add({{}, {pair}, message()}, soon()).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(store->add({{pair.key}, {}, message()}, soon()).error().code, ErrorCode::kInvalid);
  Addition many{{}, {}, message()};
  many.counters.resize(counters::kAdditionKeysMax + 1, key_of("a"));
  EXPECT_EQ(store->add(many, soon()).error().code, ErrorCode::kInvalid);
}

TEST(SharedLayout, NamesAreReadBack) {
  const CounterKey key{0x5791'f8ca'c2b7'd8dd, PieceType::kFrom, Direction::kOut};
  const Bucket bucket = bucket_of(key);
  EXPECT_EQ(bucket, 0x18DD);
  const std::string name = bucket_name("a:b", bucket);
  EXPECT_EQ(key_slot(name), bucket);
  EXPECT_EQ(parse_bucket_name("a:b", name), bucket);
  for (const std::string& wrong : {std::string(), name + "s", "x" + name, name.substr(1),
                                   std::string("a:b:{}:bucket"), writer_name("a:b", bucket, 5)})
    EXPECT_EQ(parse_bucket_name("a:b", wrong), std::nullopt) << wrong;
  std::string field;
  append_field(key, field);
  EXPECT_EQ(field, "\x57\x91\xf8\xca\xc2\xb7\xd8\xdd\x1d");
  EXPECT_EQ(parse_field(bucket, field), key);
  EXPECT_EQ(parse_field(bucket ^ 1U, field), std::nullopt);
  EXPECT_EQ(parse_field(bucket, field + "x"), std::nullopt);
  EXPECT_EQ(parse_field(bucket, "s"), std::nullopt);
  field.back() = '\0';
  EXPECT_EQ(parse_field(bucket, field), std::nullopt) << "there is no type 0";
}

TEST(SharedLayout, RecordsAreReadBack) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<counters::Entry> entries;
    std::string value;
    for (std::uint32_t i = 0; i < random() % 5; ++i) {
      counters::Entry entry{{random() % 2 == 0 ? Period::Unit::kSlot : Period::Unit::kDay,
                             static_cast<std::uint32_t>(random() % 4'000'000)},
                            {}};
      for (std::uint64_t& count : entry.amounts.counts)
        if (random() % 2 == 0) count = random() >> (1 + random() % 63);
      append_record(entry, value);
      if (!entry.amounts.is_zero()) add_entry(entries, entry);
    }
    EXPECT_EQ(read_entries(value), entries);
    for (std::size_t end = 0; end < value.size(); ++end)
      EXPECT_LE(read_entries(value.substr(0, end)).size(), entries.size());
  }
  std::string value;
  append_record({{Period::Unit::kSlot, 2'831'519}, message(1000)}, value);
  const auto of = [](std::initializer_list<int> bytes) {
    return std::string(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(value, of({0x80, 0x2B, 0x34, 0x9F, 7, 2, 0, 1, 0, 2, 3, -24}));
}

}  // namespace
}  // namespace shingled::storage::redis
