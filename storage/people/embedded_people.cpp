#include "storage/people/embedded_people.h"

#include <algorithm>
#include <shared_mutex>
#include <utility>

#include "config/metrics/metric_report.h"

namespace shingled::storage::people {

namespace {

constexpr std::chrono::hours kForgetPause{1};

/// A statement that the file can have.
Statement bounded(const Statement& statement) {
  Statement out = statement;
  if (out.signs.size() > kSignsMax) out.signs.resize(kSignsMax);
  return out;
}

}  // namespace

Result<std::unique_ptr<EmbeddedPeople>> EmbeddedPeople::open(Options options, const Clock& clock,
                                                             Logger& logger) {
  auto table = sqlite::PeopleTable::open(options.path, options.site);
  if (!table) return table.error();
  auto opened =
      std::unique_ptr<EmbeddedPeople>(new EmbeddedPeople(std::move(options), clock, logger));
  auto written = opened->written_.lock();
  written->table = *std::move(table);
  const auto newest = written->table->newest();
  if (!newest) return newest.error();
  // So a clock that is wrong since the start of the machine is doubted, too.
  written->time = counters::Timekeeper({*newest, 0});
  if (Status done = opened->read(*written); !done) return done.error();
  return opened;
}

Status EmbeddedPeople::read(Written& written) {
  SignIndex index;
  written.numbers.clear();
  bool full = false;
  // The oldest first, so that the newest are found first; as many of the newest as there is room
  // for.
  const auto count = written.table->count();
  if (!count) return count.error();
  // The most that the index takes; less would have it read again for each statement once it is
  // full.
  constexpr std::size_t kStatementBytes = 128;
  constexpr std::size_t kSignBytes = 80;
  std::int64_t skipped = 0;
  const std::size_t bytes = count->statements * kStatementBytes + count->signs * kSignBytes;
  if (bytes > options_.memory_max && bytes > 0) {
    full = true;
    // A quarter is left for what comes.
    const double share =
        0.75 * static_cast<double>(options_.memory_max) / static_cast<double>(bytes);
    skipped = static_cast<std::int64_t>(static_cast<double>(count->statements) * (1 - share));
  }
  Status done = written.table->each(skipped, [&](const Statement& statement) {
    written.numbers[{statement.message, statement.person}] = index.add(statement);
  });
  if (!done) return done;
  if (full)
    logger_.warning(LogLine("people_full")
                        .field("file", options_.path)
                        .field("not_found_any_more", skipped)
                        .field("of", count->statements));
  const std::unique_lock lock(index_mutex_);
  index_ = std::move(index);
  return {};
}

void EmbeddedPeople::put(Written& written, const Statement& statement) {
  const std::unique_lock lock(index_mutex_);
  const auto before = written.numbers.find({statement.message, statement.person});
  if (before != written.numbers.end()) index_.remove(before->second);
  written.numbers[{statement.message, statement.person}] = index_.add(statement);
}

Status EmbeddedPeople::forget_old(Written& written) {
  const TimePoint steady = clock_.now();
  const WallTime wall = written.time.now(clock_.wall(), steady);
  if (!written.time.may_expire()) return {};
  if (written.forgot && steady - *written.forgot < kForgetPause) return {};
  const auto forgot =
      written.table->forget_before((wall - options_.keep).time_since_epoch().count());
  if (!forgot) return forgot.error();
  written.forgot = steady;
  return *forgot > 0 ? read(written) : Status();
}

Status EmbeddedPeople::say(const Statement& statement, TimePoint /*deadline*/) {
  auto written = written_.lock();
  if (Status done = forget_old(*written); !done) return done;
  const Statement kept = bounded(statement);
  if (Status done = written->table->put(kept); !done) return done;
  put(*written, kept);
  bool full = false;
  {
    const std::shared_lock lock(index_mutex_);
    full = index_.bytes() > options_.memory_max;
  }
  return full ? read(*written) : Status();
}

Status EmbeddedPeople::withdraw(std::uint64_t message, std::uint64_t person,
                                TimePoint /*deadline*/) {
  auto written = written_.lock();
  if (Status done = written->table->remove(message, person); !done) return done;
  const auto known = written->numbers.find({message, person});
  if (known == written->numbers.end()) return {};
  const std::unique_lock lock(index_mutex_);
  index_.remove(known->second);
  written->numbers.erase(known);
  return {};
}

Result<std::vector<Voices>> EmbeddedPeople::ask(std::span<const std::uint64_t> signs,
                                                TimePoint /*deadline*/) {
  std::vector<Voices> out(signs.size());
  const std::shared_lock lock(index_mutex_);
  for (std::size_t i = 0; i < signs.size(); ++i) index_.find(signs[i], out[i]);
  return out;
}

void EmbeddedPeople::report(MetricReport& report) const {
  const std::shared_lock lock(index_mutex_);
  report.gauge({"shingled_people_statements", "What people said of messages, kept in memory."},
               std::uint64_t{index_.statements()});
  report.gauge({"shingled_people_memory_bytes", "Memory of the index of what people said."},
               std::uint64_t{index_.bytes()});
}

namespace {

constexpr std::size_t kSlotsLeast = 1024;

}  // namespace

/// Signs are keyed hashes, so their low bits are as good as any. The table has a free slot.
std::size_t SignIndex::place_of(std::uint64_t sign) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = sign & mask;
  while (slots_[place].used() && slots_[place].sign != sign) place = (place + 1) & mask;
  return place;
}

void SignIndex::grow() {
  std::vector<Slot> old =
      std::exchange(slots_, std::vector<Slot>(slots_.empty() ? kSlotsLeast : slots_.size() * 2));
  for (const Slot& slot : old)
    if (slot.used()) slots_[place_of(slot.sign)] = slot;
}

SignIndex::Number SignIndex::add(const Statement& statement) {
  const auto number = static_cast<Number>(statements_.size());
  statements_.push_back(
      {{statement.person, statement.time, statement.kind, statement.standing}, false});
  for (const std::uint64_t sign : statement.signs) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place_of(sign)];
    if (!slot.used()) {
      slot.sign = sign;
      ++used_;
    }
    std::uint32_t& newest =
        statement.standing == Standing::kNewcomer ? slot.newcomer : slot.of_standing;
    links_.push_back({number, newest});
    newest = static_cast<std::uint32_t>(links_.size() - 1);
  }
  return number;
}

void SignIndex::find(std::uint64_t sign, Voices& out) const {
  if (slots_.empty()) return;
  const std::size_t most = out.size() + kVoicesMax;
  const Slot& slot = slots_[place_of(sign)];
  follow(slot.of_standing, most, out);
  follow(slot.newcomer, std::min(most, out.size() + kNewcomerVoicesMax), out);
}

void SignIndex::follow(std::uint32_t link, std::size_t most, Voices& out) const {
  for (; link != kNone && out.size() < most; link = links_[link].before) {
    const Known& known = statements_[links_[link].statement];
    if (!known.removed) out.push_back(known.voice);
  }
}

std::size_t SignIndex::bytes() const {
  return statements_.capacity() * sizeof(Known) + links_.capacity() * sizeof(Link) +
         slots_.capacity() * sizeof(Slot);
}

}  // namespace shingled::storage::people
