#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "config/base/byte_reader.h"
#include "storage/model/replica.h"
#include "storage/replication/limits.h"

namespace shingled::storage::replication {

// The messages between master and mirror inside a sealed frame (REPLICATION.md). Values.

/// The key of the hashes of one comparison. It is random, so that nobody can prepare a collision.
using RangeKey = std::array<std::uint8_t, 16>;

/// Master, first message: its name.
struct Greeting {
  StoreId store{};
  friend bool operator==(const Greeting&, const Greeting&) = default;
};
/// Mirror: its position in that master's journal.
struct Resume {
  StoreId store{};                          ///< the mirror's own name; zeros = none
  std::optional<JournalPosition> position;  ///< nullopt: never had everything
  friend bool operator==(const Resume&, const Resume&) = default;
};
/// Master: compare all ranges, because the journal does not reach back to the position.
struct CompareRanges {
  RangeKey key{};
  friend bool operator==(const CompareRanges&, const CompareRanges&) = default;
};
/// Mirror: the sums of some ranges, in ascending order; several messages give the sums of all.
struct RangeSums {
  std::uint32_t first = 0;
  std::vector<std::uint64_t> sums;  ///< 1 to kRangesPerMessage
  friend bool operator==(const RangeSums&, const RangeSums&) = default;
};
/// Master: these ranges differ, their records follow. One bit per range, lowest bit first.
struct RangesDiffer {
  std::vector<std::uint8_t> bits;  ///< kRanges / 8
  friend bool operator==(const RangesDiffer&, const RangesDiffer&) = default;
};
/// Master: records of ranges that differ.
struct RangeRecords {
  std::vector<ReplicaRecord> records;
  friend bool operator==(const RangeRecords&, const RangeRecords&) = default;
};
/// Master: all records of the ranges were sent. The mirror deletes its other parts of this master
/// in these ranges; its position in the journal is now `position`.
struct RangesDone {
  JournalPosition position;
  friend bool operator==(const RangesDone&, const RangesDone&) = default;
};
/// Master: the next entries of the journal, up to `end`.
struct JournalRecords {
  JournalPosition end;
  std::vector<ReplicaRecord> records;
  friend bool operator==(const JournalRecords&, const JournalRecords&) = default;
};
/// Master, also if there is nothing else to send: the last number in its journal.
struct Beat {
  std::uint64_t last = 0;
  friend bool operator==(const Beat&, const Beat&) = default;
};
/// Mirror, also if there is nothing else to send: the number of messages with records
/// (RangeRecords, RangesDone, JournalRecords) of this connection that are committed.
struct Committed {
  std::uint64_t messages = 0;
  friend bool operator==(const Committed&, const Committed&) = default;
};

using Message = std::variant<Greeting, Resume, CompareRanges, RangeSums, RangesDiffer, RangeRecords,
                             RangesDone, JournalRecords, Beat, Committed>;

/// Returns at most kMessageBytesMax bytes if the message is within its bounds.
/// Threads: stateless.
Bytes encode_message(const Message& message);

/// nullopt if the bytes are not exactly one valid message. Checks all bounds: counts, ranges, lists
/// of flags (one to eight different flags, sorted).
/// Threads: stateless.
/// Cost: O(bytes).
std::optional<Message> decode_message(BytesView bytes);

/// The bytes of one record, as inside a message. The sum of a range is made from these bytes.
Bytes encode_record(const ReplicaRecord& record);

}  // namespace shingled::storage::replication
