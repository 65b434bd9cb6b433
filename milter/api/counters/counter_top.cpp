#include "milter/api/counters/counter_top.h"

#include <array>

#include "config/base/best.h"

namespace shingled::milter::api {

namespace {

using storage::counters::Amounts;
using storage::counters::kDaysKept;
using storage::counters::kSlotsPerDay;
using storage::counters::Period;
using storage::counters::Slot;
using storage::counters::Window;
using storage::counters::WindowSums;

std::uint64_t size_of(const TopCounter& counter) { return counter.count - counter.before; }

/// The greater first; then the order of keys, so that each search finds the same.
struct Greater {
  bool operator()(const TopCounter& a, const TopCounter& b) const {
    if (size_of(a) != size_of(b)) return size_of(a) > size_of(b);
    return a.key < b.key;
  }
};

Window window_before(const Window& window) {
  return {window.unit, window.count, window.skipped + window.count};
}

bool is_kept(const Window& window) {
  const std::uint32_t kept = window.unit == Period::Unit::kSlot ? kSlotsPerDay : kDaysKept;
  return window.skipped + window.count <= kept;
}

}  // namespace

Result<std::vector<TopCounter>> find_top(storage::counters::CounterStore& store,
                                         const TopQuestion& question, const std::stop_token& stop) {
  const std::array<Window, 2> windows = {question.window, window_before(question.window)};
  if (question.rising && !is_kept(windows[1]))
    return Error{ErrorCode::kInvalid, "window: for rising at most 12h or 7d"};
  auto cursor = store.scan();
  if (!cursor) return cursor.error();
  const Slot now = store.present_slot();
  Best<TopCounter, Greater> best(question.most);
  while (true) {
    if (stop.stop_requested()) return Error{ErrorCode::kTimeout, "the server ends"};
    const auto next = (*cursor)->next();
    if (!next) return next.error();
    if (*next == nullptr) return best.take();
    const storage::counters::CounterSeries& counter = **next;
    if (question.direction && counter.key.direction != *question.direction) continue;
    if (question.type && counter.key.type != *question.type) continue;
    std::array<Amounts, 2> sums;
    WindowSums adder(windows, now, sums);
    for (const storage::counters::Entry& entry : counter.entries)
      adder.add(counter.key.type, entry.period, entry.amounts);
    const TopCounter found{counter.key, sums[0].of(question.measure),
                           question.rising ? sums[1].of(question.measure) : 0};
    if (found.count > found.before) best.add(found);
  }
}

}  // namespace shingled::milter::api
