#include "storage/shared_counters/shared_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "config/base/number_text.h"
#include "storage/redis/key_slot.h"

namespace shingled::storage::shared_counters {

using counters::CounterKey;
using counters::Entry;
using counters::Period;

namespace {

constexpr std::uint64_t kTagMask = counters::kPairTagMask;
constexpr std::size_t kShingleDigits = 16;

std::string tag_of(std::uint64_t shingle) { return fmt::format("{:04x}", shingle & kTagMask); }

/// The slots of all tags; a cluster asks for them again and again.
const std::vector<std::uint16_t>& slots_of_tags() {
  static const std::vector<std::uint16_t> by_tag = [] {
    std::vector<std::uint16_t> slots;
    for (std::uint64_t tag = 0; tag <= kTagMask; ++tag)
      slots.push_back(redis::key_slot(tag_of(tag)));
    return slots;
  }();
  return by_tag;
}

/// Takes the text before the next ':' off the front; the whole rest if there is none.
std::string_view take_part(std::string_view& text) {
  const std::size_t end = std::min(text.find(':'), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

struct Field {
  Period period;
  std::size_t measure = 0;
};

std::optional<Field> parse_field(std::string_view text) {
  if (text.empty() || (text[0] != 't' && text[0] != 'd')) return std::nullopt;
  Field field;
  field.period.unit = text[0] == 't' ? Period::Unit::kSlot : Period::Unit::kDay;
  text.remove_prefix(1);
  const auto number = parse_whole<std::uint32_t>(take_part(text));
  const auto measure = parse_whole<std::size_t>(text, 0, counters::kMeasures - 1);
  if (!number || !measure) return std::nullopt;
  field.period.number = *number;
  field.measure = *measure;
  return field;
}

}  // namespace

std::string counter_name(std::string_view prefix, const CounterKey& key) {
  return fmt::format("{}:{{{}}}:{}:{}:{:016x}", prefix, tag_of(key.shingle), to_string(key.space),
                     static_cast<unsigned>(key.type), key.shingle);
}

std::optional<CounterKey> parse_counter_name(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  std::string_view rest = name.substr(prefix.size());  // ":{TAG}:SPACE:TYPE:SHINGLE"
  take_part(rest);
  take_part(rest);
  const std::string_view space = take_part(rest);
  const auto type = parse_whole<std::uint8_t>(take_part(rest));
  if (rest.size() != kShingleDigits || !type || find_piece_type(*type) == nullptr)
    return std::nullopt;
  CounterKey key;
  key.type = static_cast<PieceType>(*type);
  key.space =
      space == to_string(counters::Space::kOut) ? counters::Space::kOut : counters::Space::kIn;
  const auto [end, failure] =
      std::from_chars(rest.data(), rest.data() + rest.size(), key.shingle, 16);
  if (failure != std::errc{} || end != rest.data() + rest.size()) return std::nullopt;
  return counter_name(prefix, key) == name ? std::optional(key) : std::nullopt;
}

bool is_together(const counters::Pair& pair) {
  return ((pair.key.shingle ^ pair.unique) & kTagMask) == 0;
}

std::uint16_t cluster_slot(const CounterKey& key) {
  return slots_of_tags()[key.shingle & kTagMask];
}

std::string writer_name(std::string_view prefix, std::uint16_t cluster_slot, std::uint64_t writer) {
  return fmt::format("{}:{{{}}}:from:{:016x}", prefix, redis::slot_tag(cluster_slot), writer);
}

std::string field_name(const Period& period, counters::Measure measure) {
  return fmt::format("{}{}:{}", period.unit == Period::Unit::kSlot ? 't' : 'd', period.number,
                     static_cast<unsigned>(measure));
}

std::string seen_name(counters::Day day) { return fmt::format("n{}", day); }

std::optional<std::vector<Entry>> read_entries(const redis::RedisReply& reply) {
  if (reply.kind != redis::RedisReply::Kind::kArray || reply.elements.size() % 2 != 0)
    return std::nullopt;
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < reply.elements.size(); i += 2) {
    const auto field = parse_field(reply.elements[i].text);
    const auto count =
        parse_whole<std::uint64_t>(reply.elements[i + 1].text, 0, counters::kCountMax);
    if (!field || count.value_or(0) == 0) continue;
    Entry entry{field->period, {}};
    entry.amounts.counts[field->measure] = *count;
    entries.push_back(entry);
  }
  std::ranges::sort(entries, {}, &Entry::period);
  std::size_t last = 0;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].period == entries[last].period)
      entries[last].amounts += entries[i].amounts;
    else
      entries[++last] = entries[i];
  }
  if (!entries.empty()) entries.resize(last + 1);
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

}  // namespace shingled::storage::shared_counters
