#include "storage/redis/counters/generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include "config/base/byte_reader.h"
#include "storage/redis/counters/shared_layout.h"

namespace shingled::storage::redis {

using counters::CounterKey;
using counters::Entry;
using counters::Period;

namespace {

constexpr unsigned kCallBits = 20;  ///< of a call's number; the generation is above them

/// Bucket and shingle as one number: what goes before by bucket, then by shingle, is less.
std::uint64_t rank_of(const CounterKey& key) { return std::rotr(key.shingle, kBucketBits); }

bool goes_before(const CounterKey& a, const CounterKey& b) {
  const std::uint64_t of_a = rank_of(a);
  const std::uint64_t of_b = rank_of(b);
  return of_a != of_b ? of_a < of_b : a < b;
}

}  // namespace

void Generation::add(std::uint64_t number, const counters::PastAddition& past,
                     const std::shared_ptr<PairTicket>& ticket) {
  const Entry entry{{Period::Unit::kSlot, past.slot}, past.addition.amounts};
  for (const CounterKey& key : past.addition.counters) put(key, entry);
  for (const counters::Pair& pair : past.addition.pairs)
    pairs_.push_back({{number, pair, past.slot, past.addition.amounts}, ticket});
}

void Generation::add(std::uint64_t number, const WaitingItem& item,
                     const std::shared_ptr<PairTicket>& ticket) {
  if (const auto* past = std::get_if<counters::PastAddition>(&item)) {
    add(number, *past, ticket);
    return;
  }
  const auto& series = std::get<counters::CounterSeries>(item);
  for (const Entry& entry : series.entries) put(series.key, entry);
}

void Generation::put(const CounterKey& key, const Entry& entry) {
  add_entry(counters_[key], entry);
}

Generation::Division Generation::divide(
    const std::function<std::uint16_t(const CounterKey&)>& slot_of) const {
  // Numbers are sorted, which is cheaper than sorting what they stand for. Slots rise with buckets.
  std::vector<std::pair<std::uint64_t, const decltype(counters_)::value_type*>> sorted;
  sorted.reserve(counters_.size());
  for (const auto& counter : counters_) sorted.emplace_back(rank_of(counter.first), &counter);
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second->first < b.second->first;
  });
  Division division;
  division.deltas.reserve(sorted.size());
  std::vector<Call>& calls = division.calls;
  for (const auto& [rank, counter] : sorted) {
    const std::uint16_t slot = slot_of(counter->first);
    const bool goes_on = !calls.empty() && calls.back().slot == slot &&
                         calls.back().end - calls.back().begin < kKeysPerCall;
    if (!goes_on) {
      const std::uint64_t number =
          (std::uint64_t{name_.generation} << kCallBits) + calls.size() + 1;
      calls.push_back({slot, number, division.deltas.size(), division.deltas.size()});
    }
    division.deltas.push_back({counter->first, counter->second});
    ++calls.back().end;
  }
  return division;
}

const std::vector<Entry>* Generation::find(const CounterKey& key, std::uint16_t slot,
                                           std::uint64_t applied) const {
  const auto found = counters_.find(key);
  if (found == counters_.end()) return nullptr;
  // The first call of its slot that does not end before it; none if the generation is not sealed.
  const std::vector<Call>& calls = division_.calls;
  const auto begin = std::ranges::lower_bound(calls, slot, {}, &Call::slot);
  const auto end = std::ranges::upper_bound(calls, slot, {}, &Call::slot);
  const auto call =
      std::lower_bound(begin, end, key, [&](const Call& each, const CounterKey& wanted) {
        return goes_before(division_.deltas[each.end - 1].key, wanted);
      });
  const bool is_applied = call != end && call->number <= applied;
  return is_applied ? nullptr : &found->second;
}

using counters::CounterKey;
using counters::CounterSeries;
using counters::Entry;
using counters::PastAddition;
using counters::Period;

namespace {

constexpr std::size_t kNumberBytes = 8;
// The fields are those of WaitingName; a record is a number and an item.
constexpr log::LogKind kKind = {
    .what = "waiting counters",
    .magic = {'s', 'h', 'g', 'c', 'w', 'a', 'i', '1'},
    .fields_bytes = 12,
    .body_bytes_min = kNumberBytes + 1,
    .body_bytes_max = 1U << 20U,
};
constexpr std::string_view kSuffix = ".waiting";
constexpr std::size_t kEntriesMax = 4096;
enum class ItemKind : std::uint8_t { kAddition = 1, kSeries = 2 };

Bytes fields_of(const WaitingName& name) {
  Bytes fields;
  append_number(fields, name.writer);
  append_number(fields, name.generation);
  return fields;
}

void append_series(const CounterSeries& series, Bytes& out) {
  out.push_back(static_cast<std::uint8_t>(ItemKind::kSeries));
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
  const auto kind = static_cast<ItemKind>(in.u8());
  if (kind == ItemKind::kSeries) {
    auto series = decode_series(in);
    if (!series) return std::nullopt;
    return *std::move(series);
  }
  const counters::Slot slot = in.u32();
  if (kind != ItemKind::kAddition || !in.ok()) return std::nullopt;
  auto addition = counters::decode_addition(in.bytes(in.left()));
  if (!addition) return std::nullopt;
  return PastAddition{slot, *std::move(addition)};
}

void append_addition(const PastAddition& past, Bytes& out) {
  out.push_back(static_cast<std::uint8_t>(ItemKind::kAddition));
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
  auto log = log::RecordLog::create(files, name.file(), kKind, fields_of(name));
  if (!log) return log.error();
  return std::unique_ptr<WaitingLog>(new WaitingLog(*std::move(log)));
}

Status WaitingLog::append(std::span<const WaitingItem> items, std::uint64_t first) {
  for (const WaitingItem& item : items) {
    log_->add([&](Bytes& body) {
      append_number(body, first++);
      if (const auto* past = std::get_if<PastAddition>(&item)) {
        append_addition(*past, body);
      } else {
        append_series(std::get<CounterSeries>(item), body);
      }
    });
  }
  return log_->write();
}

Status WaitingLog::append(const PastAddition& addition, std::uint64_t number) {
  log_->add([&](Bytes& body) {
    append_number(body, number);
    append_addition(addition, body);
  });
  return log_->write();
}

Result<std::uint64_t> read_waiting_log(
    FileSystem& files, const WaitingName& name,
    const std::function<void(std::uint64_t, const WaitingItem&)>& take) {
  const auto reading = log::read_records(
      files, name.file(), kKind,
      [&](BytesView fields) { return std::ranges::equal(fields, fields_of(name)); },
      [&](BytesView body) -> Result<bool> {
        const auto item = decode_item(body.subspan(kNumberBytes));
        if (item) take(ByteReader(body).u64(), *item);
        return item.has_value();  // otherwise it is of a later version
      });
  if (!reading) return reading.error();
  return reading->bytes_lost;
}

}  // namespace shingled::storage::redis
