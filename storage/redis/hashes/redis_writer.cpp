#include "storage/redis/hashes/redis_writer.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace shingled::storage::redis {

namespace {

constexpr std::chrono::milliseconds kPatience{500};  ///< longest sleep of an idle writer
constexpr std::size_t kRecentMax = 65'536;           ///< refreshed records that are remembered

/// The first bytes of a digest, used as its name.
UpdateId name_of(const Digest& digest) {
  UpdateId name{};
  std::copy_n(digest.bytes.begin(), name.size(), name.begin());
  return name;
}

/// The least pause between two refreshes of a record. A refresh writes 33 keys, so one that
/// prolongs the life by less than a thousandth is not worth the cost.
Duration refresh_pause(Duration expire) {
  return std::min<Duration>(
      std::max<Duration>(RedisWriter::kRefreshPauseMin, expire / RedisWriter::kRefreshesOfExpiry),
      expire / 10);
}

std::vector<TimedUpdate> timed(const std::vector<QueuedUpdate>& group, std::uint32_t now) {
  std::vector<TimedUpdate> updates;
  updates.reserve(group.size());
  for (const QueuedUpdate& queued : group) updates.push_back({&queued.update, now});
  return updates;
}

}  // namespace

RedisWriter::RedisWriter(const RedisWriterOptions& options, std::unique_ptr<UpdateSender> sender,
                         std::unique_ptr<sqlite::UpdateJournal> journal, Clock& clock,
                         Random& random, Logger& logger)
    : options_(options),
      sender_(std::move(sender)),
      journal_(std::move(journal)),
      clock_(clock),
      random_(random),
      logger_(logger),
      queue_(options.queue_max),
      refreshes_(std::in_place,
                 Refreshes{{}, RecentIds(refresh_pause(options.expire), kRecentMax)}),
      thread_([this] { run(); }) {
  ::pthread_setname_np(thread_.native_handle(), "redis");
}

RedisWriter::~RedisWriter() { queue_.close(); }

void RedisWriter::submit(Update update, UpdateDone done) {
  if (update.name == UpdateId{}) random_.fill(update.name);
  QueuedUpdate pending{update, std::move(done)};
  if (queue_.push(pending)) return;
  counters_.refused.fetch_add(1, std::memory_order_relaxed);
  pending.done(Error{ErrorCode::kLimit, "too many updates are waiting"});
}

