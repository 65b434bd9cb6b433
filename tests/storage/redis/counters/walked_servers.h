#pragma once

#include <cstdint>
#include <cstdlib>

namespace shingled::storage::redis {

/// The servers of a walk, and what happens to them.
class WalkedServers {
 public:
  WalkedServers() = default;
  WalkedServers(const WalkedServers&) = delete;
  WalkedServers& operator=(const WalkedServers&) = delete;
  virtual ~WalkedServers() = default;
  /// Something goes wrong; called while calls are under way.
  virtual void disturb(unsigned dice) = 0;
  /// All is well again, at last.
  virtual void settle() = 0;
};

/// A number of the environment.
inline std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

}  // namespace shingled::storage::redis
