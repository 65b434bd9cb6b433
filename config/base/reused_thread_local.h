#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "config/base/guarded.h"

namespace shingled {

/// An object that a thread uses, and leaves to the next thread when it ends. Each connection of
/// mail has its own thread, which would otherwise make its own ICU iterators and tables of stems.
///
///   ReusedThreadLocal<Table>::of_this_thread().find(...);
///
/// There are as many objects as threads that use one, and at most kLeftMax unused ones. They live
/// as long as the program, so T must free what only a large mail needed.
/// Threads: one thread; a lock protects the exchange between threads.
template <typename T>
class ReusedThreadLocal {
 public:
  static constexpr std::size_t kLeftMax = 32;

  /// The object of this thread: one that was left by another thread, or a new one.
  static T& of_this_thread() {
    thread_local ReusedThreadLocal mine;
    // The analyzer takes an object of a thread for one of this call.
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDelete)
    return *mine.object_;
  }

  ~ReusedThreadLocal() {
    auto left = estate().lock();
    if (left->size() < kLeftMax) left->push_back(std::move(object_));
  }
  ReusedThreadLocal(const ReusedThreadLocal&) = delete;
  ReusedThreadLocal& operator=(const ReusedThreadLocal&) = delete;

 private:
  using Objects = std::vector<std::unique_ptr<T>>;

  ReusedThreadLocal() : object_(take()) {}

  /// The latest first: it may still be in the processor's cache.
  static std::unique_ptr<T> take() {
    {
      auto left = estate().lock();
      if (!left->empty()) {
        std::unique_ptr<T> object(left->back().release());
        left->pop_back();
        return object;
      }
    }
    return std::make_unique<T>();
  }

  /// Never destroyed: threads may end after the statics of the program.
  static Guarded<Objects>& estate() {
    static Guarded<Objects>* const left = [] {
      auto made = std::make_unique<Guarded<Objects>>();
      made->lock()->reserve(kLeftMax);  // a destructor may not run out of memory
      return made.release();
    }();
    return *left;
  }

  std::unique_ptr<T> object_;
};

}  // namespace shingled
