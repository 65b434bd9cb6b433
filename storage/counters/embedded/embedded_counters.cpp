#include "storage/counters/embedded/embedded_counters.h"

#include <utility>

namespace shingled::storage::counters {

Result<std::unique_ptr<EmbeddedCounters>> EmbeddedCounters::open(
    const EmbeddedCounterOptions& options, FileSystem& files, const Clock& clock,
    std::function<void()> wanted, std::optional<std::uint64_t> mark) {
  auto sealed = SealedFiles::open(options.directory, files, mark);
  if (!sealed) return sealed.error();
  const auto time = (*sealed)->time();
  if (!time) return time.error();
  std::unique_ptr<EmbeddedCounters> counters(
      new EmbeddedCounters(options, files, clock, wanted, *std::move(sealed), *time));
  if (Status taken = counters->take_up(); !taken) return taken.error();
  return counters;
}

EmbeddedCounters::EmbeddedCounters(const EmbeddedCounterOptions& options, FileSystem& files,
                                   const Clock& clock, const std::function<void()>& wanted,
                                   std::unique_ptr<SealedFiles> sealed,
                                   const Timekeeper::State& time)
    : files_(files),
      time_(clock, time),
      damage_(clock, wanted),
      sealed_(std::move(sealed)),
      view_(damage_),
      live_(options, {files_, time_, numbers_, view_, doubts_}, wanted),
      reader_(view_, time_, doubts_, damage_, options.cache_max),
      compactor_(options, parts()),
      past_(parts(), compactor_, wanted) {}

CounterParts EmbeddedCounters::parts() {
  return {files_, time_, numbers_, *sealed_, live_, view_, doubts_, damage_};
}

Status EmbeddedCounters::take_up() {
  auto found = sealed_->take_up(numbers_);
  if (!found) return found.error();
  lost_ = std::move(found->errors);
  doubts_.take(found->doubts);
  std::shared_ptr<ForgottenCounters> forgotten;
  if (!found->forgotten.empty()) forgotten = std::make_shared<ForgottenCounters>();
  for (const sqlite::ForgottenRow& row : found->forgotten)
    forgotten->put(CounterKey::of(row.shingle, row.tag), static_cast<std::uint64_t>(row.last));
  view_.change([&](View& view) {
    view.files = std::move(found->files);
    view.lost = std::move(found->lost);
    view.gaps = std::move(found->gaps);
    view.forgotten = std::move(forgotten);
  });
  for (const std::uint64_t number : found->logs) {
    LiveCounters::Restored log = live_.restore(number);
    log_bytes_lost_ += log.bytes_lost;
    if (!log.error) continue;
    ++logs_lost_;
    lost_.push_back(std::move(log.error->message));
  }
  return {};
}

Status EmbeddedCounters::verify(const std::stop_token& stop) {
  const ViewPointer now = view_.get();
  if (!now->lost.empty())
    return Error{ErrorCode::kCorrupt, sealed_name(now->lost.front().id) + ": not there or damaged"};
  if (logs_lost_ > 0 && !are_logs_told_) return Error{ErrorCode::kCorrupt, lost_.back()};
  for (const auto& file : now->files) {
    if (stop.stop_requested()) return Error{ErrorCode::kTimeout, "stopped"};
    if (Status right = file->sealed->verify(); !right) {
      damage_.note(*file, right.error());
      return right;
    }
  }
  return {};
}

Status EmbeddedCounters::repair(const std::stop_token& stop) {
  Status done = compactor_.repair(stop);
  if (done) are_logs_told_ = true;
  return done;
}

EmbeddedCounterStatus EmbeddedCounters::status() const {
  const ViewPointer now = view_.get();
  EmbeddedCounterStatus status;
  const auto add_table = [&](const LiveTable& table) {
    status.live_counters += table.size();
    status.memory_bytes += table.memory_bytes();
  };
  if (now->live) add_table(now->live->table);
  for (const auto& table : now->frozen) add_table(table->table);
  status.tables_unsealed = now->frozen.size();
  status.cache_bytes = reader_.cache_bytes();
  status.shrunk = compactor_.shrunk();
  status.sealed_early = live_.sealed_early();
  status.forgotten = now->forgotten ? now->forgotten->size() : 0;
  status.files_lost = now->lost.size();
  status.gaps = now->gaps.size();
  status.doubts = doubts_.size();
  status.logs_lost = logs_lost_;
  status.log_bytes_lost = log_bytes_lost_;
  status.lost = lost_;
  status.disk_bytes = now->disk_bytes();
  for (const auto& file : now->files) {
    ++status.files;
    if (damage_.is_damaged(*file)) ++status.files_damaged;
    status.rows += file->catalogued.rows;
  }
  return status;
}

}  // namespace shingled::storage::counters
