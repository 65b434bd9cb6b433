#include "storage/counters/row_code.h"

#include <algorithm>
#include <bit>

#include "config/base/assert.h"

namespace shingled::storage::counters {

namespace {

/// How the amounts of an entry are written: most are of one message.
enum class Shape : std::uint8_t {
  kOneHam,      ///< mass, recipients and ham are 1; then the bytes
  kOneSpam,     ///< mass, recipients and spam are 1; then the bytes
  kOneUnknown,  ///< mass and recipients are 1; then the bytes
  kOnePair,     ///< mass and recipients are 1: a pair that was new on its day
  kOneMass,     ///< mass is 1
  kSame,        ///< mass, recipients, verdict of all messages, bytes
  kAny,         ///< a bit for each measure that is not 0, then those
};
constexpr unsigned kShapeBits = 3;

enum class SameVerdict : std::uint8_t { kNone, kSpam, kHam };
constexpr unsigned kVerdictBits = 2;

// Bytes of a message: the number of bits less 8, or kLongBytes and the number of bits; then all
// bits but the first.
constexpr unsigned kBytesLengthBits = 4;
constexpr unsigned kBytesLengthLeast = 8;
constexpr unsigned kLongBytes = (1U << kBytesLengthBits) - 1;
constexpr unsigned kLongLengthBits = 6;

void write_bytes(std::uint64_t bytes, BitWriter& out) {
  const auto length = static_cast<unsigned>(std::bit_width(bytes));
  if (length >= kBytesLengthLeast && length < kBytesLengthLeast + kLongBytes) {
    out.fixed(length - kBytesLengthLeast, kBytesLengthBits);
  } else {
    out.fixed(kLongBytes, kBytesLengthBits);
    out.fixed(length, kLongLengthBits);
  }
  if (length > 1) out.fixed(bytes & ((1ULL << (length - 1)) - 1), length - 1);
}

std::uint64_t read_bytes(BitReader& in) {
  auto length = static_cast<unsigned>(in.fixed(kBytesLengthBits));
  length = length == kLongBytes ? static_cast<unsigned>(in.fixed(kLongLengthBits))
                                : length + kBytesLengthLeast;
  if (length == 0) return 0;
  return 1ULL << (length - 1) | in.fixed(length - 1);
}

Amounts amounts_of(std::uint64_t mass, std::uint64_t recipients, SameVerdict verdict) {
  Amounts amounts;
  amounts.of(Measure::kMass) = mass;
  amounts.of(Measure::kRecipients) = recipients;
  if (verdict == SameVerdict::kSpam) amounts.of(Measure::kSpam) = mass;
  if (verdict == SameVerdict::kHam) amounts.of(Measure::kHam) = mass;
  return amounts;
}

Shape shape_of(const Amounts& amounts) {
  const std::uint64_t mass = amounts.of(Measure::kMass);
  const std::uint64_t spam = amounts.of(Measure::kSpam);
  const std::uint64_t ham = amounts.of(Measure::kHam);
  if (mass == 0 || amounts.of(Measure::kComplaint) != 0 || amounts.of(Measure::kRescue) != 0 ||
      amounts.of(Measure::kFailed) != 0 || (spam != 0 && (spam != mass || ham != 0)) ||
      (ham != 0 && ham != mass))
    return Shape::kAny;
  if (mass != 1 || amounts.of(Measure::kRecipients) > 1) return Shape::kSame;
  const bool no_bytes = amounts.of(Measure::kBytes) == 0;
  if (amounts.of(Measure::kRecipients) == 0)
    return no_bytes && spam + ham == 0 ? Shape::kOneMass : Shape::kSame;
  if (spam != 0) return Shape::kOneSpam;
  if (ham != 0) return Shape::kOneHam;
  return no_bytes ? Shape::kOnePair : Shape::kOneUnknown;
}

unsigned bits_for(std::uint32_t first, std::uint32_t last) {
  return static_cast<unsigned>(std::bit_width(last - first));
}

}  // namespace

void PeriodRange::include(const Period& period) {
  const bool is_slot = period.unit == Period::Unit::kSlot;
  bool& has = is_slot ? has_slots : has_days;
  std::uint32_t& first = is_slot ? slot_first : day_first;
  std::uint32_t& last = is_slot ? slot_last : day_last;
  first = has ? std::min(first, period.number) : period.number;
  last = has ? std::max(last, period.number) : period.number;
  has = true;
}

void PeriodRange::include(const PeriodRange& other) {
  if (other.has_slots) {
    include({Period::Unit::kSlot, other.slot_first});
    include({Period::Unit::kSlot, other.slot_last});
  }
  if (other.has_days) {
    include({Period::Unit::kDay, other.day_first});
    include({Period::Unit::kDay, other.day_last});
  }
}

RowCode::RowCode(const PeriodRange& range)
    : range_(range),
      is_one_slot_(range.is_one_slot()),
      slot_bits_(bits_for(range.slot_first, range.slot_last)),
      day_bits_(bits_for(range.day_first, range.day_last)) {}

void RowCode::write(std::span<const Entry> entries, BitWriter& out) const {
  SHINGLED_ASSERT(!entries.empty());
  if (is_one_slot_) {
    SHINGLED_ASSERT(entries.size() == 1);
    write_amounts(entries.front().amounts, out);
    return;
  }
  out.gamma(entries.size());
  for (const Entry& entry : entries) {
    const bool is_day = entry.period.unit == Period::Unit::kDay;
    out.fixed(is_day ? 1 : 0, 1);
    if (is_day)
      out.fixed(entry.period.number - range_.day_first, day_bits_);
    else
      out.fixed(entry.period.number - range_.slot_first, slot_bits_);
    write_amounts(entry.amounts, out);
  }
}

Period RowCode::read_period(BitReader& in) const {
  const bool is_day = in.fixed(1) != 0;
  if (is_day)
    return {Period::Unit::kDay,
            static_cast<Day>(range_.day_first + static_cast<Day>(in.fixed(day_bits_)))};
  return {Period::Unit::kSlot,
          static_cast<Slot>(range_.slot_first + static_cast<Slot>(in.fixed(slot_bits_)))};
}

void RowCode::write_amounts(const Amounts& amounts, BitWriter& out) {
  const Shape shape = shape_of(amounts);
  out.fixed(static_cast<std::uint64_t>(shape), kShapeBits);
  switch (shape) {
    case Shape::kOneHam:
    case Shape::kOneSpam:
    case Shape::kOneUnknown:
      write_bytes(amounts.of(Measure::kBytes), out);
      return;
    case Shape::kOnePair:
    case Shape::kOneMass:
      return;
    case Shape::kSame: {
      out.gamma(amounts.of(Measure::kMass));
      out.gamma(amounts.of(Measure::kRecipients) + 1);
      SameVerdict verdict = SameVerdict::kNone;
      if (amounts.of(Measure::kSpam) != 0) verdict = SameVerdict::kSpam;
      if (amounts.of(Measure::kHam) != 0) verdict = SameVerdict::kHam;
      out.fixed(static_cast<std::uint64_t>(verdict), kVerdictBits);
      write_bytes(amounts.of(Measure::kBytes), out);
      return;
    }
    case Shape::kAny:
      for (const std::uint64_t count : amounts.counts) out.fixed(count != 0 ? 1 : 0, 1);
      for (const std::uint64_t count : amounts.counts)
        if (count != 0) out.gamma(count);
      return;
  }
}

Amounts RowCode::read_amounts(BitReader& in) {
  const auto shape = static_cast<Shape>(in.fixed(kShapeBits));
  Amounts amounts;
  switch (shape) {
    case Shape::kOneHam:
      amounts = amounts_of(1, 1, SameVerdict::kHam);
      break;
    case Shape::kOneSpam:
      amounts = amounts_of(1, 1, SameVerdict::kSpam);
      break;
    case Shape::kOneUnknown:
      amounts = amounts_of(1, 1, SameVerdict::kNone);
      break;
    case Shape::kOnePair:
      return amounts_of(1, 1, SameVerdict::kNone);
    case Shape::kOneMass:
      return amounts_of(1, 0, SameVerdict::kNone);
    case Shape::kSame: {
      const std::uint64_t mass = in.gamma();
      const std::uint64_t recipients = in.gamma() - 1;
      amounts = amounts_of(mass, recipients, static_cast<SameVerdict>(in.fixed(kVerdictBits)));
      break;
    }
    case Shape::kAny: {
      const std::uint64_t mask = in.fixed(kMeasures);
      for (std::size_t i = 0; i < kMeasures; ++i)
        if ((mask >> i & 1U) != 0) amounts.counts[i] = in.gamma();
      return amounts;
    }
  }
  amounts.of(Measure::kBytes) = read_bytes(in);
  return amounts;
}

}  // namespace shingled::storage::counters
