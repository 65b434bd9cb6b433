#include "storage/model/fuzzy_store.h"

#include <algorithm>
#include <limits>

namespace shingled::storage {
namespace {

std::int32_t saturating_sum(std::int32_t a, std::int32_t b) {
  using Limits = std::numeric_limits<std::int32_t>;
  const std::int64_t sum = std::int64_t{a} + b;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, Limits::min(), Limits::max()));
}

}  // namespace

void FlagSet::add(FlagValue what, bool weak) {
  for (FlagValue& known : std::span(flags_.data(), count_)) {
    if (known.flag != what.flag) continue;
    known.value = saturating_sum(known.value, what.value);
    return sort();
  }
  if (count_ < kFlagsMax) {
    flags_[count_++] = what;
  } else if (!weak && what.value > flags_.back().value) {
    flags_.back() = what;
  }
  sort();
}

void FlagSet::remove(std::uint32_t flag) {
  const auto end = flags_.begin() + count_;
  const auto kept = std::remove_if(flags_.begin(), end,
                                   [&](const FlagValue& known) { return known.flag == flag; });
  count_ = static_cast<std::uint32_t>(kept - flags_.begin());
}

void FlagSet::sort() {
  std::sort(flags_.begin(), flags_.begin() + count_, [](const FlagValue& a, const FlagValue& b) {
    return a.value != b.value ? a.value > b.value : a.flag < b.flag;
  });
}

bool operator==(const FlagSet& a, const FlagSet& b) { return std::ranges::equal(a.all(), b.all()); }

}  // namespace shingled::storage
