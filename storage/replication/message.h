#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "config/base/byte_reader.h"
#include "storage/model/replica.h"
#include "storage/replication/limits.h"

namespace shingled::storage::replication {

// What master and mirror say inside a sealed frame (REPLICATION.md). Values.

/// Under which the ranges of one comparison are hashed, so that nobody can plan a collision.
using RangeKey = std::array<std::uint8_t, 16>;

/// Master, first: who it is.
struct Greeting {
  StoreId store{};
  friend bool operator==(const Greeting&, const Greeting&) = default;
};
/// Mirror: how far it has come with that master.
struct Resume {
  StoreId store{};                          ///< the mirror's own name; zeros = it has none
  std::optional<JournalPosition> position;  ///< nothing: it has never had all
  friend bool operator==(const Resume&, const Resume&) = default;
};
/// Master: the journal does not reach back so far; all ranges are to be compared.
struct CompareRanges {
  RangeKey key{};
  friend bool operator==(const CompareRanges&, const CompareRanges&) = default;
};
/// Mirror: the sums of some ranges, rising; together all of them.
struct RangeSums {
  std::uint32_t first = 0;
  std::vector<std::uint64_t> sums;  ///< 1 to kRangesPerMessage
  friend bool operator==(const RangeSums&, const RangeSums&) = default;
};
/// Master: these ranges differ and come now. A bit a range, lowest first.
struct RangesDiffer {
  std::vector<std::uint8_t> bits;  ///< kRanges / 8
  friend bool operator==(const RangesDiffer&, const RangesDiffer&) = default;
};
/// Master: records of ranges that differ.
struct RangeRecords {
  std::vector<ReplicaRecord> records;
  friend bool operator==(const RangeRecords&, const RangeRecords&) = default;
};
/// Master: that was all; what else the mirror has in these ranges is gone, and it knows the journal
/// up to here.
struct RangesDone {
  JournalPosition position;
  friend bool operator==(const RangesDone&, const RangesDone&) = default;
};
/// Master: what the journal says up to a place.
struct JournalRecords {
  JournalPosition end;
  std::vector<ReplicaRecord> records;
  friend bool operator==(const JournalRecords&, const JournalRecords&) = default;
};
/// Master, also when there is nothing else: how far its journal goes.
struct Beat {
  std::uint64_t last = 0;
  friend bool operator==(const Beat&, const Beat&) = default;
};
/// Mirror, also when there is nothing else: how many messages with records (RangeRecords,
/// RangesDone, JournalRecords) of this connection are committed.
struct Committed {
  std::uint64_t messages = 0;
  friend bool operator==(const Committed&, const Committed&) = default;
};

using Message = std::variant<Greeting, Resume, CompareRanges, RangeSums, RangesDiffer, RangeRecords,
                             RangesDone, JournalRecords, Beat, Committed>;

/// At most kMessageBytesMax bytes, if the message keeps its bounds.
/// Threads: stateless.
Bytes encode_message(const Message& message);

/// Nothing for bytes that are not one whole message within its bounds: counts, ranges, lists of
/// flags (one to eight different ones, sorted).
/// Threads: stateless.
/// Cost: O(bytes).
std::optional<Message> decode_message(BytesView bytes);

/// A record alone, as inside a message: what a range is summed over.
Bytes encode_record(const ReplicaRecord& record);

}  // namespace shingled::storage::replication
