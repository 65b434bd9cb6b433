#include "mime/pieces/keccak256.h"

#include <bit>
#include <cstddef>

namespace shingled::mime {

namespace {

constexpr std::size_t kLanes = 25;
constexpr std::size_t kRounds = 24;
constexpr std::size_t kRateBytes = 136;
using KeccakState = std::array<std::uint64_t, kLanes>;

/// The constants of step iota come from a shift register of eight bits (reference, 1.2).
constexpr std::array<std::uint64_t, kRounds> kRoundConstants = [] {
  std::array<std::uint64_t, kRounds> out{};
  unsigned bits = 1;
  for (std::uint64_t& constant : out) {
    for (unsigned i = 0; i < 7; ++i) {
      if ((bits & 1U) != 0) constant |= std::uint64_t{1} << ((1U << i) - 1);
      bits <<= 1U;
      if ((bits & 0x100U) != 0) bits ^= 0x171U;
    }
  }
  return out;
}();

void theta(KeccakState& a) {
  std::array<std::uint64_t, 5> column{};
  for (std::size_t x = 0; x < 5; ++x)
    column[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
  for (std::size_t x = 0; x < 5; ++x) {
    const std::uint64_t change = column[(x + 4) % 5] ^ std::rotl(column[(x + 1) % 5], 1);
    for (std::size_t y = 0; y < kLanes; y += 5) a[x + y] ^= change;
  }
}

void rho_and_pi(KeccakState& a) {
  std::size_t x = 1;
  std::size_t y = 0;
  std::uint64_t lane = a[1];
  for (int t = 0; t < 24; ++t) {
    const std::size_t next = (2 * x + 3 * y) % 5;
    x = y;
    y = next;
    const std::uint64_t kept = a[x + 5 * y];
    a[x + 5 * y] = std::rotl(lane, (t + 1) * (t + 2) / 2 % 64);
    lane = kept;
  }
}

void chi(KeccakState& a) {
  for (std::size_t y = 0; y < kLanes; y += 5) {
    const std::array<std::uint64_t, 5> row = {a[y], a[y + 1], a[y + 2], a[y + 3], a[y + 4]};
    for (std::size_t x = 0; x < 5; ++x) a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
  }
}

void permute(KeccakState& state) {
  for (const std::uint64_t constant : kRoundConstants) {
    theta(state);
    rho_and_pi(state);
    chi(state);
    state[0] ^= constant;
  }
}

void mix_byte(KeccakState& state, std::size_t at, std::uint8_t byte) {
  state[at / 8] ^= std::uint64_t{byte} << (8 * (at % 8));
}

}  // namespace

std::array<std::uint8_t, 32> keccak256(std::string_view data) {
  KeccakState state{};
  std::size_t at = 0;
  for (const char c : data) {
    mix_byte(state, at++, static_cast<std::uint8_t>(c));
    if (at < kRateBytes) continue;
    permute(state);
    at = 0;
  }
  mix_byte(state, at, 0x01);
  mix_byte(state, kRateBytes - 1, 0x80);
  permute(state);
  std::array<std::uint8_t, 32> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::uint8_t>(state[i / 8] >> (8 * (i % 8)));
  }
  return out;
}

}  // namespace shingled::mime
