#pragma once

#include <array>
#include <cstddef>

#include "config/base/random.h"
#include "storage/crypto/packet_cipher.h"

namespace shingled::storage::crypto {

/// Nonces in stock: asking the kernel for 24 bytes costs more than sealing a reply, so it is asked
/// for many at a time.
/// Threads: one thread.
class NonceSource {
 public:
  explicit NonceSource(Random& random) : random_(&random) {}

  Nonce next() {
    if (at_ == stock_.size()) {
      random_->fill({stock_.front().data(), sizeof stock_});
      at_ = 0;
    }
    return stock_[at_++];
  }

 private:
  static constexpr std::size_t kStock = 64;
  static_assert(sizeof(std::array<Nonce, kStock>) == kStock * std::tuple_size_v<Nonce>);

  Random* random_;
  std::array<Nonce, kStock> stock_{};
  std::size_t at_ = kStock;
};

}  // namespace shingled::storage::crypto
