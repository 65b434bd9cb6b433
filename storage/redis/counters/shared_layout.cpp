#include "storage/redis/counters/shared_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "storage/redis/route/key_slot.h"

namespace shingled::storage::redis {

using counters::CounterKey;
using counters::Entry;
using counters::Period;

namespace {

constexpr std::uint64_t kBucketMask = (1U << kBucketBits) - 1;
static_assert(kBucketMask + 1 == kClusterSlots);
constexpr std::uint32_t kSlotBit = 1U << 31U;
constexpr std::size_t kHeadBytes = 6;
constexpr std::string_view kBucketEnd = "}:bucket";

void put_number(std::uint64_t number, std::size_t bytes, std::string& out) {
  for (std::size_t i = bytes; i > 0; --i) out += static_cast<char>(number >> (8 * (i - 1)));
}

/// The number in the first bytes, the highest first; takes them off the front.
std::uint64_t take_number(std::string_view& text, std::size_t bytes) {
  std::uint64_t number = 0;
  for (const char c : text.substr(0, bytes)) number = number << 8U | static_cast<std::uint8_t>(c);
  text.remove_prefix(bytes);
  return number;
}

std::size_t width_of(std::uint64_t number) {
  const auto bytes = (static_cast<std::size_t>(std::bit_width(number)) + 7) / 8;
  return bytes == 7 ? 8 : bytes;
}

}  // namespace

Bucket bucket_of(const CounterKey& key) { return static_cast<Bucket>(key.shingle & kBucketMask); }

std::string bucket_name(std::string_view prefix, Bucket bucket) {
  std::string out(prefix);
  return out.append(":{").append(slot_tag(bucket)).append(kBucketEnd);
}

std::optional<Bucket> parse_bucket_name(std::string_view prefix, std::string_view name) {
  const Bucket bucket = key_slot(name);
  return bucket_name(prefix, bucket) == name ? std::optional(bucket) : std::nullopt;
}

std::string mark_name(std::string_view prefix) { return fmt::format("{}:key", prefix); }

std::string writer_name(std::string_view prefix, Bucket bucket, std::uint64_t writer) {
  return fmt::format("{}:{{{}}}:from:{:016x}", prefix, slot_tag(bucket), writer);
}

bool is_together(const counters::Pair& pair) {
  return ((pair.key.shingle ^ pair.unique) & counters::kPairTagMask) == 0;
}

void append_field(const CounterKey& key, std::string& out) {
  put_number(key.shingle, 8, out);
  put_number(key.tag(), 1, out);
}

std::optional<CounterKey> parse_field(Bucket bucket, std::string_view field) {
  if (field.size() != kFieldBytes) return std::nullopt;
  const std::uint64_t shingle = take_number(field, 8);
  const CounterKey key = CounterKey::of(shingle, static_cast<std::uint8_t>(field[0]));
  if (bucket_of(key) != bucket) return std::nullopt;
  if (find_piece_type(static_cast<std::uint64_t>(key.type)) == nullptr) return std::nullopt;
  return key;
}

void append_record(const Entry& entry, std::string& out) {
  unsigned mask = 0;
  std::size_t width = 1;
  for (std::size_t m = 0; m < counters::kMeasures; ++m) {
    const std::uint64_t count = entry.amounts.counts[m];
    if (count == 0) continue;
    mask |= 1U << m;
    width = std::max(width, width_of(count));
  }
  if (mask == 0) return;
  const bool is_slot = entry.period.unit == Period::Unit::kSlot;
  put_number(entry.period.number | (is_slot ? kSlotBit : 0), 4, out);
  put_number(mask, 1, out);
  put_number(width, 1, out);
  for (const std::uint64_t count : entry.amounts.counts)
    if (count != 0) put_number(count, width, out);
}

std::vector<Entry> read_entries(std::string_view value) {
  std::vector<Entry> entries;
  while (value.size() >= kHeadBytes) {
    const auto period = static_cast<std::uint32_t>(take_number(value, 4));
    const auto mask = static_cast<unsigned>(take_number(value, 1));
    const std::size_t width = take_number(value, 1);
    const std::size_t bytes = width * static_cast<std::size_t>(std::popcount(mask));
    if (width == 0 || width == 7 || width > 8 || value.size() < bytes) break;
    Entry entry;
    entry.period = (period & kSlotBit) != 0 ? Period{Period::Unit::kSlot, period & ~kSlotBit}
                                            : Period{Period::Unit::kDay, period};
    for (std::size_t m = 0; m < counters::kMeasures; ++m) {
      if ((mask >> m & 1U) == 0) continue;
      entry.amounts.counts[m] = std::min(take_number(value, width), counters::kCountMax);
    }
    if (!entry.amounts.is_zero()) add_entry(entries, entry);
  }
  return entries;
}

std::optional<Entry> kept_entry(PieceType type, const Entry& entry, counters::Slot now) {
  const bool is_slot = entry.period.unit == Period::Unit::kSlot;
  if (is_slot && std::uint64_t{entry.period.number} + counters::kSlotsPerDay > now) return entry;
  Entry out = entry;
  if (is_slot) {
    out.period = {Period::Unit::kDay, counters::day_of(entry.period.number)};
    out.amounts = day_part(type, entry.amounts);
  }
  const bool is_over =
      std::uint64_t{out.period.number} + counters::kDaysKept <= counters::day_of(now);
  if (is_over || out.amounts.is_zero()) return std::nullopt;
  return out;
}

}  // namespace shingled::storage::redis
