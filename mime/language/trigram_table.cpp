#include "mime/language/trigram_table.h"

namespace shingled::mime {

std::span<const TrigramVote> find_votes(const TrigramTable& table, const Trigram& trigram) {
  const std::uint64_t key = trigram_key(trigram);
  if (key == 0) return {};
  std::size_t slot = first_slot(key, table.slots.size());
  while (table.slots[slot] != 0) {
    if (table.slots[slot] >> kVoteIndexBits == key) {
      const std::size_t first = table.slots[slot] & ((1U << kVoteIndexBits) - 1);
      return table.votes.subspan(first, table.votes[first].following() + std::size_t{1});
    }
    if (++slot == table.slots.size()) slot = 0;
  }
  return {};
}

}  // namespace shingled::mime
