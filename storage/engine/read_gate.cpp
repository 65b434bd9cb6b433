#include "storage/engine/read_gate.h"

#include <functional>
#include <thread>

namespace shingled::storage::engine {

ReadGate::Pass::Pass(const ReadGate& gate) : counter_(gate.counter_of_this_thread()) {
  counter_.fetch_add(1, std::memory_order_acq_rel);
}

std::atomic<std::uint32_t>& ReadGate::counter_of_this_thread() const {
  // Thread ids are addresses of page-aligned blocks; the multiplication spreads their high bits.
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  static_assert(kStripes == 16, "the shift below takes 4 bits");
  static thread_local const std::size_t stripe =
      (std::hash<std::thread::id>{}(std::this_thread::get_id()) * kGolden) >> 60;
  return stripes_[stripe].readers[phase_.load(std::memory_order_acquire)];
}

void ReadGate::wait_for_readers() {
  for (int turn = 0; turn < 2; ++turn) {
    const std::uint32_t old_phase = phase_.load(std::memory_order_relaxed);
    phase_.store(old_phase ^ 1, std::memory_order_release);
    for (Stripe& stripe : stripes_) {
      // Adds 0 instead of loading: it must be a read-modify-write, see the header.
      while (stripe.readers[old_phase].fetch_add(0, std::memory_order_acq_rel) != 0) {
        std::this_thread::yield();
      }
    }
  }
}

}  // namespace shingled::storage::engine
