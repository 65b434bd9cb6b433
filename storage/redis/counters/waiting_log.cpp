#include "storage/redis/counters/waiting_log.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "config/system/mapped_read.h"
#include "storage/counters/sealed_file.h"

namespace shingled::storage::redis {

using counters::CounterKey;
using counters::CounterSeries;
using counters::Entry;
using counters::PastAddition;
using counters::Period;

namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {'s', 'h', 'g', 'c', 'w', 'a', 'i', '1'};
constexpr std::size_t kHeaderBytes = 28;
constexpr std::size_t kRecordHeaderBytes = 12;
constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kRecordBytesMax = 1U << 20U;
constexpr std::string_view kSuffix = ".waiting";
constexpr std::size_t kEntriesMax = 4096;
enum class Kind : std::uint8_t { kAddition = 1, kSeries = 2 };

Bytes header_of(const WaitingName& name) {
  Bytes header(kMagic.begin(), kMagic.end());
  append_number(header, name.writer);
  append_number(header, name.generation);
  append_number(header, counters::block_checksum(header));
  return header;
}

std::uint64_t checksum_of(std::uint64_t place, BytesView body) {
  Bytes all;
  append_number(all, place);
  append_number(all, static_cast<std::uint32_t>(body.size()));
  append_number(all, counters::block_checksum(body));
  return counters::block_checksum(all);
}

void encode_series(const CounterSeries& series, Bytes& out) {
  append_number(out, series.key.shingle);
  out.push_back(series.key.tag());
  append_number(out, static_cast<std::uint16_t>(series.entries.size()));
  for (const Entry& entry : series.entries) {
    out.push_back(static_cast<std::uint8_t>(entry.period.unit));
    append_number(out, entry.period.number);
    for (const std::uint64_t count : entry.amounts.counts) append_number(out, count);
  }
}

std::optional<CounterSeries> decode_series(ByteReader& in) {
  CounterSeries series;
  const std::uint64_t shingle = in.u64();
  series.key = CounterKey::of(shingle, in.u8());
  const std::size_t entries = in.u16();
  if (!in.ok() || entries > kEntriesMax ||
      find_piece_type(static_cast<std::uint64_t>(series.key.type)) == nullptr)
    return std::nullopt;
  for (std::size_t i = 0; i < entries && in.ok(); ++i) {
    Entry entry;
    entry.period.unit = in.u8() == 0 ? Period::Unit::kSlot : Period::Unit::kDay;
    entry.period.number = in.u32();
    for (std::uint64_t& count : entry.amounts.counts) {
      count = in.u64();
      if (count > counters::kCountMax) return std::nullopt;
    }
    series.entries.push_back(entry);
  }
  if (!in.done()) return std::nullopt;
  return series;
}

std::optional<WaitingItem> decode_item(BytesView body) {
  ByteReader in(body);
  const auto kind = static_cast<Kind>(in.u8());
  if (kind == Kind::kSeries) {
    auto series = decode_series(in);
    if (!series) return std::nullopt;
    return *std::move(series);
  }
  const counters::Slot slot = in.u32();
  if (kind != Kind::kAddition || !in.ok()) return std::nullopt;
  auto addition = counters::decode_addition(in.bytes(in.left()));
  if (!addition) return std::nullopt;
  return PastAddition{slot, *std::move(addition)};
}

/// Puts a record around what `write` appends.
template <typename Write>
void append_record(Bytes& records, std::uint64_t file_bytes, std::uint64_t number,
                   const Write& write) {
  const std::size_t begin = records.size();
  records.resize(begin + kRecordHeaderBytes);
  append_number(records, number);
  write();
  const std::size_t from = begin + kRecordHeaderBytes;
  const BytesView body = BytesView(records).subspan(from);
  const std::uint64_t checksum = checksum_of(file_bytes + begin, body);
  ByteWriter header(std::span<std::uint8_t>(records).subspan(begin, kRecordHeaderBytes));
  header.u32(static_cast<std::uint32_t>(body.size()));
  header.u64(checksum);
}

void append_addition(const PastAddition& past, Bytes& out) {
  out.push_back(static_cast<std::uint8_t>(Kind::kAddition));
  append_number(out, past.slot);
  encode_addition(past.addition, out);
}

}  // namespace

