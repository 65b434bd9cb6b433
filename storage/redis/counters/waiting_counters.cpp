#include "storage/redis/counters/waiting_counters.h"

#include <algorithm>
#include <utility>

namespace shingled::storage::redis {

using counters::CounterKey;
using counters::Entry;
using counters::PastAddition;

Result<std::unique_ptr<WaitingCounters>> WaitingCounters::open(FileSystem* files, Options options,
                                                               Random& random, Logger& logger) {
  auto opened = std::unique_ptr<WaitingCounters>(
      new WaitingCounters(files, std::move(options), random, logger));
  if (files == nullptr) return opened;
  auto names = files->names();
  if (!names) return names.error();
  std::ranges::sort(*names);
  const MutexLock lock(opened->mutex_);
  for (const std::string& file : *names) {
    const auto name = WaitingName::parse(file);
    if (!name) continue;
    const auto mapped = files->map(file);
    opened->stored_.push_back({*name, mapped ? (*mapped)->bytes().size() : 0});
  }
  opened->note_bytes();
  return opened;
}

WaitingCounters::WaitingCounters(FileSystem* files, Options options, Random& random, Logger& logger)
    : files_(files),
      options_(std::move(options)),
      logger_(logger),
      writer_(random.next_u64()),
      live_(std::make_shared<Generation>(WaitingName{writer_, 1})) {}

Result<WaitingCounters::Ticket> WaitingCounters::add(const PastAddition& past) {
  const MutexLock lock(mutex_);
  if (Status opened = open_log(); !opened) return opened.error();
  if (log_ != nullptr) {
    if (Status written = log_->append(past, calls_ + 1); !written) {
      leave_log();
      return written.error();
    }
  }
  Ticket ticket;
  if (!past.addition.pairs.empty()) {
    ticket = std::make_shared<PairTicket>();
    ticket->left = past.addition.pairs.size();
    ticket->failed = !stored_.empty();
  }
  live_->add(++calls_, past, ticket);
  keep_bound();
  return ticket;
}

Result<WaitingCounters::Ticket> WaitingCounters::add(std::span<const WaitingItem> items) {
  const MutexLock lock(mutex_);
  if (Status opened = open_log(); !opened) return opened.error();
  if (log_ != nullptr) {
    if (Status written = log_->append(items, calls_ + 1); !written) {
      leave_log();
      return written.error();
    }
  }
  auto ticket = std::make_shared<PairTicket>();
  for (const WaitingItem& item : items) {
    if (const auto* past = std::get_if<PastAddition>(&item))
      ticket->left += past->addition.pairs.size();
    live_->add(++calls_, item, ticket);
  }
  keep_bound();
  return ticket;
}

Status WaitingCounters::open_log() {
  if (files_ == nullptr) {
    if (live_->size() < kGenerationKeysMax) return {};
    return Error{ErrorCode::kLimit, "too many counters wait for Redis"};
  }
  if (log_ != nullptr) return {};
  auto log = WaitingLog::create(*files_, live_->name());
  if (!log) return log.error();
  log_ = *std::move(log);
  return {};
}

/// After a write that failed: the next call tries a new log.
void WaitingCounters::leave_log() {
  if (!live_->is_empty()) {
    put_aside();
    return;
  }
  static_cast<void>(files_->remove(live_->name().file()));
  log_.reset();
  live_ = std::make_shared<Generation>(WaitingName{writer_, live_->name().generation + 1});
}

/// Keeps memory and journal within their bounds.
void WaitingCounters::keep_bound() {
  live_size_.store(live_->size(), std::memory_order_relaxed);
  if (log_ == nullptr) return;
  if (live_->size() >= kGenerationKeysMax || log_->bytes() >= log_bytes_max()) put_aside();
  const std::uint64_t live_bytes = log_ == nullptr ? 0 : log_->bytes();
  std::uint64_t total = live_bytes + sending_bytes_;
  for (const Stored& stored : stored_) total += stored.bytes;
  while (total > options_.journal_max && !stored_.empty()) {
    const Stored oldest = stored_.front();
    stored_.pop_front();
    total -= oldest.bytes;
    lost_bytes_.add(oldest.bytes);
    static_cast<void>(files_->remove(oldest.name.file()));
    if (overflow_.begin())
      logger_.error(LogLine("counters_journal_full").field("lost_bytes", oldest.bytes));
  }
  note_bytes();
}

/// The live generation waits on disk alone, and a new one begins.
void WaitingCounters::put_aside() {
  stored_.push_back({live_->name(), log_->bytes()});
  for (auto& waiting : live_->pairs()) {
    const Ticket ticket = std::exchange(waiting.ticket, nullptr);
    --ticket->left;
    if (ticket->returned) --owed_;
    ticket->failed = true;
  }
  changed_.notify_all();
  stored_logs_.push_back(std::exchange(log_, nullptr));
  live_ = std::make_shared<Generation>(WaitingName{writer_, live_->name().generation + 1});
}

void WaitingCounters::note_bytes() {
  std::uint64_t total = sending_bytes_ + (log_ == nullptr ? 0 : log_->bytes());
  for (const Stored& stored : stored_) total += stored.bytes;
  journal_bytes_gauge_.store(total, std::memory_order_relaxed);
}

void WaitingCounters::wait(const Ticket& ticket, TimePoint deadline) {
  MutexLock lock(mutex_);
  while (ticket->left > 0 && !ticket->failed) {
    if (changed_.wait_until(lock.as_lock(), deadline) == std::cv_status::timeout) break;
  }
  return_from(*ticket);
}

void WaitingCounters::leave(const Ticket& ticket) {
  const MutexLock lock(mutex_);
  return_from(*ticket);
}

void WaitingCounters::return_from(PairTicket& ticket) {
  ticket.returned = true;
  owed_ += ticket.left;
}

bool WaitingCounters::owes_pairs() {
  const MutexLock lock(mutex_);
  return owed_ > 0;
}

std::uint64_t WaitingCounters::finished() {
  const MutexLock lock(mutex_);
  return finished_;
}

Unsent WaitingCounters::add_unsent(const CounterKey& key, std::uint64_t applied,
                                   std::uint64_t finished, std::vector<Entry>& entries) {
  const std::uint16_t slot = options_.slot_of(key);
  const MutexLock lock(mutex_);
  if (!stored_.empty() || (sending_ != nullptr && sending_->was_stored())) return Unsent::kUnknown;
  const std::uint64_t since = finished_ - finished;
  if (since > done_.size()) return Unsent::kReadAgain;
  const auto first_since = done_.end() - static_cast<std::ptrdiff_t>(since);
  if (std::any_of(first_since, done_.end(), [](const auto& done) { return done->was_stored(); }))
    return Unsent::kReadAgain;
  const auto put = [&](const Generation& generation) {
    if (generation.name().writer != writer_) return;
    const std::vector<Entry>* const unsent = generation.find(key, slot, applied);
    if (unsent == nullptr) return;
    for (const Entry& entry : *unsent) add_entry(entries, entry);
  };
  for (const auto& generation : done_) put(*generation);
  if (sending_ != nullptr) put(*sending_);
  put(*live_);
  return Unsent::kAdded;
}

Result<bool> WaitingCounters::prepare(bool may_seal) {
  MutexLock lock(mutex_);
  if (sending_ != nullptr) return false;
  if (stored_.empty()) {
    if (!may_seal || (live_->is_empty() && log_ == nullptr)) return false;
    sending_ = std::move(live_);
    sending_bytes_ = log_ == nullptr ? 0 : log_->bytes();
    sending_log_ = std::exchange(log_, nullptr);
    live_size_.store(0, std::memory_order_relaxed);
    live_ = std::make_shared<Generation>(WaitingName{writer_, sending_->name().generation + 1});
    const std::shared_ptr<const Generation> whole = sending_;
    // Sorting takes long: calls are added meanwhile, and counters are read.
    lock.unlock();
    auto division = whole->divide(options_.slot_of);
    lock.lock();
    sending_->seal(std::move(division));
    if (sending_->is_empty()) finish_sending();
    return true;
  }
  const Stored oldest = stored_.front();
  lock.unlock();
  auto read = std::make_shared<Generation>(oldest.name, true);
  const auto lost = read_waiting_log(
      *files_, oldest.name,
      [&](std::uint64_t number, const WaitingItem& item) { read->add(number, item, nullptr); });
  const bool is_gone = !lost && (lost.error().code == ErrorCode::kCorrupt ||
                                 lost.error().code == ErrorCode::kNotFound);
  if (!lost && !is_gone) return lost.error();
  if (is_gone)
    logger_.error(LogLine("counters_journal_damaged").field("reason", lost.error().message));
  if (lost.value_or(0) > 0)
    logger_.warning(LogLine("counters_journal_damaged").field("bytes", *lost));
  read->seal(read->divide(options_.slot_of));
  lock.lock();
  if (stored_.empty() || stored_.front().name != oldest.name) return false;  // lost meanwhile
  stored_.pop_front();
  sending_ = std::move(read);
  sending_bytes_ = oldest.bytes;
  if (sending_->is_empty()) finish_sending();
  return false;
}

std::optional<WaitingCounters::Batch> WaitingCounters::next_pairs() {
  const MutexLock lock(mutex_);
  Batch batch;
  if (sending_ != nullptr && !sending_->pairs().empty()) {
    batch.generation = sending_;
  } else if (stored_.empty() && !live_->pairs().empty()) {
    batch.generation = live_;
  } else {
    return std::nullopt;
  }
  batch.writer = batch.generation->name().writer;
  for (const auto& waiting : batch.generation->pairs()) {
    // A call is not divided: its pairs have one number.
    if (batch.pairs.size() >= kPairsPerExchange &&
        batch.pairs.back()->number != waiting.delta.number)
      break;
    batch.pairs.push_back(&waiting.delta);
  }
  return batch;
}

std::optional<WaitingCounters::Batch> WaitingCounters::next_calls() {
  const MutexLock lock(mutex_);
  if (sending_ == nullptr) return std::nullopt;
  Batch batch;
  batch.writer = sending_->name().writer;
  batch.generation = sending_;
  std::optional<std::uint16_t> slot;
  std::size_t keys = 0;
  for (Generation::Call& call : sending_->calls()) {
    // One call of a slot at a time: the next one may only be made when this one has been.
    if (call.state != Generation::Call::State::kWaits || slot == call.slot) continue;
    slot = call.slot;
    call.state = Generation::Call::State::kTaken;
    batch.calls.push_back(&call);
    keys += call.end - call.begin;
    if (keys >= kKeysPerExchange) break;
  }
  if (batch.calls.empty()) return std::nullopt;
  return batch;
}

void WaitingCounters::settle(const Batch& batch, const std::vector<bool>& is_done) {
  const MutexLock lock(mutex_);
  using State = Generation::Call::State;
  for (std::size_t i = 0; i < batch.calls.size(); ++i)
    batch.calls[i]->state = is_done[i] ? State::kDone : State::kWaits;
  if (!batch.pairs.empty()) settle_pairs(batch, is_done);
  if (sending_ == nullptr || !sending_->pairs().empty()) return;
  const auto& calls = sending_->calls();
  if (std::ranges::all_of(calls, [](const auto& call) { return call.state == State::kDone; }))
    finish_sending();
}

/// The pairs of a batch are the first of their generation.
void WaitingCounters::settle_pairs(const Batch& batch, const std::vector<bool>& is_done) {
  auto& pairs = batch.generation->pairs();
  std::vector<Generation::WaitingPair> left;
  for (std::size_t i = 0; i < batch.pairs.size(); ++i) {
    Generation::WaitingPair& pair = pairs[i];
    if (pair.ticket != nullptr && is_done[i]) {
      --pair.ticket->left;
      if (pair.ticket->returned) --owed_;
    }
    if (pair.ticket != nullptr && !is_done[i]) pair.ticket->failed = true;
    if (!is_done[i]) left.push_back(std::move(pair));
  }
  pairs.erase(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(batch.pairs.size()));
  pairs.insert(pairs.begin(), left.begin(), left.end());
  changed_.notify_all();
}

void WaitingCounters::finish_sending() {
  const std::string file = sending_->name().file();
  ++finished_;
  done_.push_back(std::move(sending_));
  sending_.reset();
  sending_log_.reset();
  sending_bytes_ = 0;
  std::size_t keys = 0;
  for (const auto& generation : done_) keys += generation->size();
  while (done_.size() > kDoneMax || (done_.size() > 1 && keys > kGenerationKeysMax)) {
    keys -= done_.front()->size();
    done_.pop_front();
  }
  if (files_ != nullptr) static_cast<void>(files_->remove(file));
  if (stored_.empty()) overflow_.end();
  note_bytes();
}

bool WaitingCounters::is_empty() {
  const MutexLock lock(mutex_);
  return sending_ == nullptr && stored_.empty() && live_->is_empty();
}

bool WaitingCounters::is_sending() {
  const MutexLock lock(mutex_);
  return sending_ != nullptr || !stored_.empty();
}

void WaitingCounters::sync() {
  std::vector<std::shared_ptr<WaitingLog>> logs;
  {
    const MutexLock lock(mutex_);
    logs = std::exchange(stored_logs_, {});
    logs.push_back(std::exchange(sending_log_, nullptr));
    logs.push_back(log_);
  }
  std::erase(logs, nullptr);
  // A failure shows again at the next write.
  for (const auto& log : logs) static_cast<void>(log->sync());
  if (!logs.empty()) static_cast<void>(files_->sync_names());
}

}  // namespace shingled::storage::redis
