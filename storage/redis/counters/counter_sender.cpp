#include "storage/redis/counters/counter_sender.h"

#include <algorithm>
#include <future>
#include <map>
#include <utility>

#include "storage/redis/counters/script_texts.h"
#include "storage/redis/counters/shared_layout.h"

namespace shingled::storage::redis {

namespace {

/// The script answers 1 (added) or 0 (it was added before).
bool means_done(const RedisReply& reply) { return reply.kind == RedisReply::Kind::kInteger; }

}  // namespace

CounterSender::CounterSender(const SharedCounterOptions& options, ScriptedRoute& route,
                             WaitingCounters& waiting, std::function<counters::Slot()> expiry,
                             std::function<void(const WaitingCounters::Batch&)> sent, Clock& clock,
                             Logger& logger)
    : options_(options),
      route_(route),
      waiting_(waiting),
      expiry_(std::move(expiry)),
      sent_(std::move(sent)),
      clock_(clock),
      logger_(logger),
      flush_due_(clock.now() + options.flush),
      task_("counters-redis", std::min(options.flush, kSyncPause),
            [this](const std::stop_token& stop) { work(stop); }) {}

Status CounterSender::deliver(TimePoint deadline) {
  MutexLock lock(mutex_);
  const std::uint64_t mine = ++deliveries_.wanted;
  task_.wake();
  while (deliveries_.made < mine) {
    if (delivered_.wait_until(lock.as_lock(), deadline) == std::cv_status::timeout)
      return Error{ErrorCode::kTimeout, "counters wait for Redis"};
  }
  if (deliveries_.succeeded) return {};
  return Error{ErrorCode::kUnavailable, "counters wait for Redis"};
}

void CounterSender::work(const std::stop_token& stop) {
  std::uint64_t wanted = 0;
  bool is_wanted = false;
  {
    const MutexLock lock(mutex_);
    wanted = deliveries_.wanted;
    is_wanted = wanted > deliveries_.made;
  }
  const bool is_due = clock_.now() >= flush_due_ || waiting_.is_large();
  const bool all_sent = send_all(is_due || is_wanted, stop);
  if (all_sent && route_.is_away()) probe();
  if (is_due) flush_due_ = clock_.now() + options_.flush;
  if (clock_.now() >= sync_due_) {
    waiting_.sync();
    sync_due_ = clock_.now() + kSyncPause;
  }
  if (!is_wanted) return;
  const MutexLock lock(mutex_);
  deliveries_.made = wanted;
  deliveries_.succeeded = all_sent;
  delivered_.notify_all();
}

/// Sends what is sealed, and of what comes meanwhile some pairs. The live generation is sealed once
/// at most, so that a stream of new calls does not keep this from ending.
bool CounterSender::send_all(bool may_seal, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto sealed = waiting_.prepare(may_seal);
    if (!sealed) {
      if (unreadable_.begin())
        logger_.error(
            LogLine("counters_journal_unreadable").field("reason", sealed.error().message));
      return false;
    }
    unreadable_.end();
    if (*sealed || !waiting_.is_sending()) may_seal = false;
    const auto pairs = waiting_.next_pairs();
    if ((pairs && !send_pairs(*pairs)) || !send_calls()) {
      drop_following();
      return false;
    }
    if (waiting_.is_sending() || may_seal) continue;
    if (waiting_.next_pairs()) task_.wake();
    return true;
  }
  return false;
}

/// Finds out whether Redis is back when nothing has to be sent.
void CounterSender::probe() {
  static_cast<void>(route_.run(
      [&](CommandList& commands, std::span<const std::string> names) {
        append_read(commands, names[static_cast<std::size_t>(Script::kRead)],
                    {options_.redis.prefix, 0, waiting_.writer()}, {});
      },
      TimePoint::max()));
}

bool CounterSender::settle(const WaitingCounters::Batch& batch, const std::vector<bool>& is_done) {
  if (!batch.pairs.empty() || batch.writer != waiting_.writer()) sent_(batch);
  waiting_.settle(batch, is_done);
  return std::ranges::all_of(is_done, [](bool done) { return done; });
}

bool CounterSender::send_pairs(const WaitingCounters::Batch& batch) {
  std::vector<bool> is_done(batch.pairs.size());
  std::map<std::uint16_t, std::vector<std::size_t>> by_slot;
  for (std::size_t i = 0; i < batch.pairs.size(); ++i)
    by_slot[route_.splits_keys() ? bucket_of(batch.pairs[i]->pair.key) : 0].push_back(i);
  const counters::Slot now = expiry_();
  const auto replies = route_.run(
      [&](CommandList& commands, std::span<const std::string> names) {
        for (const auto& [slot, numbers] : by_slot) {
          std::vector<const PairDelta*> pairs;
          for (const std::size_t i : numbers) pairs.push_back(batch.pairs[i]);
          append_pairs(commands, names[static_cast<std::size_t>(Script::kAddPairs)],
                       {options_.redis.prefix, slot, batch.writer}, now, pairs);
        }
      },
      TimePoint::max(), options_.redis.wait_replicas);
  if (!replies || replies->size() != by_slot.size()) return settle(batch, is_done);
  std::size_t at = 0;
  for (const auto& [slot, numbers] : by_slot) {
    const bool done = means_done((*replies)[at++]);
    for (const std::size_t i : numbers) is_done[i] = done;
    if (done) pairs_sent_.add(numbers.size());
  }
  return settle(batch, is_done);
}

CommandList CounterSender::write(const WaitingCounters::Batch& batch,
                                 std::span<const std::string> names) {
  CommandList commands;
  const counters::Slot now = expiry_();
  for (const Generation::Call* call : batch.calls) {
    const auto deltas =
        std::span(batch.generation->deltas()).subspan(call->begin, call->end - call->begin);
    append_add(commands, names[static_cast<std::size_t>(Script::kAdd)],
               {options_.redis.prefix, call->slot, batch.writer}, call->number, now, deltas);
  }
  return commands;
}

/// While Redis makes these calls, those that follow are written.
bool CounterSender::send_calls() {
  std::optional<Written> present = std::exchange(following_, std::nullopt);
  if (!present) {
    auto batch = waiting_.next_calls();
    if (!batch) return true;
    present = {*std::move(batch), {}};
  }
  const auto names = route_.names();
  const auto following = names.empty() ? std::nullopt : waiting_.next_calls();
  std::future<CommandList> writing;
  if (following) writing = std::async([&] { return write(*following, names); });
  const WaitingCounters::Batch& batch = present->batch;
  const auto replies = route_.run(
      [&](CommandList& commands, std::span<const std::string> loaded) {
        commands = std::exchange(present->commands, {});
        if (commands.empty()) commands = write(batch, loaded);
      },
      TimePoint::max(), options_.redis.wait_replicas);
  if (following) following_ = {*following, writing.get()};
  std::vector<bool> is_done(batch.calls.size());
  if (replies && replies->size() == batch.calls.size()) {
    for (std::size_t i = 0; i < batch.calls.size(); ++i) {
      is_done[i] = means_done((*replies)[i]);
      if (is_done[i]) counters_sent_.add(batch.calls[i]->end - batch.calls[i]->begin);
    }
  }
  return settle(batch, is_done);
}

/// After a failure: they may go to slots whose call before was not made, and what is over when they
/// are sent is left out.
void CounterSender::drop_following() {
  if (const auto dropped = std::exchange(following_, std::nullopt))
    waiting_.settle(dropped->batch, std::vector<bool>(dropped->batch.calls.size()));
}

}  // namespace shingled::storage::redis
