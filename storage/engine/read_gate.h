#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace shingled::storage::engine {

/// Lets one writer find out when no reader can still see what it took away; readers never wait.
///
/// A reader holds a Pass while it looks. The writer unlinks something, calls `wait_for_readers`,
/// and then frees or reuses it. There are two phases of counters: the writer turns new readers to
/// the other phase and waits for the old one to run empty, twice, so that also a reader that read
/// the phase long ago and counts only now is seen.
///
/// Why it is enough: counting in and the writer's look are both read-modify-writes of one counter,
/// hence ordered. Either the writer sees the reader, or the reader comes later and sees what the
/// writer did before.
/// Threads: any thread reads, one writes.   Cost of a Pass: two uncontended atomic additions.
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

  /// Returns when every Pass that existed at the call is gone. New ones do not delay it.
  void wait_for_readers();

 private:
  static constexpr std::size_t kStripes = 16;  ///< so that readers do not share a cache line
  struct alignas(64) Stripe {
    std::array<std::atomic<std::uint32_t>, 2> readers{};
  };
  [[nodiscard]] std::atomic<std::uint32_t>& counter_of_this_thread() const;

  mutable std::array<Stripe, kStripes> stripes_;
  std::atomic<std::uint32_t> phase_{0};
};

}  // namespace shingled::storage::engine
