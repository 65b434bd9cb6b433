#pragma once

#include <mutex>
#include <utility>

namespace shingled {

/// Data and the lock that guards it in one: the only way to the data is through `lock()`, so
/// forgetting to lock does not compile.
///
///   Guarded<Table> table_;
///   auto table = table_.lock();   // held while `table` lives
///   table->insert(...);
///
/// Threads: any thread.
/// Cost: one uncontended mutex.
template <typename T, typename Mutex = std::mutex>
class Guarded {
 public:
  class Locked {
   public:
    T* operator->() { return data_; }
    T& operator*() { return *data_; }
    /// For condition variables only.
    std::unique_lock<Mutex>& as_lock() { return lock_; }

   private:
    friend class Guarded;
    Locked(Mutex& mutex, T& data) : lock_(mutex), data_(&data) {}
    std::unique_lock<Mutex> lock_;
    T* data_;
  };

  Guarded() = default;
  template <typename... Args>
  explicit Guarded(std::in_place_t, Args&&... args) : data_(std::forward<Args>(args)...) {}

  [[nodiscard]] Locked lock() { return Locked(mutex_, data_); }

 private:
  Mutex mutex_;
  T data_{};
};

}  // namespace shingled
