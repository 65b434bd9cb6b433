#include "storage/shared_counters/generation.h"

#include <algorithm>
#include <utility>

#include "storage/shared_counters/shared_layout.h"

namespace shingled::storage::shared_counters {

using counters::CounterKey;
using counters::Entry;
using counters::Period;

namespace {

constexpr unsigned kCallBits = 20;  ///< of a call's number; the generation is above them

/// The order in a call: counters of one bucket are together.
bool goes_before(const CounterKey& a, const CounterKey& b) {
  const Bucket of_a = bucket_of(a);
  const Bucket of_b = bucket_of(b);
  return of_a != of_b ? of_a < of_b : a < b;
}

}  // namespace

void Generation::add(std::uint64_t number, const counters::PastAddition& past,
                     const std::shared_ptr<PairTicket>& ticket) {
  const Entry entry{{Period::Unit::kSlot, past.slot}, past.addition.amounts};
  for (const CounterKey& key : past.addition.counters) put(key, entry);
  for (const counters::Pair& pair : past.addition.pairs)
    pairs_.push_back({{number, pair, past.slot, past.addition.amounts}, ticket});
}

void Generation::add(std::uint64_t number, const WaitingItem& item,
                     const std::shared_ptr<PairTicket>& ticket) {
  if (const auto* past = std::get_if<counters::PastAddition>(&item)) {
    add(number, *past, ticket);
    return;
  }
  const auto& series = std::get<counters::CounterSeries>(item);
  for (const Entry& entry : series.entries) put(series.key, entry);
}

void Generation::put(const CounterKey& key, const Entry& entry) { add_entry(open_[key], entry); }

void Generation::seal(const std::function<std::uint16_t(const CounterKey&)>& slot_of) {
  // Pointers are sorted, which is cheaper than sorting what they point to.
  std::vector<std::pair<std::uint16_t, decltype(open_)::value_type*>> sorted;
  sorted.reserve(open_.size());
  for (auto& counter : open_) sorted.emplace_back(slot_of(counter.first), &counter);
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : goes_before(a.second->first, b.second->first);
  });
  deltas_.reserve(sorted.size());
  for (const auto& [slot, counter] : sorted) {
    const bool goes_on = !calls_.empty() && calls_.back().slot == slot &&
                         calls_.back().end - calls_.back().begin < kKeysPerCall;
    if (!goes_on) {
      const std::uint64_t number =
          (std::uint64_t{name_.generation} << kCallBits) + calls_.size() + 1;
      calls_.push_back({slot, number, deltas_.size(), deltas_.size(), false});
    }
    deltas_.push_back({counter->first, std::move(counter->second)});
    ++calls_.back().end;
  }
  open_.clear();
}

const std::vector<Entry>* Generation::find(const CounterKey& key, std::uint16_t slot,
                                           std::uint64_t applied) const {
  if (const auto found = open_.find(key); found != open_.end()) return &found->second;
  auto call = std::ranges::lower_bound(calls_, slot, {}, &Call::slot);
  for (; call != calls_.end() && call->slot == slot; ++call) {
    const auto begin = deltas_.begin() + static_cast<std::ptrdiff_t>(call->begin);
    const auto end = deltas_.begin() + static_cast<std::ptrdiff_t>(call->end);
    if (goes_before(std::prev(end)->key, key)) continue;
    const auto found =
        std::lower_bound(begin, end, key, [](const CounterDelta& delta, const CounterKey& wanted) {
          return goes_before(delta.key, wanted);
        });
    if (found == end || found->key != key || call->number <= applied) return nullptr;
    return &found->entries;
  }
  return nullptr;
}

}  // namespace shingled::storage::shared_counters
