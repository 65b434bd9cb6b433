#pragma once

#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

/// What clang's -Wthread-safety checks: which lock guards which member, and which function wants it
/// held. Other compilers see nothing. The names are those of clang's manual ("Thread Safety
/// Analysis").
#if defined(__clang__)
#define SHINGLED_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define SHINGLED_THREAD_ATTRIBUTE(attribute)
#endif

// Of classes: a lock, and what holds one from construction to destruction.
#define SHINGLED_CAPABILITY(kind) SHINGLED_THREAD_ATTRIBUTE(capability(kind))
#define SHINGLED_SCOPED_CAPABILITY SHINGLED_THREAD_ATTRIBUTE(scoped_lockable)

// Of members: read and changed only with the lock held.
#define SHINGLED_GUARDED_BY(lock) SHINGLED_THREAD_ATTRIBUTE(guarded_by(lock))

// Of functions: the caller holds the lock.
#define SHINGLED_REQUIRES(...) SHINGLED_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))

// Of functions: they take or release it. Without an argument it is `this`.
#define SHINGLED_ACQUIRE(...) SHINGLED_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define SHINGLED_ACQUIRE_SHARED(...) \
  SHINGLED_THREAD_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define SHINGLED_RELEASE(...) SHINGLED_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define SHINGLED_RELEASE_SHARED(...) \
  SHINGLED_THREAD_ATTRIBUTE(release_shared_capability(__VA_ARGS__))
/// The first argument is what the function returns when it has taken it.
#define SHINGLED_TRY_ACQUIRE(...) SHINGLED_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))

/// A function that the analysis cannot follow; say why beside it.
#define SHINGLED_NO_THREAD_SAFETY_ANALYSIS SHINGLED_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace shingled {

/// std::mutex for members that say `SHINGLED_GUARDED_BY(mutex_)`: clang then refuses code that
/// touches them without the lock. For data that nothing else belongs to, `Guarded` is simpler.
/// Threads: any thread.
/// Cost: that of std::mutex.
class SHINGLED_CAPABILITY("mutex") Mutex {
 public:
  void lock() SHINGLED_ACQUIRE() { mutex_.lock(); }
  void unlock() SHINGLED_RELEASE() { mutex_.unlock(); }
  [[nodiscard]] bool try_lock() SHINGLED_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class MutexLock;
  template <typename T>
  friend class Guarded;
  std::mutex mutex_;
};

/// Holds a Mutex while it lives, except between `unlock` and `lock`.
/// Threads: one thread.
class SHINGLED_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) SHINGLED_ACQUIRE(mutex) : lock_(mutex.mutex_) {}
  /// After a `try_lock` that succeeded.
  MutexLock(Mutex& mutex, std::adopt_lock_t adopt) SHINGLED_REQUIRES(mutex)
      : lock_(mutex.mutex_, adopt) {}
  ~MutexLock() SHINGLED_RELEASE() = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  MutexLock(MutexLock&&) = delete;
  MutexLock& operator=(MutexLock&&) = delete;

  void lock() SHINGLED_ACQUIRE() { lock_.lock(); }
  void unlock() SHINGLED_RELEASE() { lock_.unlock(); }
  /// For condition variables only. Their predicate says `SHINGLED_REQUIRES(mutex_)`.
  std::unique_lock<std::mutex>& as_lock() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

/// Data and the lock that guards it in one: the only way to the data is through `lock()`, so
/// forgetting to lock does not compile.
///
///   Guarded<Table> table_;
///   auto table = table_.lock();   // held while `table` lives
///   table->insert(...);
///
/// Threads: any thread.
/// Cost: one uncontended mutex.
template <typename T>
class Guarded {
 public:
  class Locked {
   public:
    T* operator->() { return data_; }
    T& operator*() { return *data_; }
    /// For condition variables only.
    std::unique_lock<std::mutex>& as_lock() { return lock_; }

   private:
    friend class Guarded;
    Locked(std::unique_lock<std::mutex> lock, T& data) : lock_(std::move(lock)), data_(&data) {}
    std::unique_lock<std::mutex> lock_;
    T* data_;
  };

  Guarded() = default;
  template <typename... Args>
  explicit Guarded(std::in_place_t, Args&&... args) : data_(std::forward<Args>(args)...) {}

  // The analysis cannot follow a lock into a value that is returned; the type does its work here.
  [[nodiscard]] Locked lock() SHINGLED_NO_THREAD_SAFETY_ANALYSIS {
    return Locked(std::unique_lock(mutex_.mutex_), data_);
  }
  /// Nothing if another thread has it.
  [[nodiscard]] std::optional<Locked> try_lock() SHINGLED_NO_THREAD_SAFETY_ANALYSIS {
    std::unique_lock lock(mutex_.mutex_, std::try_to_lock);
    if (!lock) return std::nullopt;
    return Locked(std::move(lock), data_);
  }

 private:
  Mutex mutex_;
  T data_ SHINGLED_GUARDED_BY(mutex_){};
};

/// A lock that many threads hold together to read, and one alone to change. One that wants it alone
/// waits only for the readers that have it now: those that come later wait for it. With
/// std::shared_mutex readers that keep coming could keep it out without end.
///
/// For std::unique_lock and std::shared_lock.
/// Threads: any thread.
class SHINGLED_CAPABILITY("shared mutex") FairSharedMutex {
 public:
  void lock() SHINGLED_ACQUIRE() {
    const std::lock_guard turn(turn_);
    inside_.lock();
  }
  void unlock() SHINGLED_RELEASE() { inside_.unlock(); }
  void lock_shared() SHINGLED_ACQUIRE_SHARED() {
    const std::lock_guard turn(turn_);
    inside_.lock_shared();
  }
  void unlock_shared() SHINGLED_RELEASE_SHARED() { inside_.unlock_shared(); }

 private:
  std::mutex turn_;
  std::shared_mutex inside_;
};

}  // namespace shingled
