#include "storage/redis/counters/shared_counters.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "config/base/number_text.h"
#include "config/metrics/metric_report.h"
#include "storage/redis/counters/script_texts.h"
#include "storage/redis/counters/shared_layout.h"
#include "storage/redis/counters/shared_scan.h"
#include "storage/redis/route/open_route.h"
#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {

using counters::Addition;
using counters::CounterAnswers;
using counters::CounterKey;
using counters::CounterSeries;
using counters::Entry;
using counters::PastAddition;
using counters::Period;

namespace {

constexpr int kReadAttempts = 2;

}  // namespace

Result<std::unique_ptr<SharedCounters>> SharedCounters::open(const SharedCounterOptions& options,
                                                             Clock& clock, Random& random,
                                                             Logger& logger,
                                                             std::optional<std::uint64_t> mark) {
  std::optional<sqlite::FileLock> lock;
  std::unique_ptr<FileSystem> files;
  if (options.journal_max > 0) {
    std::error_code failure;  // shows when the lock is taken
    std::filesystem::create_directories(options.journal_directory, failure);
    auto taken = sqlite::FileLock::take(options.journal_directory + "/waiting");
    if (!taken) return taken.error();
    lock.emplace(*std::move(taken));
    files = folder_files(options.journal_directory);
  }
  auto opened = std::unique_ptr<SharedCounters>(
      new SharedCounters(options, std::move(lock), std::move(files), clock, logger, mark));
  if (Status begun = opened->begin(random); !begun) return begun.error();
  return opened;
}

Result<std::unique_ptr<SharedCounters>> SharedCounters::open(const SharedCounterOptions& options,
                                                             std::unique_ptr<FileSystem> files,
                                                             Clock& clock, Random& random,
                                                             Logger& logger,
                                                             std::optional<std::uint64_t> mark) {
  auto opened = std::unique_ptr<SharedCounters>(
      new SharedCounters(options, std::nullopt, std::move(files), clock, logger, mark));
  if (Status begun = opened->begin(random); !begun) return begun.error();
  return opened;
}

SharedCounters::SharedCounters(const SharedCounterOptions& options,
                               std::optional<sqlite::FileLock> lock,
                               std::unique_ptr<FileSystem> files, Clock& clock, Logger& logger,
                               std::optional<std::uint64_t> mark)
    : options_(options),
      lock_(std::move(lock)),
      files_(std::move(files)),
      clock_(clock),
      logger_(logger),
      time_(std::in_place, counters::Timekeeper::State{}),
      route_(options.redis,
             options.journal_max > 0 ? "counters wait in the journal"
                                     : "counters are refused, as there is no journal",
             clock, logger, mark),
      cache_(options.cache, kCacheCountersMax) {}

Status SharedCounters::begin(Random& random) {
  auto waiting = WaitingCounters::open(
      files_.get(), {options_.journal_max, [this](const CounterKey& key) { return slot_of(key); }},
      random, logger_);
  if (!waiting) return waiting.error();
  waiting_ = *std::move(waiting);
  sender_ = std::make_unique<CounterSender>(
      options_, route_, *waiting_, [this] { return expiry_slot(); },
      [this](const WaitingCounters::Batch& batch) { forget_read(batch); }, clock_, logger_);
  // What a process before left is not added to what is read, so it does not wait for `flush`.
  if (waiting_->is_sending()) sender_->wake();
  return {};
}

SharedCounters::~SharedCounters() {
  if (sender_ == nullptr || route_.is_away()) return;
  // What is not sent now is sent after the next start.
  static_cast<void>(sender_->deliver(clock_.now() + options_.redis.timeout));
}

std::uint16_t SharedCounters::slot_of(const CounterKey& key) const {
  return route_.splits_keys() ? bucket_of(key) : 0;
}

counters::Slot SharedCounters::present_slot() {
  const WallTime wall = clock_.wall();
  const TimePoint steady = clock_.now();
  return counters::slot_of(time_.lock()->now(wall, steady));
}

/// The slot by which things are too old; 0 while the clock is in doubt.
counters::Slot SharedCounters::expiry_slot() {
  const counters::Slot present = present_slot();
  return time_.lock()->may_expire() ? present : 0;
}

