#pragma once

#include <random>
#include <span>

#include "config/base/random.h"

namespace shingled::testing {

/// Random numbers that are the same for the same seed.
/// Threads: one thread.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
  void fill(std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(engine_());
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace shingled::testing
