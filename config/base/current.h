#pragma once

#include <memory>
#include <utility>

#include "config/base/guarded.h"

namespace shingled {

/// What is in force for many threads; null at first. A reload replaces it as a whole; those who
/// have got it keep it as long as they want.
/// Threads: any thread.
template <typename T>
class Current {
 public:
  Current() = default;
  explicit Current(std::shared_ptr<T> value) : value_(std::in_place, std::move(value)) {}

  [[nodiscard]] std::shared_ptr<T> get() const { return *value_.lock(); }
  /// The old value is destroyed on the thread that calls, outside the lock, if nobody has it.
  void set(std::shared_ptr<T> value) { value.swap(*value_.lock()); }

 private:
  mutable Guarded<std::shared_ptr<T>> value_;
};

}  // namespace shingled
