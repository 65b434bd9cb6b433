#include "storage/redis/redis_writer.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace shingled::storage {

namespace {

constexpr std::chrono::milliseconds kPatience{500};  ///< longest sleep of an idle writer
constexpr std::size_t kRecentMax = 65'536;           ///< records known to have been refreshed

/// A digest's first bytes do as its name.
UpdateName name_of(const Digest& digest) {
  UpdateName name{};
  std::copy_n(digest.bytes.begin(), name.size(), name.begin());
  return name;
}

}  // namespace

RedisWriter::RedisWriter(const RedisWriterOptions& options, std::unique_ptr<UpdateSender> sender,
                         Clock& clock, Random& random, Logger& logger)
    : options_(options),
      sender_(std::move(sender)),
      clock_(clock),
      random_(random),
      logger_(logger),
      queue_(options.queue_max),
      refreshes_(
          std::in_place,
          Refreshes{
              {}, RecentNames(std::min<Duration>(kRefreshPause, options.expire / 10), kRecentMax)}),
      thread_([this] { run(); }) {
  ::pthread_setname_np(thread_.native_handle(), "redis");
}

RedisWriter::~RedisWriter() { queue_.close(); }

void RedisWriter::submit(Update update, UpdateDone done) {
  if (update.name == UpdateName{}) random_.fill(update.name);
  QueuedUpdate pending{std::move(update), std::move(done)};
  if (queue_.push(pending)) return;
  counters_.refused.fetch_add(1, std::memory_order_relaxed);
  pending.done(Error{ErrorCode::kLimit, "too many updates are waiting"});
}

void RedisWriter::refresh(const Digest& digest, const Shingles* asked) {
  if (options_.expire.count() == 0) return;
  auto refreshes = refreshes_.lock();
  const UpdateName name = name_of(digest);
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
  while (!queue_.finished()) {
    const auto group = queue_.take(kGroupMax, kPatience, std::chrono::milliseconds(0));
    if (!group.empty()) send(group);
    send_refreshes();
    if (clock_.now() >= count_due_) read_count();
  }
}

void RedisWriter::send(const std::vector<QueuedUpdate>& group) {
  const auto now = static_cast<std::uint32_t>(clock_.wall().time_since_epoch().count());
  std::vector<TimedUpdate> updates;
  updates.reserve(group.size());
  for (const QueuedUpdate& queued : group) updates.push_back({&queued.update, now});
  const auto outcomes = sender_->send(updates, deadline());
  if (outcomes) sender_->settle(updates);
  for (std::size_t i = 0; i < group.size(); ++i) {
    finish(group[i], outcomes ? (*outcomes)[i]
                              : Status(Error{ErrorCode::kUnavailable, outcomes.error().message}));
  }
  count_due_ = std::min(count_due_, clock_.now() + kPatience);
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

void RedisWriter::read_count() {
  count_due_ = clock_.now() + kCountPause;
  if (const auto count = sender_->count(deadline())) {
    counters_.count.store(*count, std::memory_order_relaxed);
  }
}

}  // namespace shingled::storage
