#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "milter/api/counters/counter_request.h"
#include "storage/counters/counter_store.h"

namespace shingled::milter::api {

/// The reply of /counters/ask.
/// Threads: stateless.
/// Cost:    about 40 ns for each count.
std::string answers_json(std::span<const RequestedPiece> pieces,
                         std::span<const storage::counters::Window> windows,
                         const storage::counters::CounterAnswers& answers);

/// The reply of /counters/series; as many series as pieces.
/// Threads: stateless.
std::string series_json(storage::counters::Slot now, std::span<const RequestedPiece> pieces,
                        std::span<const std::vector<storage::counters::Entry>> series);

/// 16 hexadecimal digits.
std::string shingle_text(std::uint64_t shingle);

}  // namespace shingled::milter::api
