#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace shingled::storage::redis {

/// The Lua programs of the shared counters (storage/COUNTERS.md section 7), by Script.
/// Threads: any thread.
std::span<const std::string_view> counter_scripts();
enum class Script : std::uint8_t { kAdd, kAddPairs, kRead };

}  // namespace shingled::storage::redis