void RedisWriter::refresh(const Digest& digest, const Shingles* asked) {
  if (options_.expire.count() == 0) return;
  auto refreshes = refreshes_.lock();
  const UpdateId name = name_of(digest);
  const TimePoint now = clock_.now();
  if (refreshes->recent.contains(name, now)) return;
  if (refreshes->waiting.size() >= kRefreshesMax) {
    counters_.refreshes_dropped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  refreshes->recent.insert(name, now);
  Fingerprint& found = refreshes->waiting.emplace_back();
  found.digest = digest;
  if (asked != nullptr) found.shingles = *asked;
}

void RedisWriter::run() {
  note_waiting();
  bool more = true;
  while (!queue_.finished()) {
    const auto group = queue_.take(kGroupMax, more ? std::chrono::milliseconds(0) : kPatience, {});
    if (!group.empty()) send_group(group);
    more = deliver();
    send_refreshes();
    if (clock_.now() >= count_due_) read_count();
  }
}

void RedisWriter::send_group(const std::vector<QueuedUpdate>& group) {
  // Updates in the journal came before and must be sent first.
  if (journal_ != nullptr && journal_->size() > 0) {
    return keep(group, {ErrorCode::kUnavailable, "earlier updates wait for Redis"});
  }
  const std::vector<TimedUpdate> updates = timed(group, now());
  const auto outcomes = sender_->send(updates, deadline());
  if (!outcomes) return keep(group, {ErrorCode::kUnavailable, outcomes.error().message});
  sender_->settle(updates);
  for (std::size_t i = 0; i < group.size(); ++i) finish(group[i], (*outcomes)[i]);
  count_due_ = std::min(count_due_, clock_.now() + kPatience);
}

void RedisWriter::keep(const std::vector<QueuedUpdate>& group, const Error& reason) {
  std::size_t kept = 0;
  Status outcome = reason;
  if (journal_ != nullptr) {
    const std::size_t room =
        options_.journal_max - std::min(options_.journal_max, journal_->size());
    kept = std::min(room, group.size());
    const std::vector<TimedUpdate> updates = timed(group, now());
    outcome = journal_->append(std::span(updates).first(kept));
    if (outcome) {
      counters_.journaled.fetch_add(kept, std::memory_order_relaxed);
    } else {
      logger_.error(LogLine("redis_journal_refused").field("reason", outcome.error().message));
    }
    note_waiting();
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    const bool too_many = journal_ != nullptr && i >= kept;
    finish(group[i], too_many ? Error{ErrorCode::kLimit, "the journal is full"} : outcome);
  }
}

bool RedisWriter::deliver() {
  if (journal_ == nullptr || journal_->size() == 0) return false;
  const auto entries = journal_->first(kGroupMax);
  if (!entries || entries->empty()) {
    if (!entries) {
      logger_.error(LogLine("redis_journal_unreadable").field("reason", entries.error().message));
    }
    return false;
  }
  std::vector<TimedUpdate> updates;
  for (const sqlite::UpdateJournal::Entry& entry : *entries)
    updates.push_back({&entry.update, entry.time});
  const auto outcomes = sender_->send(updates, deadline());
  if (!outcomes) return false;
  // If this fails, the same updates are sent again, and Redis recognises them by their names.
  if (Status removed = journal_->remove_through(entries->back().id); !removed) {
    logger_.error(LogLine("redis_journal_refused").field("reason", removed.error().message));
    return false;
  }
  sender_->settle(updates);
  if (options_.delivered) {
    for (const TimedUpdate& timed : updates) options_.delivered(timed.update->fingerprint.digest);
  }
  for (const Status& outcome : *outcomes) {
    if (outcome) continue;
    counters_.dropped.fetch_add(1, std::memory_order_relaxed);
    logger_.error(LogLine("redis_update_dropped").field("reason", outcome.error().message));
  }
  note_waiting();
  return journal_->size() > 0;
}

void RedisWriter::note_waiting() {
  const std::uint64_t waiting = journal_ != nullptr ? journal_->size() : 0;
  counters_.waiting.store(waiting, std::memory_order_relaxed);
  if (waiting == 0) {
    if (outage_.end()) logger_.info(LogLine("redis_journal_delivered"));
  } else if (outage_.begin()) {
    logger_.warning(LogLine("redis_journal_used").field("updates", waiting));
  }
}

void RedisWriter::finish(const QueuedUpdate& queued, const Status& outcome) {
  const bool is_add = queued.update.kind == Update::Kind::kAdd;
  auto& counter = !outcome ? counters_.refused : is_add ? counters_.added : counters_.deleted;
  counter.fetch_add(1, std::memory_order_relaxed);
  queued.done(outcome);
}

void RedisWriter::send_refreshes() {
  std::vector<Fingerprint> found;
  found.swap(refreshes_.lock()->waiting);
  if (found.empty()) return;
  if (sender_->refresh(found, deadline())) {
    counters_.refreshed.fetch_add(found.size(), std::memory_order_relaxed);
  } else {
    counters_.refreshes_dropped.fetch_add(found.size(), std::memory_order_relaxed);
  }
}

std::uint32_t RedisWriter::now() const { return unix_seconds(clock_.wall()); }

void RedisWriter::read_count() {
  count_due_ = clock_.now() + kCountPause;
  if (const auto count = sender_->count(deadline())) {
    counters_.count.store(*count, std::memory_order_relaxed);
  }
}

}  // namespace shingled::storage::redis
