#pragma once

#include <cstdint>
#include <span>

namespace shingled {

/// The source of unpredictable bits: tags, nonces, jitter. Tests use a seeded one.
/// Threads: any thread.
class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::uint8_t> bytes) = 0;
  std::uint32_t next_u32();
  std::uint64_t next_u64();
};

/// The kernel's generator, getrandom(2). Never blocks after boot, never fails on Linux >= 3.17.
class SystemRandom final : public Random {
 public:
  void fill(std::span<std::uint8_t> bytes) override;
};

}  // namespace shingled
