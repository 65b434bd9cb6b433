#include "storage/counters/sealed/row_code.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "config/base/assert.h"

namespace shingled::storage::counters {

namespace {

// What amounts are like, and how many bits their bytes have: head = shape * kLengths + length.
// Most are of one message.
enum class Shape : std::uint8_t {
  kOneUnknown,  ///< mass and recipients are 1
  kOneSpam,     ///< mass, recipients and spam are 1
  kOneHam,      ///< mass, recipients and ham are 1
  kUnknown,     ///< mass, recipients
  kSpam,        ///< mass, recipients, all are spam
  kHam,         ///< mass, recipients, all are ham
  kMixed,       ///< mass, recipients, spam, the others are ham
};
constexpr std::size_t kShapes = 7;
constexpr std::size_t kLengths = 32;
constexpr std::size_t kOneMass = kShapes * kLengths;  ///< mass is 1, nothing else
constexpr std::size_t kAny = kOneMass + 1;            ///< a bit for each measure that is not 0
constexpr std::size_t kHeads = kAny + 1;

constexpr unsigned kLongBytes = kLengths - 1;  ///< the length does not fit into a head
constexpr unsigned kLongLengthBits = 6;

constexpr std::size_t kTags = 256;
/// With more periods the first one of a row is a plain number.
constexpr std::uint64_t kCodedPeriodsMax = 1024;
static_assert(kCodedPeriodsMax <= PrefixCode::kSymbolsMax);

unsigned length_of(std::uint64_t bytes) { return static_cast<unsigned>(std::bit_width(bytes)); }

std::optional<Shape> shape_of(const Amounts& amounts) {
  const std::uint64_t mass = amounts.of(Measure::kMass);
  const std::uint64_t spam = amounts.of(Measure::kSpam);
  const std::uint64_t ham = amounts.of(Measure::kHam);
  if (mass == 0 || amounts.of(Measure::kComplaint) != 0 || amounts.of(Measure::kRescue) != 0 ||
      amounts.of(Measure::kFailed) != 0)
    return std::nullopt;
  const bool is_one = mass == 1 && amounts.of(Measure::kRecipients) == 1;
  if (spam == 0 && ham == 0) return is_one ? Shape::kOneUnknown : Shape::kUnknown;
  if (spam == mass && ham == 0) return is_one ? Shape::kOneSpam : Shape::kSpam;
  if (ham == mass && spam == 0) return is_one ? Shape::kOneHam : Shape::kHam;
  if (spam != 0 && ham != 0 && spam + ham == mass) return Shape::kMixed;
  return std::nullopt;
}

std::size_t head_of(const Amounts& amounts) {
  const auto shape = shape_of(amounts);
  if (!shape) return kAny;
  const std::uint64_t bytes = amounts.of(Measure::kBytes);
  if (*shape == Shape::kUnknown && amounts.of(Measure::kMass) == 1 &&
      amounts.of(Measure::kRecipients) == 0 && bytes == 0)
    return kOneMass;
  return static_cast<std::size_t>(*shape) * kLengths + std::min(length_of(bytes), kLongBytes);
}

void write_bytes(std::uint64_t bytes, BitWriter& out) {
  const unsigned length = length_of(bytes);
  if (length >= kLongBytes) out.fixed(length, kLongLengthBits);
  if (length > 1) out.fixed(bytes & ((1ULL << (length - 1)) - 1), length - 1);
}

/// How many bits follow for the bytes, after the length itself if it is a long one.
unsigned read_length(std::size_t head, BitReader& in) {
  auto length = static_cast<unsigned>(head % kLengths);
  if (length == kLongBytes) length = static_cast<unsigned>(in.fixed(kLongLengthBits));
  return length;
}

std::uint64_t read_bytes(std::size_t head, BitReader& in) {
  const unsigned length = read_length(head, in);
  return length == 0 ? 0 : 1ULL << (length - 1) | in.fixed(length - 1);
}

// A message has one recipient or more, so recipients are written as what is more than the mass; as
// in Protocol Buffers, negative numbers are the odd ones.
std::uint64_t folded(std::uint64_t number, std::uint64_t base) {
  return number >= base ? (number - base) << 1U : ((base - number) << 1U) - 1;
}
std::uint64_t unfolded(std::uint64_t number, std::uint64_t base) {
  return (number & 1U) == 0 ? base + (number >> 1U) : base - (number >> 1U) - 1;
}

/// Bits of a number from 1 to mass - 1, less one.
unsigned spam_bits(std::uint64_t mass) {
  return static_cast<unsigned>(std::bit_width(mass > 2 ? mass - 2 : 0));
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

RowCode::RowCode(const PeriodRange& range, RowCodes codes)
    : range_(range),
      codes_(std::move(codes)),
      is_one_slot_(range.is_one_slot()),
      slots_(range.slots()),
      periods_(slots_ + range.days()) {}

RowCode::Symbols RowCode::symbols(const PeriodRange& range) {
  const std::uint64_t periods = range.slots() + range.days();
  const bool is_coded = !range.is_one_slot() && periods <= kCodedPeriodsMax;
  return {kTags, kHeads, is_coded ? periods : 0};
}

RowCodes RowCode::codes_for(const PeriodRange& range, std::span<const Row> rows) {
  const Symbols sizes = symbols(range);
  std::vector<std::uint64_t> tags(sizes.tags);
  std::vector<std::uint64_t> heads(sizes.heads);
  std::vector<std::uint64_t> periods(sizes.periods);
  const RowCode places(range, {});
  for (const Row& row : rows) {
    ++tags[row.key.tag()];
    for (const Entry& entry : row.entries) ++heads[head_of(entry.amounts)];
    if (!periods.empty()) ++periods[places.place_of(row.entries.front().period)];
  }
  return {PrefixCode::of_counts(tags), PrefixCode::of_counts(heads),
          periods.empty() ? PrefixCode{} : PrefixCode::of_counts(periods)};
}

void RowCode::write(std::span<const Entry> entries, BitWriter& out) const {
  SHINGLED_ASSERT(!entries.empty());
  if (is_one_slot_) {
    SHINGLED_ASSERT(entries.size() == 1);
    write_amounts(entries.front().amounts, out);
    return;
  }
  out.gamma(entries.size());
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint64_t place = place_of(entries[i].period);
    if (i > 0)
      out.rice(place - before - 1, gap_bits(before, entries.size() - i));
    else if (codes_.periods.lengths().empty())
      out.fixed(place, static_cast<unsigned>(std::bit_width(periods_)));
    else
      codes_.periods.write(place, out);
    before = place;
    write_amounts(entries[i].amounts, out);
  }
}

std::uint64_t RowCode::read_first_place(BitReader& in) const {
  if (codes_.periods.lengths().empty())
    return in.fixed(static_cast<unsigned>(std::bit_width(periods_)));
  return codes_.periods.read(in);
}

void RowCode::write_amounts(const Amounts& amounts, BitWriter& out) const {
  const std::size_t head = head_of(amounts);
  codes_.heads.write(head, out);
  if (head == kOneMass) return;
  if (head == kAny) {
    for (const std::uint64_t count : amounts.counts) out.fixed(count != 0 ? 1 : 0, 1);
    for (const std::uint64_t count : amounts.counts)
      if (count != 0) out.gamma(count);
    return;
  }
  const auto shape = static_cast<Shape>(head / kLengths);
  if (shape >= Shape::kUnknown) {
    const std::uint64_t mass = amounts.of(Measure::kMass);
    out.gamma(mass);
    out.gamma(folded(amounts.of(Measure::kRecipients), mass) + 1);
    if (shape == Shape::kMixed) out.fixed(amounts.of(Measure::kSpam) - 1, spam_bits(mass));
  }
  write_bytes(amounts.of(Measure::kBytes), out);
}

Amounts RowCode::read_amounts(BitReader& in) const {
  const std::size_t head = codes_.heads.read(in);
  Amounts amounts;
  if (head == kAny) {
    const std::uint64_t mask = in.fixed(kMeasures);
    for (std::size_t i = 0; i < kMeasures; ++i)
      if ((mask >> i & 1U) != 0) amounts.counts[i] = in.gamma();
    return amounts;
  }
  std::uint64_t& mass = amounts.of(Measure::kMass);
  std::uint64_t& spam = amounts.of(Measure::kSpam);
  mass = 1;
  if (head == kOneMass) return amounts;
  const auto shape = static_cast<Shape>(head / kLengths);
  amounts.of(Measure::kRecipients) = 1;
  if (shape >= Shape::kUnknown) {
    mass = in.gamma();
    amounts.of(Measure::kRecipients) = unfolded(in.gamma() - 1, mass);
  }
  if (shape == Shape::kOneSpam || shape == Shape::kSpam) spam = mass;
  if (shape == Shape::kOneHam || shape == Shape::kHam) amounts.of(Measure::kHam) = mass;
  if (shape == Shape::kMixed) {
    spam = in.fixed(spam_bits(mass)) + 1;
    amounts.of(Measure::kHam) = mass - spam;
  }
  amounts.of(Measure::kBytes) = read_bytes(head, in);
  return amounts;
}

void RowCode::skip_amounts(BitReader& in) const {
  const std::size_t head = codes_.heads.read(in);
  if (head == kOneMass) return;
  if (head == kAny) {
    for (int left = std::popcount(in.fixed(kMeasures)); left > 0; --left) in.gamma();
    return;
  }
  const auto shape = static_cast<Shape>(head / kLengths);
  if (shape >= Shape::kUnknown) {
    const std::uint64_t mass = in.gamma();
    in.gamma();
    if (shape == Shape::kMixed) in.skip(spam_bits(mass));
  }
  const unsigned length = read_length(head, in);
  if (length > 1) in.skip(length - 1);
}

}  // namespace shingled::storage::counters
