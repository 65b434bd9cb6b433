#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shingled::storage::counters {

// Names of the files in the folder of the counters.

std::string sealed_name(std::int64_t id);    ///< "17.counts"
std::string damaged_name(std::int64_t id);   ///< "17.counts.damaged": one that was set aside
std::string log_name(std::uint64_t number);  ///< "17.log"
/// nullopt if it is not the name of a log.
std::optional<std::uint64_t> log_number(std::string_view name);
/// Whether it is the name of a sealed file.
bool is_sealed_file(std::string_view name);
/// Whether it is a name that this folder may have, also a temporary one.
bool is_counter_file(std::string_view name);

}  // namespace shingled::storage::counters
