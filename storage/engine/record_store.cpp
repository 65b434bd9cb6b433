#include "storage/engine/record_store.h"

#include <algorithm>
#include <functional>
#include <thread>

#include "config/base/assert.h"

namespace shingled::storage::engine {
namespace {

std::uint64_t join(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}
std::uint32_t high_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
std::uint32_t low_of(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

void append(std::vector<std::uint32_t>& to, std::vector<std::uint32_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
  from.clear();
}

}  // namespace

RecordNeeds RecordStore::room() const {
  const std::uint64_t in_new_blocks = std::uint64_t{kNumberMax} + 1 - next_block_;
  return {.records = in_new_blocks + std::min(kinds_[0].free.size(), kinds_[1].free.size()),
          .flag_sets = std::uint64_t{kFlagSetsMax} + 1 - next_set_ + free_sets_.size()};
}

std::uint32_t RecordStore::add(const Digest& digest, const RecordState& state,
                               const SlotLows* shingles) {
  const std::uint32_t number = take_number(shingles != nullptr);
  Head& head = heads_[number];
  head.digest = digest;
  if (shingles != nullptr) lows_[number] = *shingles;
  head.hits.store(0, std::memory_order_relaxed);
  write_state(head, state);
  flag_totals_.add(state.flags);
  size_.fetch_add(1, std::memory_order_relaxed);
  return number;
}

void RecordStore::update(std::uint32_t number, const RecordState& state) {
  SHINGLED_ASSERT(is_live(number));
  Head& head = heads_[number];
  flag_totals_.take(this->state(number).flags);
  flag_totals_.add(state.flags);
  const std::uint64_t old = head.row_and_set.load(std::memory_order_relaxed);
  write_state(head, state);
  if (old >> kRowBits != 0) released_sets_.push_back(static_cast<std::uint32_t>(old >> kRowBits));
}

void RecordStore::release(std::uint32_t number) {
  clear(number);
  kinds_[has_shingles(number) ? 1 : 0].released.push_back(number);
}

void RecordStore::retire(std::uint32_t number) { clear(number); }

void RecordStore::clear(std::uint32_t number) {
  SHINGLED_ASSERT(is_live(number));  // a number released twice would be given to two records
  flag_totals_.take(state(number).flags);
  const std::uint64_t old = heads_[number].row_and_set.exchange(0, std::memory_order_acq_rel);
  if (old >> kRowBits != 0) released_sets_.push_back(static_cast<std::uint32_t>(old >> kRowBits));
  size_.fetch_sub(1, std::memory_order_relaxed);
}

void RecordStore::reuse_released() {
  for (Kind& kind : kinds_) {
    for (const std::uint32_t number : kind.released) {
      SHINGLED_ASSERT(block_used_[number / kBlock] > 0);
      if (--block_used_[number / kBlock] != 0) continue;
      heads_.clear_block(number);
      lows_.clear_block(number);
    }
    append(kind.free, kind.released);
  }
  append(free_sets_, released_sets_);
}

RecordState RecordStore::state(std::uint32_t number) const {
  const Head& head = heads_[number];
  RecordState state;
  // Read the set number first: if it says one list, the flag word was written before it.
  const std::uint64_t row_and_set = head.row_and_set.load(std::memory_order_acquire);
  state.row = static_cast<std::int64_t>(row_and_set & kRowMask);
  if (const std::uint64_t set = row_and_set >> kRowBits; set != 0) {
    state.flags = sets_[set];
  } else {
    const std::uint64_t flag = head.flag.load(std::memory_order_acquire);
    state.flags.add({low_of(flag), static_cast<std::int32_t>(high_of(flag))});
  }
  const std::uint64_t times = head.times.load(std::memory_order_acquire);
  state.created = low_of(times);
  state.updated = high_of(times);
  return state;
}

std::uint32_t RecordStore::updated(std::uint32_t number) const {
  return high_of(heads_[number].times.load(std::memory_order_acquire));
}

bool RecordStore::has_shingles(std::uint32_t number) const {
  return block_has_shingles_[number / kBlock];
}

bool RecordStore::is_live(std::uint32_t number) const {
  return heads_[number].row_and_set.load(std::memory_order_relaxed) != 0;
}

std::uint32_t RecordStore::take_number(bool with_shingles) {
  std::vector<std::uint32_t>& free = kinds_[with_shingles ? 1 : 0].free;
  if (free.empty()) {
    const std::uint32_t first = next_block_.load(std::memory_order_relaxed);
    SHINGLED_ASSERT(first <= kNumberMax);
    // First everything that may throw bad_alloc: until then nothing has changed.
    block_has_shingles_.reserve(block_has_shingles_.size() + 1);
    block_used_.reserve(block_used_.size() + 1);
    free.reserve(free.size() + kBlock);
    heads_.ensure(first);
    if (with_shingles) lows_.ensure(first);
    block_has_shingles_.push_back(with_shingles);
    block_used_.push_back(0);
    // From the highest, so that numbers are given out in rising order; 0 is never used.
    for (std::uint32_t number = first + kBlock - 1;; --number) {
      if (number != 0) free.push_back(number);
      if (number == first) break;
    }
    next_block_.store(first + kBlock, std::memory_order_release);
  }
  const std::uint32_t number = free.back();
  free.pop_back();
  ++block_used_[number / kBlock];
  return number;
}

std::uint32_t RecordStore::take_set(const FlagSet& flags) {
  std::uint32_t set = 0;
  if (!free_sets_.empty()) {
    set = free_sets_.back();
    free_sets_.pop_back();
  } else {
    SHINGLED_ASSERT(next_set_ <= kFlagSetsMax);
    sets_.ensure(next_set_);
    set = next_set_++;
  }
  sets_[set] = flags;
  return set;
}

void RecordStore::write_state(Head& head, const RecordState& state) {
  SHINGLED_ASSERT(!state.flags.empty());
  SHINGLED_ASSERT(state.row > 0 && static_cast<std::uint64_t>(state.row) <= kRowMask);
  const FlagValue& first = state.flags.front();
  head.times.store(join(state.updated, state.created), std::memory_order_release);
  std::uint64_t set = 0;
  if (state.flags.size() == 1) {
    head.flag.store(join(static_cast<std::uint32_t>(first.value), first.flag),
                    std::memory_order_release);
  } else {
    set = take_set(state.flags);
  }
  head.row_and_set.store(set << kRowBits | static_cast<std::uint64_t>(state.row),
                         std::memory_order_release);
}

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
