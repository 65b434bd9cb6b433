#include "milter/mta/memory_budget.h"

#include <algorithm>

#include "config/options/message_memory.h"

namespace shingled::milter::mta {

namespace {
constexpr std::chrono::seconds kMeanwhileInterval{1};
}  // namespace

void MemoryBudget::set_max(std::uint64_t bytes_max) {
  const MutexLock lock(mutex_);
  max_ = bytes_max;
  changed_.notify_all();
}

bool MemoryBudget::has(std::uint64_t bytes, Use use) const {
  const std::uint64_t most = use == Use::kSmall ? max_ : memory_for_large(max_);
  if (bytes > most || used_ > most - bytes) return false;
  if (use == Use::kReceive) return received_ + bytes <= memory_for_receiving(max_);
  return use != Use::kAnalyze || analyzed_ + bytes <= memory_for_analyses(max_);
}

void MemoryBudget::add(std::uint64_t bytes, Use use) {
  used_ += bytes;
  if (use == Use::kReceive) received_ += bytes;
  if (use == Use::kAnalyze) analyzed_ += bytes;
  peak_ = std::max(peak_, used_);
}

bool MemoryBudget::take(std::uint64_t bytes, Use use) {
  const MutexLock lock(mutex_);
  if (!has(bytes, use)) {
    refused_received_.add();
    return false;
  }
  add(bytes, use);
  return true;
}

bool MemoryBudget::await(std::uint64_t bytes, Use use, const Patience& patience) {
  MutexLock lock(mutex_);
  const std::uint64_t ticket = tickets_++;
  const bool queues = use == Use::kAnalyze;
  // Without the queue, one that needs much would wait without end, as those that need less pass it.
  if (queues) queue_.insert(ticket);
  const auto there = [&]() SHINGLED_REQUIRES(mutex_) {
    return has(bytes, use) && (!queues || *queue_.begin() == ticket);
  };
  if (!there()) waited_.add();
  while (!there()) {
    const TimePoint now = patience.clock.now();
    if (now >= patience.deadline || patience.stop.stop_requested()) break;
    const TimePoint until = std::min(patience.deadline, now + kMeanwhileInterval);
    if (changed_.wait_until(lock.as_lock(), patience.stop, until, there)) continue;
    if (!patience.meanwhile) continue;
    lock.unlock();
    patience.meanwhile();
    lock.lock();
  }
  const bool taken = there();
  if (taken) {
    add(bytes, use);
  } else if (!patience.stop.stop_requested()) {
    refused_analyzed_.add();
  }
  if (queues) queue_.erase(ticket);
  changed_.notify_all();  // wakes the next in the queue
  return taken;
}

void MemoryBudget::give_back(std::uint64_t bytes, Use use) {
  if (bytes == 0) return;
  const MutexLock lock(mutex_);
  used_ -= bytes;
  if (use == Use::kReceive) received_ -= bytes;
  if (use == Use::kAnalyze) analyzed_ -= bytes;
  changed_.notify_all();
}

std::uint64_t MemoryBudget::used() const {
  const MutexLock lock(mutex_);
  return used_;
}

void MemoryBudget::report(MetricReport& report) const {
  const MutexLock lock(mutex_);
  report.gauge({"shingled_mail_memory_max_bytes", "Memory that messages under way may use."}, max_);
  report.gauge({"shingled_mail_memory_bytes", "Memory set aside for messages under way."}, used_);
  report.gauge({"shingled_mail_memory_peak_bytes", "The most of it since the start."}, peak_);
  constexpr MetricName kRefused{"shingled_mail_memory_refused",
                                "Messages deferred because there was no memory for them."};
  report.counter(kRefused, refused_received_.read(), {{"at", "receiving"}});
  report.counter(kRefused, refused_analyzed_.read(), {{"at", "analysis"}});
  report.counter({"shingled_mail_memory_waits", "Analyses that had to wait for memory."},
                 waited_.read());
}

MemoryLease& MemoryLease::operator=(MemoryLease&& other) noexcept {
  if (this == &other) return *this;
  drop();
  budget_ = std::move(other.budget_);
  use_ = other.use_;
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

bool MemoryLease::hold(std::uint64_t bytes, MemoryBudget::Use use) {
  if (budget_ == nullptr) return true;
  if (use == use_) {
    if (bytes > bytes_ && !budget_->take(bytes - bytes_, use)) return false;
    if (bytes < bytes_) budget_->give_back(bytes_ - bytes, use);
  } else {
    if (!budget_->take(bytes, use)) return false;
    budget_->give_back(bytes_, use_);
  }
  use_ = use;
  bytes_ = bytes;
  return true;
}

bool MemoryLease::await(std::uint64_t bytes, const MemoryBudget::Patience& patience) {
  if (budget_ == nullptr) return true;
  if (!budget_->await(bytes, use_, patience)) return false;
  bytes_ += bytes;
  return true;
}

void MemoryLease::drop() {
  if (budget_ != nullptr) budget_->give_back(bytes_, use_);
  bytes_ = 0;
}

}  // namespace shingled::milter::mta
