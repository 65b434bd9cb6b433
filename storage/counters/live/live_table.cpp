#include "storage/counters/live/live_table.h"

#include <algorithm>
#include <utility>

#include "config/base/assert.h"
#include "config/base/prefetch.h"

namespace shingled::storage::counters {

namespace {

// The counts of a cell. Most counters of ten minutes have been seen by one or two messages, all of
// the same verdict.
//   bit  63      wide: the other bits are a place in Shard::wide
//   bits 61..62  verdict: 0 none, 1 all messages spam, 2 all messages ham
//   bits 48..60  mass
//   bits 32..47  recipients
//   bits  0..31  bytes
constexpr std::uint64_t kWide = 1ULL << 63U;
constexpr unsigned kVerdictShift = 61;
constexpr unsigned kMassShift = 48;
constexpr unsigned kRecipientsShift = 32;
constexpr std::uint64_t kMassMax = (1ULL << 13U) - 1;
constexpr std::uint64_t kRecipientsMax = (1ULL << 16U) - 1;
constexpr std::uint64_t kBytesMax = (1ULL << 32U) - 1;
constexpr std::uint64_t kAllSpam = 1;
constexpr std::uint64_t kAllHam = 2;

/// 0 if the amounts do not fit.
std::uint64_t pack(const Amounts& amounts) {
  const std::uint64_t mass = amounts.of(Measure::kMass);
  const std::uint64_t recipients = amounts.of(Measure::kRecipients);
  const std::uint64_t bytes = amounts.of(Measure::kBytes);
  const std::uint64_t spam = amounts.of(Measure::kSpam);
  const std::uint64_t ham = amounts.of(Measure::kHam);
  if (mass == 0 || mass > kMassMax || recipients > kRecipientsMax || bytes > kBytesMax ||
      amounts.of(Measure::kComplaint) != 0 || amounts.of(Measure::kRescue) != 0 ||
      amounts.of(Measure::kFailed) != 0)
    return 0;
  std::uint64_t verdict = 0;
  if (spam == mass && ham == 0)
    verdict = kAllSpam;
  else if (ham == mass && spam == 0)
    verdict = kAllHam;
  else if (spam != 0 || ham != 0)
    return 0;
  return verdict << kVerdictShift | mass << kMassShift | recipients << kRecipientsShift | bytes;
}

Amounts unpack(std::uint64_t counts) {
  Amounts amounts;
  const std::uint64_t mass = counts >> kMassShift & kMassMax;
  const std::uint64_t verdict = counts >> kVerdictShift & 3U;
  amounts.of(Measure::kMass) = mass;
  amounts.of(Measure::kRecipients) = counts >> kRecipientsShift & kRecipientsMax;
  amounts.of(Measure::kBytes) = counts & kBytesMax;
  if (verdict == kAllSpam) amounts.of(Measure::kSpam) = mass;
  if (verdict == kAllHam) amounts.of(Measure::kHam) = mass;
  return amounts;
}

constexpr std::size_t kPlacesFirst = 32;
constexpr std::size_t kOverflowCells = 16;  ///< after the places, at least
/// A shard grows by a fifth when 85 % of its places are used, so the load stays above 70 %.
constexpr std::size_t kLoadPercentMax = 85;
constexpr std::size_t kGrowthPercent = 120;

/// Makes room for at least `least` cells. Not by doubling, as resize would.
template <typename Cell>
void add_cells(std::vector<Cell>& cells, std::size_t least) {
  cells.reserve(least + kOverflowCells);
  cells.resize(least + kOverflowCells);
}

std::uint64_t cell_key(const CounterKey& key) { return key.shingle << 8U | key.tag(); }

}  // namespace

std::size_t LiveTable::place_of(std::size_t places, std::uint64_t key) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>(static_cast<Wide>(key) * places >> 64U);
}

std::size_t LiveTable::search(const Shard& shard, std::uint64_t key) {
  std::size_t at = place_of(shard.places, key);
  while (shard.cells[at].counts != 0 && shard.cells[at].key < key) ++at;
  return at;
}

Amounts LiveTable::counts_of(const Shard& shard, const Cell& cell) {
  if ((cell.counts & kWide) != 0) return shard.wide[cell.counts & ~kWide];
  return unpack(cell.counts);
}

void LiveTable::set_counts(Shard& shard, Cell& cell, const Amounts& amounts) {
  if ((cell.counts & kWide) != 0) {
    shard.wide[cell.counts & ~kWide] = amounts;
    return;
  }
  std::uint64_t counts = pack(amounts);
  if (counts == 0) {
    counts = kWide | shard.wide.size();
    shard.wide.push_back(amounts);
  }
  cell.counts = counts;
}

