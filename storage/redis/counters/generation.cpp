#include "storage/redis/counters/generation.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "storage/redis/counters/shared_layout.h"

namespace shingled::storage::redis {

using counters::CounterKey;
using counters::Entry;
using counters::Period;

namespace {

constexpr unsigned kCallBits = 20;  ///< of a call's number; the generation is above them

/// Bucket and shingle as one number: what goes before by bucket, then by shingle, is less.
std::uint64_t rank_of(const CounterKey& key) { return std::rotr(key.shingle, kBucketBits); }

bool goes_before(const CounterKey& a, const CounterKey& b) {
  const std::uint64_t of_a = rank_of(a);
  const std::uint64_t of_b = rank_of(b);
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

void Generation::put(const CounterKey& key, const Entry& entry) {
  add_entry(counters_[key], entry);
}

Generation::Division Generation::divide(
    const std::function<std::uint16_t(const CounterKey&)>& slot_of) const {
  // Numbers are sorted, which is cheaper than sorting what they stand for. Slots rise with buckets.
  std::vector<std::pair<std::uint64_t, const decltype(counters_)::value_type*>> sorted;
  sorted.reserve(counters_.size());
  for (const auto& counter : counters_) sorted.emplace_back(rank_of(counter.first), &counter);
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second->first < b.second->first;
  });
  Division division;
  division.deltas.reserve(sorted.size());
  std::vector<Call>& calls = division.calls;
  for (const auto& [rank, counter] : sorted) {
    const std::uint16_t slot = slot_of(counter->first);
    const bool goes_on = !calls.empty() && calls.back().slot == slot &&
                         calls.back().end - calls.back().begin < kKeysPerCall;
    if (!goes_on) {
      const std::uint64_t number =
          (std::uint64_t{name_.generation} << kCallBits) + calls.size() + 1;
      calls.push_back({slot, number, division.deltas.size(), division.deltas.size()});
    }
    division.deltas.push_back({counter->first, counter->second});
    ++calls.back().end;
  }
  return division;
}

const std::vector<Entry>* Generation::find(const CounterKey& key, std::uint16_t slot,
                                           std::uint64_t applied) const {
  const auto found = counters_.find(key);
  if (found == counters_.end()) return nullptr;
  // The first call of its slot that does not end before it; none if the generation is not sealed.
  const std::vector<Call>& calls = division_.calls;
  const auto begin = std::ranges::lower_bound(calls, slot, {}, &Call::slot);
  const auto end = std::ranges::upper_bound(calls, slot, {}, &Call::slot);
  const auto call =
      std::lower_bound(begin, end, key, [&](const Call& each, const CounterKey& wanted) {
        return goes_before(division_.deltas[each.end - 1].key, wanted);
      });
  const bool is_applied = call != end && call->number <= applied;
  return is_applied ? nullptr : &found->second;
}

}  // namespace shingled::storage::redis