Status SharedCounters::check(const Addition& addition) const {
  if (addition.counters.size() + addition.pairs.size() > counters::kAdditionKeysMax)
    return Error{ErrorCode::kInvalid, "too many counters in one call"};
  for (const std::uint64_t count : addition.amounts.counts)
    if (count > counters::kCountMax) return Error{ErrorCode::kInvalid, "a count is too large"};
  for (const CounterKey& key : addition.counters)
    if (is_pair(key.type) || is_unique(key.type))
      return Error{ErrorCode::kInvalid, "a pair needs both pieces"};
  for (const counters::Pair& pair : addition.pairs) {
    if (!is_pair(pair.key.type)) return Error{ErrorCode::kInvalid, "not a type of pairs"};
    if (!is_together(pair))
      return Error{ErrorCode::kInvalid,
                   "the shingle of a pair must end with the last four digits of its unique"};
  }
  if (Status right = route_.key_status(); !right) return right;
  if (options_.journal_max == 0 && route_.is_away())
    return Error{ErrorCode::kUnavailable, "Redis is away and there is no journal"};
  return {};
}

Status SharedCounters::add(const Addition& addition, TimePoint deadline) {
  if (addition.amounts.is_zero() || (addition.counters.empty() && addition.pairs.empty()))
    return {};
  Status checked = check(addition);
  if (checked) {
    const auto ticket = waiting_->add({present_slot(), addition});
    if (ticket) {
      calls_.add();
      if (waiting_->is_large()) sender_->wake();
      if (*ticket == nullptr) return {};
      if (route_.is_away()) {
        waiting_->leave(*ticket);
        return {};
      }
      sender_->wake();
      waiting_->wait(*ticket, route_.until(deadline));
      return {};
    }
    checked = ticket.error();
  }
  refused_.add();
  return checked;
}

Status SharedCounters::settle(TimePoint deadline) {
  if (options_.journal_max > 0 || waiting_->is_empty()) return {};
  Status sent = deliver(deadline);
  if (!sent) return Error{sent.error().code, "Redis is away: not all was added"};
  return sent;
}

CounterAnswers SharedCounters::ask(std::span<const CounterKey> keys,
                                   std::span<const counters::Window> windows, TimePoint deadline) {
  CounterAnswers answers;
  answers.windows = windows.size();
  answers.sums.resize(keys.size() * windows.size());
  answers.known.resize(keys.size());
  const auto entries = read(keys, deadline);
  const counters::Slot now = present_slot();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    answers.known[k] = entries[k].has_value();
    if (!entries[k]) continue;
    counters::WindowSums sums(windows, now,
                              std::span(answers.sums).subspan(k * windows.size(), windows.size()));
    for (const Entry& entry : *entries[k]) sums.add(keys[k].type, entry.period, entry.amounts);
  }
  return answers;
}

Result<std::vector<Entry>> SharedCounters::series(const CounterKey& key, TimePoint deadline) {
  auto entries = read({&key, 1}, deadline);
  if (Status right = route_.key_status(); !right) return right.error();
  if (!entries.front()) return Error{ErrorCode::kUnavailable, "Redis is away"};
  std::vector<Entry> kept;
  const counters::Slot now = present_slot();
  for (const Entry& entry : *entries.front())
    if (const auto as_kept = kept_entry(key.type, entry, now)) add_entry(kept, *as_kept);
  return kept;
}

std::vector<std::optional<SharedCounters::Entries>> SharedCounters::read(
    std::span<const CounterKey> keys, TimePoint deadline) {
  std::vector<std::optional<Entries>> out(keys.size());
  std::vector<std::size_t> wanted;
  // Unlike other counters, pairs that wait cannot be added: only Redis knows which are new.
  const bool owes_pairs = waiting_->owes_pairs();
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (!owes_pairs || !comes_with_pairs(keys[k].type)) wanted.push_back(k);
  const auto take = [&](std::size_t k, ReadCounter& read) {
    const Unsent unsent = waiting_->add_unsent(keys[k], read.applied, read.finished, read.entries);
    if (unsent == Unsent::kAdded) out[k] = std::move(read.entries);
    return unsent != Unsent::kReadAgain;
  };
  std::erase_if(wanted, [&](std::size_t k) {
    auto cached = cache_.find(keys[k], clock_.now());
    if (!cached || !take(k, *cached)) return false;
    cached_.add();
    return true;
  });
  // If much was sent while Redis was asked, what it said is too old.
  for (int attempt = 0; attempt < kReadAttempts && !wanted.empty(); ++attempt) {
    std::vector<CounterKey> missing;
    missing.reserve(wanted.size());
    for (const std::size_t k : wanted) missing.push_back(keys[k]);
    auto read = fetch(missing, deadline);
    std::size_t at = 0;
    std::vector<std::size_t> stale;
    for (const std::size_t k : wanted) {
      auto& counter = read[at++];
      if (counter && !take(k, *counter)) stale.push_back(k);
    }
    wanted = std::move(stale);
  }
  for (const auto& entries : out)
    if (!entries) unknown_.add();
  return out;
}

