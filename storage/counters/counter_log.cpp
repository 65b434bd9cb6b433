#include "storage/counters/counter_log.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "config/system/mapped_read.h"
#include "storage/counters/sealed_file.h"

namespace shingled::storage::counters {

namespace {

// The header: the magic, the slot, and a checksum of both. A record: the bytes of its addition, a
// checksum of that number, of its place in the file and of the addition; then the addition.
constexpr std::array<std::uint8_t, 8> kMagic = {'s', 'h', 'g', 'c', 'l', 'o', 'g', '1'};
constexpr std::size_t kHeaderBytes = 20;
constexpr std::size_t kRecordHeaderBytes = 12;
constexpr std::size_t kRecordBytesMax = 4 + 8 * kMeasures + 1 + 17 * kAdditionKeysMax;

Bytes header_of(Slot slot) {
  Bytes header(kHeaderBytes);
  ByteWriter out(header);
  out.bytes(kMagic);
  out.u32(slot);
  out.u64(block_checksum(BytesView(header).first(kHeaderBytes - 8)));
  return header;
}

std::uint64_t checksum_of(std::uint64_t place, BytesView addition) {
  const std::uint64_t sum = block_checksum(addition);
  std::array<std::uint8_t, 20> all{};
  ByteWriter out(all);
  out.u64(place);
  out.u32(static_cast<std::uint32_t>(addition.size()));
  out.u64(sum);
  return block_checksum(all);
}

}  // namespace

Result<std::unique_ptr<CounterLog>> CounterLog::create(FileSystem& files, const std::string& name,
                                                       Slot slot) {
  auto file = files.create(name);
  if (!file) return file.error();
  Status made = (*file)->append(header_of(slot));
  if (made) made = (*file)->sync();
  if (made) made = files.sync_names();
  if (!made) {
    static_cast<void>(files.remove(name));
    return made.error().in(name);
  }
  return std::unique_ptr<CounterLog>(new CounterLog(*std::move(file)));
}

CounterLog::CounterLog(std::unique_ptr<AppendFile> file) : file_(file.get()) {
  state_.lock()->file = std::move(file);
}

Status CounterLog::append(const Addition& addition) {
  auto state = state_.lock();
  Bytes& record = state->record;
  record.assign(kRecordHeaderBytes, 0);
  encode_addition(addition, record);
  const BytesView encoded = BytesView(record).subspan(kRecordHeaderBytes);
  ByteWriter header(std::span<std::uint8_t>(record).first(kRecordHeaderBytes));
  header.u32(static_cast<std::uint32_t>(encoded.size()));
  header.u64(checksum_of(state->file->size(), encoded));
  if (Status written = state->file->append(record); !written) return written;
  state->is_synced = false;
  bytes_.store(state->file->size(), std::memory_order_relaxed);
  return {};
}

Status CounterLog::sync() {
  const MutexLock turn(syncing_);
  if (is_doubtful()) return Error{ErrorCode::kUnavailable, "an earlier sync failed"};
  if (std::exchange(state_.lock()->is_synced, true)) return {};
  Status synced = file_->sync();
  if (!synced) is_doubtful_.store(true, std::memory_order_relaxed);
  return synced;
}

Result<LogContent> read_log(FileSystem& files, const std::string& name,
                            const std::function<Status(Slot, const Addition&)>& take) {
  const auto mapped = files.map(name);
  if (!mapped) return mapped.error();
  const BytesView file = (*mapped)->bytes();
  Bytes record;
  // Copies the bytes at `at` into `record`.
  const auto copy = [&](std::size_t at, std::size_t size) {
    record.resize(size);
    return size == 0 || read_mapped([&] { std::memcpy(record.data(), file.data() + at, size); });
  };
  const Error unreadable{ErrorCode::kUnavailable, name + ": cannot be read"};

  LogContent content;
  if (file.size() < kHeaderBytes) {  // the process ended while it made the log
    content.bytes_lost = file.size();
    return content;
  }
  if (!copy(0, kHeaderBytes)) return unreadable;
  ByteReader header(record);
  header.bytes(kMagic.size());
  content.slot = header.u32();
  if (record != header_of(content.slot))
    return Error{ErrorCode::kCorrupt, name + ": not a log of counters"};
  std::size_t at = kHeaderBytes;
  while (file.size() - at >= kRecordHeaderBytes) {
    if (!copy(at, kRecordHeaderBytes)) return unreadable;
    ByteReader in(record);
    const std::size_t size = in.u32();
    const std::uint64_t checksum = in.u64();
    const bool fits = size <= kRecordBytesMax && size <= file.size() - at - kRecordHeaderBytes;
    if (fits && !copy(at + kRecordHeaderBytes, size)) return unreadable;
    if (!fits || checksum != checksum_of(at, record)) {
      ++content.bytes_lost;
      ++at;
      continue;
    }
    const auto addition = decode_addition(record);
    if (!addition)
      return Error{ErrorCode::kCorrupt, name + ": holds an addition of another version"};
    if (Status taken = take(content.slot, *addition); !taken) return taken.error();
    ++content.additions;
    at += kRecordHeaderBytes + size;
  }
  content.bytes_lost += file.size() - at;
  return content;
}

}  // namespace shingled::storage::counters
