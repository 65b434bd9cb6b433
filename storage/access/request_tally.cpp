#include "storage/access/request_tally.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "config/base/best.h"

namespace shingled::storage::access {

namespace {

/// Source addresses are never in ff00::/8 (RFC 4291 2.7), so names of IPv4 networks use this
/// prefix.
constexpr std::uint64_t kV4Mark = 0xffff'ffff'0000'0000;
constexpr std::uint64_t kV4Network = 0xffff'ff00;
static_assert(SourceTally::kBitsV4 == 24 && SourceTally::kBitsV6 == 64, "the bits of a name");
static_assert(std::has_single_bit(SourceTally::kSets));

std::uint64_t name_of(const IpAddress& ip) {
  std::uint64_t word = 0;
  std::memcpy(&word, ip.bytes.data(), sizeof word);
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
  return ip.family == IpAddress::Family::kV4 ? kV4Mark | (word >> 32 & kV4Network) : word;
}

Network network_of(std::uint64_t name) {
  IpAddress ip;
  const bool v4 = (name & kV4Mark) == kV4Mark;
  ip.family = v4 ? IpAddress::Family::kV4 : IpAddress::Family::kV6;
  std::uint64_t word = v4 ? name << 32 : name;
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
  std::memcpy(ip.bytes.data(), &word, sizeof word);
  return Network::of(ip, v4 ? SourceTally::kBitsV4 : SourceTally::kBitsV6);
}

/// Only one thread adds. A reader of the new value also sees all writes before it.
void add_to(std::atomic<std::uint64_t>& count, std::uint64_t more) {
  count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_release);
}

/// Keeps the `most` items with the highest counts, highest first. Returns the sum of the others.
template <typename Item>
RequestOutcomeCounts cut(std::vector<Item>& items, std::size_t most) {
  const auto heavier = [](const Item& a, const Item& b) { return a.counts.sum() > b.counts.sum(); };
  RequestOutcomeCounts rest;
  for (const Item& item : keep_best(items, most, heavier)) rest += item.counts;
  return rest;
}

/// Calls `tell(count, result)` for each result with a count above 0.
template <typename Tell>
void each_result(const RequestOutcomeCounts& counts, const Tell& tell) {
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    if (counts.counts[i] != 0) tell(counts.counts[i], std::string(kOutcomeNames[i]));
  }
}

}  // namespace

void SourceTally::count(const IpAddress& ip, RequestOutcome outcome) {
  const std::uint64_t name = name_of(ip);
  Set& set = sets_[(name * secret_) >> (64 - std::countr_zero(kSets))];
  const std::size_t place = place_of(set, name);
  ++set.weights[place];
  add_to(set.counts[place][static_cast<std::size_t>(outcome)], 1);
}

std::size_t SourceTally::place_of(Set& set, std::uint64_t name) {
  std::size_t lightest = 0;
  for (std::size_t i = 0; i < kWays; ++i) {
    if (set.names[i].load(std::memory_order_relaxed) == name && set.weights[i] != 0) return i;
    if (set.weights[i] < set.weights[lightest]) lightest = i;
  }
  give_away(set, lightest, name);
  return lightest;
}

void SourceTally::give_away(Set& set, std::size_t place, std::uint64_t name) {
  std::atomic<std::uint64_t>& turn = set.turns[place];
  add_to(turn, 1);
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    add_to(other_[i], set.counts[place][i].load(std::memory_order_relaxed));
    set.counts[place][i].store(0, std::memory_order_release);
  }
  set.names[place].store(name, std::memory_order_release);
  add_to(turn, 1);
}

SourceTally::Reading SourceTally::read() const {
  Reading reading;
  for (const Set& set : sets_) {
    for (std::size_t place = 0; place < kWays; ++place) {
      std::uint64_t name = 0;
      RequestOutcomeCounts seen;
      std::uint64_t before = 0;
      do {
        before = set.turns[place].load(std::memory_order_acquire);
        name = set.names[place].load(std::memory_order_acquire);
        for (std::size_t i = 0; i < kOutcomes; ++i)
          seen.counts[i] = set.counts[place][i].load(std::memory_order_acquire);
      } while (before % 2 != 0 || set.turns[place].load(std::memory_order_relaxed) != before);
      if (seen.sum() != 0) reading.entries.push_back({network_of(name), seen});
    }
  }
  for (std::size_t i = 0; i < kOutcomes; ++i)
    reading.other.counts[i] = other_[i].load(std::memory_order_relaxed);
  return reading;
}

void report_keys(std::vector<KeyReading> keys, MetricReport& report) {
  const RequestOutcomeCounts rest = cut(keys, kKeysTold);
  keys.push_back({"other", "", rest});
  for (const KeyReading& key : keys) {
    each_result(key.counts, [&](std::uint64_t count, std::string result) {
      report.counter({"shingled_server_key_requests", "Requests by the key they were sealed with."},
                     count, {{"key", key.id}, {"name", key.name}, {"result", std::move(result)}});
    });
  }
}

void report_sources(const std::vector<SourceTally::Reading>& workers, MetricReport& report) {
  std::map<IpAddress, RequestOutcomeCounts> merged;
  RequestOutcomeCounts other;
  for (const SourceTally::Reading& worker : workers) {
    for (const SourceTally::Entry& entry : worker.entries)
      merged[entry.network.address] += entry.counts;
    other += worker.other;
  }
  struct Source {
    std::string name;
    RequestOutcomeCounts counts;
  };
  std::vector<Source> sources;
  for (const auto& [ip, counts] : merged) {
    const bool v4 = ip.family == IpAddress::Family::kV4;
    const int bits = v4 ? SourceTally::kBitsV4 : SourceTally::kBitsV6;
    sources.push_back({Network{ip, bits}.to_string(), counts});
  }
  other += cut(sources, kSourcesTold);
  sources.push_back({"other", other});
  for (const Source& source : sources) {
    each_result(source.counts, [&](std::uint64_t count, std::string result) {
      report.gauge({"shingled_server_source_requests", "Requests of the networks that ask most."},
                   count, {{"network", source.name}, {"result", std::move(result)}});
    });
  }
}

}  // namespace shingled::storage::access
