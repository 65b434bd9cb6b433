#include "storage/counters/key_mark.h"

#include <fmt/format.h>

namespace shingled::storage::counters {

std::uint64_t key_mark(const CounterKeyBytes& key) {
  // No piece type has the number 0, so no piece has this shingle but by chance.
  return piece_shingle(key, PieceType{}, "mark of the key of the counters");
}

std::string other_key_error(const std::string& where, std::uint64_t mark, std::uint64_t ours) {
  return fmt::format(
      "{}: was counted with another key (mark {:016x}, that of counters.key_file is {:016x}), so "
      "none of its counters can be found; allowed: the key that it was counted with",
      where, mark, ours);
}

}  // namespace shingled::storage::counters