std::size_t LiveTable::make_room(Shard& shard, std::size_t at) {
  std::size_t end = at;
  while (shard.cells[end].counts != 0) ++end;
  // `search` and `make_room` stop at a free cell, so there is always one at the end.
  if (end + 1 == shard.cells.size()) add_cells(shard.cells, end + 2);
  return end;
}

void LiveTable::insert(Shard& shard, std::size_t at, std::size_t end, const Cell& cell) {
  std::move_backward(shard.cells.begin() + static_cast<std::ptrdiff_t>(at),
                     shard.cells.begin() + static_cast<std::ptrdiff_t>(end),
                     shard.cells.begin() + static_cast<std::ptrdiff_t>(end) + 1);
  shard.cells[at] = cell;
}

void LiveTable::grow(Shard& shard) {
  const std::size_t places = std::max(kPlacesFirst, shard.places * kGrowthPercent / 100);
  std::vector<Cell> cells(places + kOverflowCells);
  std::size_t next = 0;  // the old cells come in order, so each goes after the one before
  for (const Cell& cell : shard.cells) {
    if (cell.counts == 0) continue;
    next = std::max(next, place_of(places, cell.key));
    if (next + 1 >= cells.size()) add_cells(cells, next + 2);
    cells[next++] = cell;
  }
  shard.places = places;
  shard.cells = std::move(cells);
}

std::uint64_t LiveTable::add(const CounterKey& key, const Amounts& more) {
  SHINGLED_DEBUG_ASSERT(!more.is_zero());
  auto shard = shards_[key.shingle >> kShardShift].lock();
  const BytesOf counted(*shard, bytes_);
  const std::uint64_t wanted = cell_key(key);
  if (shard->used * 100 >= shard->places * kLoadPercentMax) grow(*shard);
  const std::size_t at = search(*shard, wanted);
  if (shard->cells[at].counts != 0 && shard->cells[at].key == wanted) {
    Amounts sum = counts_of(*shard, shard->cells[at]);
    const std::uint64_t mass_before = sum.of(Measure::kMass);
    sum += more;
    set_counts(*shard, shard->cells[at], sum);
    return mass_before;
  }
  const std::size_t end = make_room(*shard, at);
  Cell cell{wanted, 0};
  set_counts(*shard, cell, more);
  insert(*shard, at, end, cell);
  ++shard->used;
  size_.fetch_add(1, std::memory_order_relaxed);
  return 0;
}

Amounts LiveTable::find(const CounterKey& key) const {
  const std::uint64_t wanted = cell_key(key);
  auto shard = shards_[key.shingle >> kShardShift].lock();
  if (shard->used == 0) return {};
  const Cell& cell = shard->cells[search(*shard, wanted)];
  return cell.counts != 0 && cell.key == wanted ? counts_of(*shard, cell) : Amounts{};
}

void LiveTable::prefetch(std::span<const CounterKey> keys) const {
  constexpr std::size_t kLine = 64;  // the lock and the place of the cells are in the first two
  for (const CounterKey& key : keys) {
    const auto* const shard = reinterpret_cast<const char*>(&shards_[key.shingle >> kShardShift]);
    prefetch_line(shard);
    prefetch_line(shard + kLine);
  }
  for (const CounterKey& key : keys) {
    auto shard = shards_[key.shingle >> kShardShift].lock();
    if (shard->used > 0) prefetch_line(&shard->cells[place_of(shard->places, cell_key(key))]);
  }
}

void LiveTable::read_shard(std::size_t first,
                           std::vector<std::pair<CounterKey, Amounts>>& counters) const {
  counters.clear();
  auto shard = shards_[first].lock();
  for (const Cell& cell : shard->cells)
    if (cell.counts != 0)
      counters.emplace_back(CounterKey::of(std::uint64_t{first} << kShardShift | cell.key >> 8U,
                                           static_cast<std::uint8_t>(cell.key)),
                            counts_of(*shard, cell));
}

void LiveTable::for_each(const std::function<void(const CounterKey&, const Amounts&)>& take) const {
  std::vector<std::pair<CounterKey, Amounts>> counters;
  for (std::size_t first = 0; first < kShards; ++first) {
    read_shard(first, counters);
    for (const auto& [key, amounts] : counters) take(key, amounts);
  }
}

}  // namespace shingled::storage::counters
