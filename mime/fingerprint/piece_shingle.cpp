#include "mime/fingerprint/piece_shingle.h"

#include <algorithm>

namespace shingled {

namespace {

constexpr std::size_t kTypeBytes = 2;

template <typename Buffer>
void write_type(Buffer& out, PieceType type) {
  out[0] = static_cast<char>(type);
  out[1] = 0;
}

}  // namespace

std::uint64_t piece_shingle(const CounterKeyBytes& key, PieceType type, std::string_view piece) {
  std::array<char, 256> small;  // NOLINT(*-member-init): written before it is read
  if (piece.size() + kTypeBytes <= small.size()) {
    write_type(small, type);
    std::ranges::copy(piece, small.begin() + kTypeBytes);
    return fingerprint::siphash(key, {small.data(), piece.size() + kTypeBytes});
  }
  std::string large(kTypeBytes, '\0');
  write_type(large, type);
  large += piece;
  return fingerprint::siphash(key, large);
}

std::string pair_piece(std::string_view first, std::string_view second) {
  std::string out;
  out.reserve(sizeof(std::uint32_t) + first.size() + second.size());
  for (unsigned shift = 0; shift < 32; shift += 8)
    out += static_cast<char>(static_cast<std::uint32_t>(first.size()) >> shift);
  out += first;
  out += second;
  return out;
}

}  // namespace shingled
