#define XXH_INLINE_ALL

#include "storage/log/record_log.h"

#include <xxhash.h>

#include <cstring>
#include <span>

#include "config/system/mapped_read.h"

namespace shingled::storage::log {

namespace {

constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kRecordHeadBytes = 4 + kChecksumBytes;

Bytes head_of(const LogKind& kind, BytesView fields) {
  Bytes head(kind.magic.begin(), kind.magic.end());
  head.insert(head.end(), fields.begin(), fields.end());
  append_number(head, checksum(head));
  return head;
}

std::uint64_t checksum_at(std::uint64_t place, BytesView body) {
  std::array<std::uint8_t, 20> all{};
  ByteWriter out(all);
  out.u64(place);
  out.u32(static_cast<std::uint32_t>(body.size()));
  out.u64(checksum(body));
  return checksum(all);
}

/// A file whose pages may fail to be read.
class Pages {
 public:
  explicit Pages(BytesView file) : file_(file) {}
  /// Copies bytes to where `copied` shows them; false if the disk cannot be read.
  bool copy(std::size_t at, std::size_t size) {
    copied_.resize(size);
    return size == 0 || read_mapped([&] { std::memcpy(copied_.data(), file_.data() + at, size); });
  }
  [[nodiscard]] BytesView copied() const { return copied_; }

 private:
  BytesView file_;
  Bytes copied_;
};

}  // namespace

Result<std::unique_ptr<RecordLog>> RecordLog::create(FileSystem& files, const std::string& name,
                                                     const LogKind& kind, BytesView fields) {
  auto file = files.create(name);
  if (!file) return file.error();
  if (Status made = (*file)->append(head_of(kind, fields)); !made) {
    static_cast<void>(files.remove(name));
    return made.error().in(name);
  }
  return std::unique_ptr<RecordLog>(new RecordLog(*std::move(file)));
}

std::size_t RecordLog::begin_record() {
  const std::size_t begin = records_.size();
  records_.resize(begin + kRecordHeadBytes);
  return begin;
}

void RecordLog::end_record(std::size_t begin) {
  const BytesView body = BytesView(records_).subspan(begin + kRecordHeadBytes);
  const std::uint64_t sum = checksum_at(file_->size() + begin, body);
  ByteWriter head(std::span<std::uint8_t>(records_).subspan(begin, kRecordHeadBytes));
  head.u32(static_cast<std::uint32_t>(body.size()));
  head.u64(sum);
}

Status RecordLog::write() {
  Status written = file_->append(records_);
  records_.clear();
  return written;
}

Result<LogReading> read_records(FileSystem& files, const std::string& name, const LogKind& kind,
                                const std::function<bool(BytesView)>& begin,
                                const std::function<Result<bool>(BytesView)>& take) {
  const auto mapped = files.map(name);
  if (!mapped) return mapped.error();
  const BytesView file = (*mapped)->bytes();
  const Error unreadable{ErrorCode::kUnavailable, name + ": cannot be read"};
  const std::size_t head_bytes = kind.magic.size() + kind.fields_bytes + kChecksumBytes;

  LogReading reading;
  if (file.size() < head_bytes) {
    reading.bytes_lost = file.size();
    return reading;
  }
  Pages pages(file);
  if (!pages.copy(0, head_bytes)) return unreadable;
  const BytesView fields = pages.copied().subspan(kind.magic.size(), kind.fields_bytes);
  const Bytes wanted = head_of(kind, fields);
  if (std::memcmp(wanted.data(), pages.copied().data(), head_bytes) != 0 || !begin(fields))
    return Error{ErrorCode::kCorrupt, name + ": not a log of " + std::string(kind.what)};

  std::size_t at = head_bytes;
  while (file.size() - at >= kRecordHeadBytes) {
    if (!pages.copy(at, kRecordHeadBytes)) return unreadable;
    ByteReader head(pages.copied());
    const std::size_t size = head.u32();
    const std::uint64_t sum = head.u64();
    const bool fits = size >= kind.body_bytes_min && size <= kind.body_bytes_max &&
                      size <= file.size() - at - kRecordHeadBytes;
    if (fits && !pages.copy(at + kRecordHeadBytes, size)) return unreadable;
    if (!fits || sum != checksum_at(at, pages.copied())) {
      ++reading.bytes_lost;
      ++at;
      continue;
    }
    const auto used = take(pages.copied());
    if (!used) return used.error();
    if (*used) {
      ++reading.records;
    } else {
      reading.bytes_lost += kRecordHeadBytes + size;
    }
    at += kRecordHeadBytes + size;
  }
  reading.bytes_lost += file.size() - at;
  return reading;
}

std::uint64_t checksum(BytesView bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace shingled::storage::log
