// What ReportDesk asks and tells the counters.
#include <algorithm>
#include <chrono>
#include <utility>

#include "config/base/hex.h"
#include "milter/counters/counted_keys.h"
#include "milter/reports/report_desk_open.h"

namespace shingled::milter::reports {

using storage::counters::Measure;
using storage::sqlite::ReportedHash;
using storage::sqlite::ReportOutcome;
using storage::sqlite::Supporter;

namespace {

constexpr std::chrono::seconds kCountPatience{3};

}  // namespace

std::optional<bool> ReportDesk::residence(State& state, const std::string& mailbox) {
  const auto store = setup_.counters ? setup_.counters() : nullptr;
  if (store == nullptr) return std::nullopt;
  Open& open = *state.open;
  const std::vector<std::string> addresses = state.names.addresses_of(mailbox);
  const Unlocked waits(mutex_);
  return open.residence.ask(*store, open.site, addresses, clock_.now() + kCountPatience);
}

Result<bool> ReportDesk::count(const Open& open, const Report& report,
                               const ReportedMessage& message, const ReportOutcome& outcome,
                               const ReportPolicy& policy) {
  const auto store = setup_.counters ? setup_.counters() : nullptr;
  if (store == nullptr) return false;
  // Whoever was counted may always take it back.
  const bool known = outcome.counted.any();
  const bool newcomer = standing_of(outcome.reporter, policy) == Standing::kNewcomer;
  if (!known && newcomer && outcome.newcomers >= policy.newcomers_max) return false;
  const TimePoint deadline = clock_.now() + kCountPatience;
  const bool spam = report.kind == ReportKind::kSpam;
  storage::sqlite::CountedReport mark{message.name, outcome.reporter.name, !spam,
                                      newcomer && !known};
  if (!outcome.counted.pieces) {
    auto pieces = counters::counted_keys(open.site, message.direction, message.pieces).addition;
    pieces.amounts.of(spam ? Measure::kComplaint : Measure::kRescue) = 1;
    if (!pieces.counters.empty() || !pieces.pairs.empty()) {
      Status done = go_on();
      if (done) {
        const Unlocked waits(mutex_);
        done = store->add(pieces, deadline);
      }
      if (!done) return done.error();
    }
    if (Status done = open.table->mark_counted(mark); !done) return done.error();
    mark.new_newcomer = false;
  }
  if (!spam) return true;  // reporters are those who complain
  if (Status done = count_reporter(open, outcome.reporter.name, message, *store, deadline, policy);
      !done)
    return done.error();
  mark.whole = true;
  if (Status done = open.table->mark_counted(mark); !done) return done.error();
  return true;
}

Status ReportDesk::count_reporter(const Open& open, std::uint64_t self,
                                  const ReportedMessage& message,
                                  storage::counters::CounterStore& store, TimePoint deadline,
                                  const ReportPolicy& policy) {
  const std::string reporter = hex_id(self);
  std::vector<mime::Piece> pairs = {{PieceType::kMessageReporter, hex_id(message.name), reporter}};
  // Only hashes whose reporters are few enough for this one to count among them.
  const auto add_hash = [&](const ReportedHash& hash, std::span<const Supporter> supporters) {
    const auto known = std::ranges::find_if(
        supporters, [&](const Supporter& one) { return one.reporter.name == self; });
    if (known != supporters.end() &&
        (standing_of(known->reporter, policy) != Standing::kNewcomer ||
         newcomers_among(supporters, policy) <= std::int64_t{policy.newcomers_max}))
      pairs.push_back({PieceType::kHashReporter, to_hex(hash.fingerprint.digest.bytes), reporter});
  };
  if (Status looked = open.table->each_hash(message.name, self, add_hash); !looked) return looked;
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  auto who = counters::counted_keys(open.site, message.direction, pairs).addition;
  who.amounts.of(Measure::kMass) = 1;
  who.amounts.of(Measure::kComplaint) = 1;
  if (Status still = go_on(); !still) return still;
  const Unlocked waits(mutex_);
  return store.add(who, deadline);
}

}  // namespace shingled::milter::reports
