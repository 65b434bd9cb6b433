#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace shingled::storage::engine {

/// Tells one writer when no reader can still see what it removed; readers never wait.
///
/// A reader holds a Pass while it looks. The writer unlinks something, calls `wait_for_readers`,
/// and then frees or reuses it. There are two phases of counters. The writer sends new readers to
/// the other phase and waits until the old one has no readers. It does so twice, to catch a reader
/// that read the phase long ago and counts itself only now.
///
/// Why it is enough: a reader counts itself, and the writer looks at the count, both with a
/// read-modify-write of one counter, so one is before the other. Either the writer sees the reader,
/// or the reader comes later and sees what the writer did before.
/// Threads: any thread reads, one writes.
/// Cost: two uncontended atomic additions for a Pass.
class ReadGate {
 public:
  class Pass {
   public:
    explicit Pass(const ReadGate& gate);
    ~Pass() { counter_.fetch_sub(1, std::memory_order_release); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    Pass(Pass&&) = delete;
    Pass& operator=(Pass&&) = delete;

   private:
    std::atomic<std::uint32_t>& counter_;
  };

  /// Returns when all Passes that existed at the call are gone. New ones do not delay it.
  void wait_for_readers();

 private:
  static constexpr std::size_t kStripes = 16;  ///< so that readers seldom share a cache line
  struct alignas(64) Stripe {
    std::array<std::atomic<std::uint32_t>, 2> readers{};
  };
  [[nodiscard]] std::atomic<std::uint32_t>& counter_of_this_thread() const;

  mutable std::array<Stripe, kStripes> stripes_;
  std::atomic<std::uint32_t> phase_{0};
};

}  // namespace shingled::storage::engine
