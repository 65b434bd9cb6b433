#include "storage/engine/checkpointer.h"

#include <pthread.h>

#include <utility>

namespace shingled::storage::engine {

Result<std::unique_ptr<Checkpointer>> Checkpointer::open(const std::string& path) {
  auto database = sqlite::Database::open(path, sqlite::Database::Access::kReadWrite);
  if (!database) return database.error();
  // Only by reading does a connection learn that the file is in WAL mode.
  if (auto version = (*database)->integer("PRAGMA user_version"); !version) return version.error();
  return std::unique_ptr<Checkpointer>(new Checkpointer(*std::move(database)));
}

Checkpointer::Checkpointer(std::unique_ptr<sqlite::Database> database)
    : database_(std::move(database)), thread_([this] { run(); }) {
  ::pthread_setname_np(thread_.native_handle(), "checkpoint");
}

Checkpointer::~Checkpointer() {
  {
    const MutexLock lock(mutex_);
    state_ = State::kStopping;
  }
  changed_.notify_one();
}

void Checkpointer::start() {
  {
    const MutexLock lock(mutex_);
    if (state_ != State::kIdle) return;
    state_ = State::kWanted;
  }
  changed_.notify_one();
}

std::optional<Status> Checkpointer::take_outcome() {
  const MutexLock lock(mutex_);
  return std::exchange(outcome_, std::nullopt);
}

void Checkpointer::run() {
  MutexLock lock(mutex_);
  while (true) {
    changed_.wait(lock.as_lock(), [this]() SHINGLED_REQUIRES(mutex_) {
      return state_ == State::kWanted || state_ == State::kStopping;
    });
    if (state_ == State::kStopping) return;
    state_ = State::kRunning;
    lock.unlock();
    Status outcome = database_->checkpoint();
    lock.lock();
    outcome_ = std::move(outcome);
    if (state_ == State::kRunning) state_ = State::kIdle;
  }
}

}  // namespace shingled::storage::engine
