#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "config/base/backoff.h"

namespace shingled::storage::replication {

// What one end of a replication connection may make the other one hold.

inline constexpr std::size_t kBatchRecordsMax = 512;      ///< in one message
inline constexpr std::size_t kRecordBytesMax = 416;       ///< a part with eight lists and shingles
inline constexpr std::size_t kMessageBytesMax = 262'144;  ///< before sealing
inline constexpr std::size_t kBatchHeadBytes = 64;
static_assert(kBatchHeadBytes + kBatchRecordsMax * kRecordBytesMax <= kMessageBytesMax);

/// Messages with records a master sends before the mirror has committed the first of them.
inline constexpr std::size_t kWindowMessages = 8;
/// A session makes nothing new while so much waits for the socket.
inline constexpr std::size_t kOutputBytesMax = 2 * kMessageBytesMax;

/// The digest space in equal ranges, by the first two bytes of a digest.
inline constexpr std::size_t kRanges = 65'536;
inline constexpr std::size_t kRangesPerMessage = 8192;
static_assert(kBatchHeadBytes + kRangesPerMessage * 8 <= kMessageBytesMax);
/// Rows one step of a walk over the file looks at: a few milliseconds.
inline constexpr std::int64_t kWalkRows = 512;
static_assert(kWalkRows <= static_cast<std::int64_t>(kBatchRecordsMax),
              "what a step of a walk finds is sent in two messages at most");

/// Mirrors of one master.
inline constexpr std::size_t kMirrorsMax = 32;
/// Connections at a mirror on which nobody has proved to be a master, in all and of one address. A
/// key has one connection.
inline constexpr std::size_t kUnprovedMax = 32;
inline constexpr std::size_t kUnprovedOfOneMax = 4;
/// Until a caller has said who it is: two round trips.
inline constexpr std::chrono::seconds kHandshakeTime{3};
/// When a failed mirror is tried again.
inline constexpr Backoff kRetry{std::chrono::milliseconds(100), std::chrono::milliseconds(2000)};

}  // namespace shingled::storage::replication
