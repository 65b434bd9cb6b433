#include "storage/people/people_store.h"

namespace shingled::storage::people {

std::uint64_t sign_of(const counters::CounterKey& key, bool proved) {
  // The shingle is a keyed hash already; the rest only has to make others of it.
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  const std::uint64_t space = std::uint64_t{key.tag()} << 1U | (proved ? 1U : 0U);
  return key.shingle ^ (space + 1) * kOdd;
}

}  // namespace shingled::storage::people
