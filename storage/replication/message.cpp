#include "storage/replication/message.h"

#include <algorithm>
#include <utility>

#include "storage/crypto/packet_cipher.h"

namespace shingled::storage::replication {
namespace {

enum class Kind : std::uint8_t {
  kGreeting,
  kResume,
  kCompareRanges,
  kRangeSums,
  kRangesDiffer,
  kRangeRecords,
  kRangesDone,
  kJournalRecords,
  kBeat,
  kCommitted,
};
static_assert(std::variant_size_v<Message> == static_cast<std::size_t>(Kind::kCommitted) + 1);

enum class RecordKind : std::uint8_t { kGone, kPart, kPartWithShingles, kTakeback, kAnswer };

void put(ByteWriter& out, const ReplicaRecord& record) {
  if (const auto* takeback = std::get_if<Takeback>(&record)) {
    out.u8(static_cast<std::uint8_t>(RecordKind::kTakeback));
    out.bytes(takeback->digest.bytes);
    out.bytes(takeback->owner);
    out.u32(takeback->flag);
    out.u32(takeback->created);
    return;
  }
  if (const auto* answer = std::get_if<TakebackAnswer>(&record)) {
    out.u8(static_cast<std::uint8_t>(RecordKind::kAnswer));
    out.bytes(answer->digest.bytes);
    out.bytes(answer->asker);
    out.u32(answer->flag);
    return;
  }
  const auto& [digest, part] = std::get<PartRecord>(record);
  const RecordKind kind = part.flags.empty() ? RecordKind::kGone
                          : part.shingles    ? RecordKind::kPartWithShingles
                                             : RecordKind::kPart;
  out.u8(static_cast<std::uint8_t>(kind));
  out.bytes(digest.bytes);
  if (kind == RecordKind::kGone) return;
  out.u32(part.created);
  out.u32(part.updated);
  out.u64(part.source);
  out.u8(static_cast<std::uint8_t>(part.flags.size()));
  for (const FlagValue& one : part.flags.all()) {
    out.u32(one.flag);
    out.i32(one.value);
  }
  if (!part.shingles) return;
  for (const std::uint64_t shingle : *part.shingles) out.u64(shingle);
}

std::optional<FlagSet> get_flags(ByteReader& in) {
  FlagSet flags;
  const std::uint8_t count = in.u8();
  if (count == 0 || count > kFlagsMax) return std::nullopt;
  std::array<FlagValue, kFlagsMax> read{};
  for (std::size_t i = 0; i < count; ++i) {
    read[i].flag = in.u32();
    read[i].value = in.i32();
    flags.add(read[i]);
  }
  // Only one encoding of a part is valid. Otherwise the checksums of equal parts would differ.
  if (!std::ranges::equal(flags.all(), std::span(read).first(count))) return std::nullopt;
  return flags;
}

std::optional<ReplicaRecord> get_record(ByteReader& in) {
  const std::uint8_t kind = in.u8();
  if (kind > static_cast<std::uint8_t>(RecordKind::kAnswer)) return std::nullopt;
  const Digest digest{in.array<kDigestBytes>()};
  if (kind == static_cast<std::uint8_t>(RecordKind::kAnswer)) {
    TakebackAnswer answer{digest, in.array<16>(), 0};
    answer.flag = in.u32();
    return answer;
  }
  if (kind == static_cast<std::uint8_t>(RecordKind::kTakeback)) {
    Takeback takeback{digest, in.array<16>(), 0, 0};
    takeback.flag = in.u32();
    takeback.created = in.u32();
    return takeback;
  }
  PartRecord record{digest, {}};
  if (kind == static_cast<std::uint8_t>(RecordKind::kGone)) return record;
  Part& part = record.part;
  part.created = in.u32();
  part.updated = in.u32();
  part.source = in.u64();
  const auto flags = get_flags(in);
  if (!flags) return std::nullopt;
  part.flags = *flags;
  if (kind == static_cast<std::uint8_t>(RecordKind::kPartWithShingles)) {
    for (std::uint64_t& shingle : part.shingles.emplace()) shingle = in.u64();
  }
  return record;
}

void put(ByteWriter& out, const std::vector<ReplicaRecord>& records) {
  out.u32(static_cast<std::uint32_t>(records.size()));
  for (const ReplicaRecord& record : records) put(out, record);
}

std::optional<std::vector<ReplicaRecord>> get_records(ByteReader& in) {
  const std::uint32_t count = in.u32();
  if (count > kBatchRecordsMax) return std::nullopt;
  std::vector<ReplicaRecord> records;
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    auto record = get_record(in);
    if (!record) return std::nullopt;
    records.push_back(*record);
  }
  return records;
}

void put(ByteWriter& out, const JournalPosition& position) {
  out.u64(position.era);
  out.u64(position.number);
}

/// nullopt for numbers that SQLite's signed integers cannot store, and for era 0.
std::optional<JournalPosition> get_position(ByteReader& in) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  const std::uint64_t era = in.u64();
  const JournalPosition position{era, in.u64()};
  if (position.era == 0 || position.era >= kMost || position.number >= kMost) return std::nullopt;
  return position;
}