std::string WaitingName::file() const {
  return fmt::format("{:016x}-{:08x}{}", writer, generation, kSuffix);
}

std::optional<WaitingName> WaitingName::parse(std::string_view file) {
  WaitingName name;
  if (file.size() != 16 + 1 + 8 + kSuffix.size()) return std::nullopt;
  std::from_chars(file.data(), file.data() + 16, name.writer, 16);
  std::from_chars(file.data() + 17, file.data() + 25, name.generation, 16);
  return name.file() == file ? std::optional(name) : std::nullopt;
}

Result<std::unique_ptr<WaitingLog>> WaitingLog::create(FileSystem& files, const WaitingName& name) {
  auto file = files.create(name.file());
  if (!file) return file.error();
  if (Status made = (*file)->append(header_of(name)); !made) {
    static_cast<void>(files.remove(name.file()));
    return made.error().in(name.file());
  }
  return std::unique_ptr<WaitingLog>(new WaitingLog(*std::move(file)));
}

Status WaitingLog::append(std::span<const WaitingItem> items, std::uint64_t first) {
  records_.clear();
  for (const WaitingItem& item : items) {
    append_record(records_, file_->size(), first++, [&] {
      if (const auto* past = std::get_if<PastAddition>(&item)) {
        append_addition(*past, records_);
      } else {
        records_.push_back(static_cast<std::uint8_t>(Kind::kSeries));
        encode_series(std::get<CounterSeries>(item), records_);
      }
    });
  }
  return file_->append(records_);
}

Status WaitingLog::append(const PastAddition& addition, std::uint64_t number) {
  records_.clear();
  append_record(records_, file_->size(), number, [&] { append_addition(addition, records_); });
  return file_->append(records_);
}

Result<std::uint64_t> read_waiting_log(
    FileSystem& files, const WaitingName& name,
    const std::function<void(std::uint64_t, const WaitingItem&)>& take) {
  const auto mapped = files.map(name.file());
  if (!mapped) return mapped.error();
  const BytesView file = (*mapped)->bytes();
  const Error unreadable{ErrorCode::kUnavailable, name.file() + ": cannot be read"};
  Bytes record;
  const auto copy = [&](std::size_t at, std::size_t size) {
    record.resize(size);
    return size == 0 || read_mapped([&] { std::memcpy(record.data(), file.data() + at, size); });
  };
  if (file.size() < kHeaderBytes) return std::uint64_t{file.size()};  // ended while it was made
  if (!copy(0, kHeaderBytes)) return unreadable;
  if (record != header_of(name))
    return Error{ErrorCode::kCorrupt, name.file() + ": not a log of waiting counters"};
  std::uint64_t lost = 0;
  std::size_t at = kHeaderBytes;
  while (file.size() - at >= kRecordHeaderBytes) {
    if (!copy(at, kRecordHeaderBytes)) return unreadable;
    ByteReader header(record);
    const std::size_t size = header.u32();
    const std::uint64_t checksum = header.u64();
    const bool fits = size > kNumberBytes && size <= kRecordBytesMax &&
                      size <= file.size() - at - kRecordHeaderBytes;
    if (fits && !copy(at + kRecordHeaderBytes, size)) return unreadable;
    if (!fits || checksum != checksum_of(at, record)) {
      ++lost;
      ++at;
      continue;
    }
    ByteReader body(record);
    const std::uint64_t number = body.u64();
    const auto item = decode_item(BytesView(record).subspan(kNumberBytes));
    if (item) {
      take(number, *item);
    } else {
      lost += kRecordHeaderBytes + size;  // of a later version
    }
    at += kRecordHeaderBytes + size;
  }
  return lost + (file.size() - at);
}

}  // namespace shingled::storage::redis
