#include "milter/desk/counters/learn_batch.h"

#include <algorithm>

namespace shingled::milter::desk {

Status LearnBatches::add(std::int64_t time, std::string addition) {
  held_bytes_ += addition.size();
  held_.emplace_back(time, std::move(addition));
  return held_bytes_ < held_most_ ? Status() : finish();
}

Status LearnBatches::finish() {
  std::stable_sort(held_.begin(), held_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string request;
  for (const auto& [time, addition] : held_) {
    if (!request.empty()) request += ',';
    request += addition;
    if (request.size() < kRequestBytes) continue;
    if (Status sent = send_(request); !sent) return sent;
    request.clear();
  }
  held_.clear();
  held_bytes_ = 0;
  return request.empty() ? Status() : send_(request);
}

}  // namespace shingled::milter::desk
