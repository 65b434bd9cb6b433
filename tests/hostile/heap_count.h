#pragma once

#include <cstdint>

namespace shingled::hostile {

/// Heap bytes in use now, and their maximum since `reset_heap_peak`.
/// Threads: any thread.
std::uint64_t heap_bytes();
std::uint64_t heap_peak_bytes();
void reset_heap_peak();

}  // namespace shingled::hostile
