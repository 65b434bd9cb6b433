#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "config/base/backoff.h"
#include "config/base/byte_reader.h"
#include "storage/model/replica.h"

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

/// The range of a digest: its first two bytes, big-endian.
std::size_t range_of(const Digest& digest);

/// One checksum for each of kRanges equal ranges of the digest space: the sum (mod 2^64) of a keyed
/// hash of every record in the range. Two stores with the same records have the same sums, in
/// whatever order the records were added. Different records have the same sum with a probability of
/// 2^-64. A value of 512 KB.
/// Cost: one BLAKE2b per record.
class RangeSumTable {
 public:
  explicit RangeSumTable(const RangeKey& key) : key_(key), sums_(kRanges) {}

  void add(const PartRecord& record);
  /// A message with the sums of `count` ranges from `first` on.
  [[nodiscard]] RangeSums message(std::uint32_t first, std::size_t count) const;
  /// Stores sums that the other side sent.
  void put(const RangeSums& message);
  /// The ranges in which `other` has other sums.
  [[nodiscard]] RangesDiffer differences(const RangeSumTable& other) const;

 private:
  RangeKey key_;
  std::vector<std::uint64_t> sums_;
};

/// Whether the range of `digest` is one of `ranges`.
bool is_in(const RangesDiffer& ranges, const Digest& digest);

}  // namespace shingled::storage::replication
