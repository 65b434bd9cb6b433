#include "storage/redis/counters/read_cache.h"

#include <utility>

#include "storage/redis/counters/shared_layout.h"

namespace shingled::storage::redis {

std::optional<ReadCounter> ReadCache::find(const counters::CounterKey& key, TimePoint now) {
  if (keep_ <= Duration::zero()) return std::nullopt;
  auto tables = tables_.lock();
  for (const Table* table : {&tables->young, &tables->old}) {
    const auto found = table->find(key);
    if (found == table->end()) continue;
    if (found->second.end <= now) return std::nullopt;
    return found->second.read;
  }
  return std::nullopt;
}

void ReadCache::put(const counters::CounterKey& key, const ReadCounter& read, TimePoint now,
                    std::uint64_t forgotten) {
  if (keep_ <= Duration::zero()) return;
  auto tables = tables_.lock();
  const std::uint64_t last = comes_with_pairs(key.type) ? tables->forgotten : tables->all_forgotten;
  if (last > forgotten) return;
  if (tables->young.size() >= half_) {
    tables->old = std::move(tables->young);
    tables->young.clear();
  }
  tables->young[key] = {now + keep_, read};
}

void ReadCache::forget(std::span<const counters::CounterKey> keys) {
  auto tables = tables_.lock();
  ++tables->forgotten;
  for (const counters::CounterKey& key : keys) {
    if (!comes_with_pairs(key.type)) tables->all_forgotten = tables->forgotten;
    tables->young.erase(key);
    tables->old.erase(key);
  }
}

}  // namespace shingled::storage::redis
