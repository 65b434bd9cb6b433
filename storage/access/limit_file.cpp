#include "storage/access/limit_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "config/base/byte_reader.h"
#include "config/system/byte_transfer.h"
#include "config/system/os_error.h"
#include "config/system/whole_file.h"
#include "storage/formats/new_file.h"

namespace shingled::storage::access {

namespace {

// The format, all little-endian: magic u64, network mask u32, number of entries u32, saved i64
// (Unix seconds), key 3 * u64; then for each entry: source u64, empty_in u64 and ban u64
// (milliseconds).
constexpr std::uint64_t kMagic = 0x31'6d'69'6c'6c'68'73'2e;  // ".shllim1"
constexpr std::size_t kHeaderBytes = 48;
constexpr std::size_t kEntryBytes = 24;
constexpr std::size_t kEntriesMax = 4'000'000;
constexpr std::chrono::milliseconds kLongest{std::chrono::hours(24 * 36500)};

std::uint64_t to_milliseconds(Duration time) {
  return static_cast<std::uint64_t>(
      std::chrono::ceil<std::chrono::milliseconds>(std::max(time, Duration::zero())).count());
}

/// The rest of a time after `passed`. A longer time than kLongest (in a damaged file) is cut to it.
Duration left_of(std::uint64_t milliseconds, std::chrono::seconds passed) {
  const auto most = static_cast<std::uint64_t>(kLongest.count());
  const std::chrono::milliseconds time(std::min(milliseconds, most));
  return std::max<Duration>(time - std::min<std::chrono::milliseconds>(passed, kLongest),
                            Duration::zero());
}

std::optional<SavedLimits> decode(BytesView bytes, WallTime now) {
  ByteReader reader(bytes);
  SavedLimits limits;
  if (reader.u64() != kMagic) return std::nullopt;
  limits.network_mask = reader.u32();
  const std::size_t count = reader.u32();
  const auto saved = static_cast<std::int64_t>(reader.u64());
  for (std::uint64_t& word : limits.key) word = reader.u64();
  if (!reader.ok() || count > kEntriesMax || reader.left() != count * kEntryBytes || saved < 0)
    return std::nullopt;
  limits.saved = WallTime(std::chrono::seconds(saved));
  const auto passed = std::max(now - limits.saved, std::chrono::seconds(0));
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t source = reader.u64();
    const Duration empty_in = left_of(reader.u64(), passed);
    const Duration ban = left_of(reader.u64(), passed);
    if (source != 0 && empty_in > Duration::zero())
      limits.entries.push_back({source, empty_in, ban});
  }
  return limits;
}

Bytes encode(const SavedLimits& limits) {
  const std::size_t count = std::min(limits.entries.size(), kEntriesMax);
  Bytes out(kHeaderBytes + count * kEntryBytes);
  ByteWriter writer(out);
  writer.u64(kMagic);
  writer.u32(limits.network_mask);
  writer.u32(static_cast<std::uint32_t>(count));
  writer.u64(unix_seconds(limits.saved));
  for (const std::uint64_t word : limits.key) writer.u64(word);
  for (std::size_t i = 0; i < count; ++i) {
    writer.u64(limits.entries[i].source);
    writer.u64(to_milliseconds(limits.entries[i].empty_in));
    writer.u64(to_milliseconds(limits.entries[i].ban));
  }
  return out;
}

}  // namespace

Status save_limits(const std::string& path, const SavedLimits& limits) {
  auto file = formats::NewFile::create(path, formats::NewFile::Existing::kReplace);
  if (!file) return file.error();
  if (::fchmod(file->fd(), S_IRUSR | S_IWUSR) != 0)
    return os_error(ErrorCode::kUnavailable, errno, file->part());
  if (Status written = write_all(file->fd(), encode(limits)); !written)
    return written.error().in(file->part());
  return file->commit();
}

Result<SavedLimits> load_limits(const std::string& path, WallTime now) {
  auto file = read_whole_file(path, kHeaderBytes + kEntriesMax * kEntryBytes);
  if (!file) return file.error();
  auto limits = decode(as_bytes(file->text), now);
  if (!limits) return Error{ErrorCode::kCorrupt, path + ": is not a valid file of rate limits"};
  return *std::move(limits);
}

}  // namespace shingled::storage::access
