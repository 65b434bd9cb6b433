#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "config/base/hex.h"
#include "config/options/storage_options.h"
#include "storage/crypto/packet_cipher.h"

namespace shingled::testing {

/// The packets recorded from live servers and clients (PROTOCOL.md 8). nullptr if the file is
/// absent.
inline const nlohmann::json* wire_vectors() {
  static const std::optional<nlohmann::json> vectors = []() -> std::optional<nlohmann::json> {
    std::ifstream in(SHINGLED_SHARED_DIR "/vectors/wire.json");
    if (!in) return std::nullopt;
    return nlohmann::json::parse(in);
  }();
  return vectors ? &*vectors : nullptr;
}

#define SHINGLED_NEED_WIRE_VECTORS()                \
  if (shingled::testing::wire_vectors() == nullptr) \
  GTEST_SKIP() << "../shared/vectors/wire.json is absent"

inline Bytes bytes_of(const nlohmann::json& hex) {
  return from_hex(hex.get<std::string>()).value();
}

template <std::size_t N>
std::array<std::uint8_t, N> array_of(BytesView bytes) {
  std::array<std::uint8_t, N> out{};
  EXPECT_EQ(bytes.size(), N);
  std::copy_n(bytes.begin(), std::min(N, bytes.size()), out.begin());
  return out;
}

template <std::size_t N>
std::array<std::uint8_t, N> array_of(const nlohmann::json& hex) {
  return array_of<N>(BytesView(bytes_of(hex)));
}

/// A key pair of the vectors: "server1", "server2" or "client". Published keys, only for tests.
inline Keypair keypair_of(const std::string& name) {
  const nlohmann::json& key = wire_vectors()->at("keys").at(name);
  Keypair pair;
  pair.public_key = array_of<32>(key.at("pubkey_hex"));
  pair.secret_key = SecretKey(array_of<32>(key.at("privkey_hex")));
  return pair;
}

}  // namespace shingled::testing
