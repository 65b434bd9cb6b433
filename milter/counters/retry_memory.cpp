#include "milter/counters/retry_memory.h"

#include <string>
#include <utility>

namespace shingled::milter::counters {

std::uint64_t RetryMemory::hash_of(const RetryName& name) {
  // Of each text the length first, so that no part can be taken for another.
  std::string text = std::to_string(name.message_id.size()) + ' ';
  text += std::to_string(name.sender.size()) + ' ' + std::to_string(name.recipients) + ' ';
  text += std::to_string(name.size) + ' ';
  text += name.message_id;
  text += name.sender;
  return SecretHash::of_process()(text);
}

void RetryMemory::remember(const RetryName& name, TimePoint now) {
  const std::uint64_t hash = hash_of(name);
  auto memory = memory_.lock();
  memory->times[hash] = now;
  memory->in_order.emplace_back(now, hash);
  // An entry that was deferred again has a later time, and another place in the order.
  const auto is_over = [&] {
    return !memory->in_order.empty() &&
           (memory->in_order.size() > most_ || now - memory->in_order.front().first >= kLife);
  };
  while (is_over()) {
    const auto [time, oldest] = memory->in_order.front();
    memory->in_order.pop_front();
    const auto found = memory->times.find(oldest);
    if (found != memory->times.end() && found->second == time) memory->times.erase(found);
  }
}

bool RetryMemory::knows(const RetryName& name, TimePoint now) const {
  if (memory_.lock()->times.empty()) return false;
  const std::uint64_t hash = hash_of(name);
  auto memory = memory_.lock();
  const auto found = memory->times.find(hash);
  return found != memory->times.end() && now - found->second < kLife;
}

}  // namespace shingled::milter::counters