void put_body(ByteWriter& out, const Greeting& message) { out.bytes(message.store); }
void put_body(ByteWriter& out, const Resume& message) {
  out.bytes(message.store);
  out.u8(message.position ? 1 : 0);
  if (message.position) put(out, *message.position);
}
void put_body(ByteWriter& out, const CompareRanges& message) { out.bytes(message.key); }
void put_body(ByteWriter& out, const RangeSums& message) {
  out.u32(message.first);
  for (const std::uint64_t sum : message.sums) out.u64(sum);
}
void put_body(ByteWriter& out, const RangesDiffer& message) { out.bytes(message.bits); }
void put_body(ByteWriter& out, const RangeRecords& message) { put(out, message.records); }
void put_body(ByteWriter& out, const RangesDone& message) { put(out, message.position); }
void put_body(ByteWriter& out, const JournalRecords& message) {
  put(out, message.end);
  put(out, message.records);
}
void put_body(ByteWriter& out, const Beat& message) { out.u64(message.last); }
void put_body(ByteWriter& out, const Committed& message) { out.u64(message.messages); }

/// An upper bound for the size of the encoded message.
std::size_t bytes_for(const Message& message) {
  std::size_t bytes = kBatchHeadBytes;
  if (const auto* sums = std::get_if<RangeSums>(&message)) {
    bytes += sums->sums.size() * sizeof(std::uint64_t);
  } else if (const auto* ranges = std::get_if<RangesDiffer>(&message)) {
    bytes += ranges->bits.size();
  } else if (const auto* range = std::get_if<RangeRecords>(&message)) {
    bytes += range->records.size() * kRecordBytesMax;
  } else if (const auto* journal = std::get_if<JournalRecords>(&message)) {
    bytes += journal->records.size() * kRecordBytesMax;
  }
  return bytes;
}

std::optional<Message> get_resume(ByteReader& in) {
  Resume resume{in.array<16>(), std::nullopt};
  const std::uint8_t known = in.u8();
  if (known > 1) return std::nullopt;
  if (known == 1) {
    resume.position = get_position(in);
    if (!resume.position) return std::nullopt;
  }
  return resume;
}

std::optional<Message> get_sums(ByteReader& in) {
  RangeSums message;
  message.first = in.u32();
  const std::size_t count = in.left() / sizeof(std::uint64_t);
  if (count == 0 || count > kRangesPerMessage || message.first > kRanges - count) {
    return std::nullopt;
  }
  message.sums.resize(count);
  for (std::uint64_t& sum : message.sums) sum = in.u64();
  return message;
}

