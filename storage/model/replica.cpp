#include "storage/model/replica.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace shingled::storage {
namespace {

struct Sum {
  std::uint32_t flag = 0;
  std::int64_t value = 0;
};

FlagSet add_up(std::span<const Part* const> parts) {
  std::vector<Sum> sums;
  for (const Part* part : parts) {
    for (const FlagValue& one : part->flags.all()) {
      const auto known = std::ranges::find(sums, one.flag, &Sum::flag);
      if (known == sums.end()) {
        sums.push_back({one.flag, one.value});
      } else {
        known->value += one.value;
      }
    }
  }
  std::ranges::sort(sums, [](const Sum& a, const Sum& b) {
    return a.value != b.value ? a.value > b.value : a.flag < b.flag;
  });
  if (sums.size() > kFlagsMax) sums.resize(kFlagsMax);
  using Limits = std::numeric_limits<std::int32_t>;
  FlagSet flags;
  for (const Sum& sum : sums) {
    flags.add({sum.flag, static_cast<std::int32_t>(
                             std::clamp<std::int64_t>(sum.value, Limits::min(), Limits::max()))});
  }
  return flags;
}

}  // namespace

Part merge(std::span<const Part* const> parts) {
  Part all;
  if (parts.empty()) return all;
  all.flags = add_up(parts);
  const Part* first = nullptr;  // of the parts with shingles
  all.created = parts.front()->created;
  for (const Part* part : parts) {
    all.created = std::min(all.created, part->created);
    if (std::tie(part->updated, part->source) > std::tie(all.updated, all.source)) {
      all.updated = part->updated;
      all.source = part->source;
    }
    if (!part->shingles) continue;
    if (first == nullptr ||
        std::tie(part->created, *part->shingles) < std::tie(first->created, *first->shingles)) {
      first = part;
    }
  }
  // A clock far ahead may have set `created`. The part existed when it was last taught.
  all.created = std::min(all.created, all.updated);
  if (first != nullptr) all.shingles = first->shingles;
  return all;
}

}  // namespace shingled::storage
