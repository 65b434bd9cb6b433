#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "config/base/backoff.h"

namespace shingled::storage::replication {

// Limits for what one end of a replication connection can make the other end hold.

inline constexpr std::size_t kBatchRecordsMax = 512;      ///< in one message
inline constexpr std::size_t kRecordBytesMax = 416;       ///< a part with eight lists and shingles
inline constexpr std::size_t kMessageBytesMax = 262'144;  ///< before sealing
inline constexpr std::size_t kBatchHeadBytes = 64;
static_assert(kBatchHeadBytes + kBatchRecordsMax * kRecordBytesMax <= kMessageBytesMax);

/// Messages with records that a master sends before the mirror has committed the first of them.
inline constexpr std::size_t kWindowMessages = 8;
/// A session makes no new messages while this number of bytes waits for the socket.
inline constexpr std::size_t kOutputBytesMax = 2 * kMessageBytesMax;

/// The digest space in equal ranges, by the first two bytes of a digest.
inline constexpr std::size_t kRanges = 65'536;
inline constexpr std::size_t kRangesPerMessage = 8192;
static_assert(kBatchHeadBytes + kRangesPerMessage * 8 <= kMessageBytesMax);
/// Rows that one step of a walk over the file reads: a few milliseconds.
inline constexpr std::int64_t kWalkRows = 512;
static_assert(kWalkRows <= static_cast<std::int64_t>(kBatchRecordsMax),
              "the records of one step are sent in two messages at most");

/// Number of mirrors of one master.
inline constexpr std::size_t kMirrorsMax = 32;
/// Connections at a mirror whose caller has not proved its key yet, in all and from one address. A
/// proved key has one connection.
inline constexpr std::size_t kUnprovedMax = 32;
inline constexpr std::size_t kUnprovedOfOneMax = 4;
/// Time for a caller to prove its key: two round trips.
inline constexpr std::chrono::seconds kHandshakeTime{3};
/// Wait before a failed mirror is tried again.
inline constexpr Backoff kRetry{std::chrono::milliseconds(100), std::chrono::milliseconds(2000)};

}  // namespace shingled::storage::replication