std::vector<std::optional<ReadCounter>> SharedCounters::fetch(std::span<const CounterKey> keys,
                                                              TimePoint deadline) {
  std::vector<std::optional<ReadCounter>> out(keys.size());
  std::map<std::uint16_t, std::vector<std::size_t>> by_slot;
  for (std::size_t k = 0; k < keys.size(); ++k) by_slot[slot_of(keys[k])].push_back(k);
  struct Call {
    std::uint16_t slot;
    std::span<const std::size_t> numbers;
  };
  std::vector<Call> calls;
  for (const auto& [slot, numbers] : by_slot) {
    for (std::size_t first = 0; first < numbers.size(); first += kReadKeysMax)
      calls.push_back({slot, std::span(numbers).subspan(
                                 first, std::min(kReadKeysMax, numbers.size() - first))});
  }
  const std::uint64_t finished = waiting_->finished();
  const std::uint64_t forgotten = cache_.forgotten();
  const TimePoint begun = clock_.now();
  const auto replies = route_.run(
      [&](CommandList& commands, std::span<const std::string> names) {
        for (const Call& call : calls) {
          std::vector<CounterKey> some;
          for (const std::size_t k : call.numbers) some.push_back(keys[k]);
          append_read(commands, names[static_cast<std::size_t>(Script::kRead)],
                      {options_.redis.prefix, call.slot, waiting_->writer()}, some);
        }
      },
      deadline);
  if (!replies || replies->size() != calls.size()) return out;
  for (std::size_t c = 0; c < calls.size(); ++c) {
    const auto& parts = (*replies)[c].elements;
    if (parts.size() != calls[c].numbers.size() + 1) continue;
    const auto applied = parts[0].text.empty() ? std::optional<std::uint64_t>(0)
                                               : parse_whole<std::uint64_t>(parts[0].text);
    if (!applied) continue;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const std::size_t k = calls[c].numbers[i];
      const RedisReply& value = parts[i + 1];
      if (!value.is_text() && value.kind != RedisReply::Kind::kNil) continue;
      out[k] = ReadCounter{*applied, finished, read_entries(value.text)};
      cache_.put(keys[k], *out[k], begun, forgotten);
    }
  }
  return out;
}

/// What is not added to what is read: pairs, and calls of a process before. So what was read before
/// they were sent is too old.
void SharedCounters::forget_read(const WaitingCounters::Batch& batch) {
  std::vector<CounterKey> keys;
  for (const PairDelta* delta : batch.pairs) {
    keys.push_back(delta->pair.key);
    keys.push_back(delta->pair.unique_key());
  }
  for (const Generation::Call* call : batch.calls) {
    for (std::size_t i = call->begin; i < call->end; ++i)
      keys.push_back(batch.generation->deltas()[i].key);
  }
  cache_.forget(keys);
}

Status SharedCounters::verify(const std::stop_token& /*stop*/) {
  // The first exchange compares the marks. That Redis is away says nothing about them.
  const std::string name = mark_name(options_.redis.prefix);
  static_cast<void>(route_.run(
      [&](CommandList& commands, std::span<const std::string>) {
        commands.add({"EXISTS", name}, key_slot(name));
      },
      clock_.now() + options_.redis.timeout));
  return route_.key_status();
}

Result<std::unique_ptr<counters::CounterCursor>> SharedCounters::scan() {
  // Redis alone would lack what waits here.
  if (Status right = verify({}); !right) return right.error();
  if (Status sent = deliver(clock_.now() + options_.redis.timeout); !sent) return sent.error();
  return open_scan(options_.redis, clock_, [this] { return present_slot(); });
}

