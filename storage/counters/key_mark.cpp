#include "storage/counters/key_mark.h"

#include <fmt/format.h>

#include "config/base/hex.h"
#include "storage/sqlite/counters/counter_catalogue.h"

namespace shingled::storage::counters {

std::uint64_t key_mark(const CounterKeyBytes& key) {
  // No piece type has the number 0, so no piece has this shingle but by chance.
  return piece_shingle(key, PieceType{}, "mark of the key of the counters");
}

std::string mark_text(std::uint64_t mark) { return fmt::format("{:016x}", mark); }

std::optional<std::uint64_t> parse_mark(std::string_view text) {
  const auto bytes = from_hex(text);
  if (!bytes || bytes->size() != sizeof(std::uint64_t)) return std::nullopt;
  std::uint64_t mark = 0;
  for (const std::uint8_t byte : *bytes) mark = mark << 8U | byte;
  return mark;
}

std::string other_key_error(const std::string& where, std::uint64_t mark, std::uint64_t ours) {
  return fmt::format(
      "{}: was counted with another key (mark {:016x}, that of counters.key_file is {:016x}), so "
      "none of its counters can be found; allowed: the key that it was counted with",
      where, mark, ours);
}

Status check_key_mark(const std::string& directory, std::uint64_t ours) {
  const auto mark = sqlite::CounterCatalogue::read_key_mark(directory + "/counters.db");
  if (!mark || *mark == ours) return {};
  return Error{ErrorCode::kInvalid, other_key_error(directory, *mark, ours)};
}

}  // namespace shingled::storage::counters
