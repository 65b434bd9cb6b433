#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/base/result.h"

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

/// Makes the folder of the counters, mode 0700, if it is not there. The folder above it must exist.
/// Errors:  kDenied, kNotFound, kUnavailable, with the path.
/// Threads: any thread.
Status make_counter_folder(const std::string& path);

}  // namespace shingled::storage::counters
