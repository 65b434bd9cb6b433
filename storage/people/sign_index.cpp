#include "storage/people/sign_index.h"

#include <algorithm>
#include <utility>

namespace shingled::storage::people {

namespace {

constexpr std::size_t kSlotsLeast = 1024;

}  // namespace

/// Signs are keyed hashes, so their low bits are as good as any. The table has a free slot.
std::size_t SignIndex::place_of(std::uint64_t sign) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = sign & mask;
  while (slots_[place].used() && slots_[place].sign != sign) place = (place + 1) & mask;
  return place;
}

void SignIndex::grow() {
  std::vector<Slot> old =
      std::exchange(slots_, std::vector<Slot>(slots_.empty() ? kSlotsLeast : slots_.size() * 2));
  for (const Slot& slot : old)
    if (slot.used()) slots_[place_of(slot.sign)] = slot;
}

SignIndex::Number SignIndex::add(const Statement& statement) {
  const auto number = static_cast<Number>(statements_.size());
  statements_.push_back(
      {{statement.person, statement.time, statement.kind, statement.standing}, false});
  for (const std::uint64_t sign : statement.signs) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place_of(sign)];
    if (!slot.used()) {
      slot.sign = sign;
      ++used_;
    }
    std::uint32_t& newest =
        statement.standing == Standing::kNewcomer ? slot.newcomer : slot.of_standing;
    links_.push_back({number, newest});
    newest = static_cast<std::uint32_t>(links_.size() - 1);
  }
  return number;
}

void SignIndex::find(std::uint64_t sign, Voices& out) const {
  if (slots_.empty()) return;
  const std::size_t most = out.size() + kVoicesMax;
  const Slot& slot = slots_[place_of(sign)];
  follow(slot.of_standing, most, out);
  follow(slot.newcomer, std::min(most, out.size() + kNewcomerVoicesMax), out);
}

void SignIndex::follow(std::uint32_t link, std::size_t most, Voices& out) const {
  for (; link != kNone && out.size() < most; link = links_[link].before) {
    const Known& known = statements_[links_[link].statement];
    if (!known.removed) out.push_back(known.voice);
  }
}

std::size_t SignIndex::bytes() const {
  return statements_.capacity() * sizeof(Known) + links_.capacity() * sizeof(Link) +
         slots_.capacity() * sizeof(Slot);
}

}  // namespace shingled::storage::people
