#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "config/base/byte_reader.h"

namespace shingled::storage {

/// A short name for some bytes: who knows the key alone can make two bytes strings share one.
/// SipHash-2-4, 128 bits.
using MessageName = std::array<std::uint8_t, 16>;
using MessageNameKey = std::array<std::uint8_t, 16>;

MessageName message_name(const MessageNameKey& key, BytesView bytes);

/// For hash tables: a name is uniformly distributed already.
struct MessageNameHash {
  std::size_t operator()(const MessageName& name) const {
    std::size_t word = 0;
    std::memcpy(&word, name.data(), sizeof word);
    return word;
  }
};

}  // namespace shingled::storage