Status SharedCounters::import(std::span<const CounterSeries> counters, TimePoint deadline) {
  if (Status right = verify({}); !right) return right;
  const counters::Slot now = present_slot();
  std::vector<WaitingItem> items;
  for (const CounterSeries& series : counters) {
    CounterSeries kept{series.key, {}};
    for (const Entry& entry : series.entries) {
      const bool is_slot = entry.period.unit == Period::Unit::kSlot;
      if (entry.period.number > (is_slot ? now : counters::day_of(now)))
        return Error{ErrorCode::kInvalid, "a period is in the future"};
      for (const std::uint64_t count : entry.amounts.counts)
        if (count > counters::kCountMax) return Error{ErrorCode::kInvalid, "a count is too large"};
      if (const auto as_kept = kept_entry(series.key.type, entry, now))
        add_entry(kept.entries, *as_kept);
    }
    if (!kept.entries.empty()) items.emplace_back(std::move(kept));
  }
  if (options_.journal_max == 0 && route_.is_away())
    return Error{ErrorCode::kUnavailable, "Redis is away and there is no journal"};
  if (items.empty()) return {};
  return add_and_deliver(items, deadline);
}

Status SharedCounters::add_and_deliver(std::span<const WaitingItem> items, TimePoint deadline) {
  const auto ticket = waiting_->add(items);
  if (!ticket) return ticket.error();
  Status sent;
  if (!route_.is_away()) sent = deliver(route_.until(deadline));
  waiting_->leave(*ticket);
  // What is in the journal is not lost.
  return options_.journal_max == 0 ? sent : Status();
}

Status SharedCounters::learn(std::span<const PastAddition> additions, TimePoint deadline) {
  const counters::Slot now = present_slot();
  std::vector<WaitingItem> items;
  for (const PastAddition& past : additions) {
    if (Status checked = check(past.addition); !checked) return checked;
    if (past.slot > now) return Error{ErrorCode::kInvalid, "a period is in the future"};
    const bool is_over = counters::day_of(past.slot) + counters::kDaysKept <= counters::day_of(now);
    if (!is_over && !past.addition.amounts.is_zero()) items.emplace_back(past);
  }
  if (items.empty()) return {};
  return add_and_deliver(items, deadline);
}

Status SharedCounters::forget(std::span<const CounterKey> keys, TimePoint deadline) {
  if (Status sent = deliver(route_.until(deadline)); !sent) return sent;
  const auto replies = route_.run(
      [&](CommandList& commands, std::span<const std::string>) {
        for (const CounterKey& key : keys) {
          std::string field;
          append_field(key, field);
          const Bucket bucket = bucket_of(key);
          commands.add({"HDEL", bucket_name(options_.redis.prefix, bucket), field}, bucket);
        }
      },
      deadline, options_.redis.wait_replicas);
  cache_.forget(keys);
  if (!replies) return replies.error();
  for (const RedisReply& reply : *replies)
    if (reply.is_error()) return Error{ErrorCode::kUnavailable, reply.text};
  return {};
}

void SharedCounters::report(MetricReport& report) const {
  report.counter({"shingled_counters_calls", "Calls that added to counters."}, calls_.read());
  report.counter({"shingled_counters_refused", "Calls that could not be counted."},
                 refused_.read());
  report.counter({"shingled_counters_unknown", "Counters asked for that could not be known."},
                 unknown_.read());
  report.counter({"shingled_counters_cached", "Counters answered from memory."}, cached_.read());
  report.counter({"shingled_counters_sent", "Changes of counters that were sent to Redis."},
                 sender_->counters_sent());
  report.counter({"shingled_counters_pairs_sent", "Pairs that were sent to Redis."},
                 sender_->pairs_sent());
  report.counter({"shingled_counters_exchanges", "Round trips to Redis."}, route_.exchanges());
  report.counter({"shingled_counters_store_errors", "Exchanges with Redis that failed."},
                 route_.errors());
  report.gauge({"shingled_counters_journal_bytes", "What waits on disk for Redis."},
               waiting_->journal_bytes());
  report.counter({"shingled_counters_journal_lost_bytes", "What the journal had no room for."},
                 waiting_->lost_bytes());
  report.gauge({"shingled_counters_shared", "Whether Redis answers: 1, or 0 while it is away."},
               std::uint64_t{route_.is_away() ? 0U : 1U});
}

}  // namespace shingled::storage::redis