std::optional<Message> get_records_message(Kind kind, ByteReader& in) {
  JournalRecords message;
  if (kind == Kind::kJournalRecords) {
    const auto end = get_position(in);
    if (!end) return std::nullopt;
    message.end = *end;
  }
  auto records = get_records(in);
  if (!records) return std::nullopt;
  if (kind == Kind::kRangeRecords) return RangeRecords{*std::move(records)};
  message.records = *std::move(records);
  return message;
}

std::optional<Message> get_body(Kind kind, ByteReader& in) {
  switch (kind) {
    case Kind::kGreeting:
      return Greeting{in.array<16>()};
    case Kind::kResume:
      return get_resume(in);
    case Kind::kCompareRanges:
      return CompareRanges{in.array<16>()};
    case Kind::kRangeSums:
      return get_sums(in);
    case Kind::kRangesDiffer: {
      const BytesView bits = in.bytes(kRanges / 8);
      return RangesDiffer{{bits.begin(), bits.end()}};
    }
    case Kind::kRangeRecords:
    case Kind::kJournalRecords:
      return get_records_message(kind, in);
    case Kind::kRangesDone: {
      const auto position = get_position(in);
      if (!position) return std::nullopt;
      return RangesDone{*position};
    }
    case Kind::kBeat:
      return Beat{in.u64()};
    case Kind::kCommitted:
      return Committed{in.u64()};
  }
  return std::nullopt;
}

}  // namespace

Bytes encode_message(const Message& message) {
  Bytes bytes(bytes_for(message));
  ByteWriter out(bytes);
  out.u8(static_cast<std::uint8_t>(message.index()));
  std::visit([&](const auto& body) { put_body(out, body); }, message);
  bytes.resize(out.written());
  return bytes;
}

std::optional<Message> decode_message(BytesView bytes) {
  ByteReader in(bytes);
  const std::uint8_t kind = in.u8();
  if (bytes.size() > kMessageBytesMax || kind > static_cast<std::uint8_t>(Kind::kCommitted)) {
    return std::nullopt;
  }
  auto message = get_body(static_cast<Kind>(kind), in);
  if (!in.done()) return std::nullopt;
  return message;
}

Bytes encode_record(const ReplicaRecord& record) {
  Bytes bytes(kRecordBytesMax);
  ByteWriter out(bytes);
  put(out, record);
  bytes.resize(out.written());
  return bytes;
}

std::size_t range_of(const Digest& digest) {
  return std::size_t{digest.bytes[0]} << 8U | digest.bytes[1];
}
static_assert(kRanges == std::size_t{1} << 16U, "the first two bytes of a digest");

void RangeSumTable::add(const PartRecord& record) {
  Bytes keyed(key_.begin(), key_.end());
  const Bytes bytes = encode_record(record);
  keyed.insert(keyed.end(), bytes.begin(), bytes.end());
  const UpdateId hash = crypto::content_id(keyed);
  sums_[range_of(record.digest)] += ByteReader(hash).u64();
}

RangeSums RangeSumTable::message(std::uint32_t first, std::size_t count) const {
  const auto begin = sums_.begin() + first;
  return {first, {begin, begin + static_cast<std::ptrdiff_t>(count)}};
}

void RangeSumTable::put(const RangeSums& message) {
  std::ranges::copy(message.sums, sums_.begin() + message.first);
}

RangesDiffer RangeSumTable::differences(const RangeSumTable& other) const {
  RangesDiffer ranges{std::vector<std::uint8_t>(kRanges / 8)};
  for (std::size_t i = 0; i < kRanges; ++i) {
    if (sums_[i] != other.sums_[i]) ranges.bits[i / 8] |= static_cast<std::uint8_t>(1U << i % 8);
  }
  return ranges;
}

bool is_in(const RangesDiffer& ranges, const Digest& digest) {
  const std::size_t range = range_of(digest);
  return (static_cast<unsigned>(ranges.bits[range / 8]) >> range % 8 & 1U) != 0;
}

}  // namespace shingled::storage::replication
