// What ReportDesk asks the counters, and what it tells them and the store of what people say.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "config/base/hex.h"
#include "milter/counters/counted_keys.h"
#include "milter/reports/report_desk_open.h"
#include "milter/reports/wanted_mail.h"

namespace shingled::milter::reports {

using storage::counters::Measure;
using storage::sqlite::ReportedHash;
using storage::sqlite::ReportOutcome;
using storage::sqlite::Supporter;

namespace {

/// For each question, and for each report that is withdrawn.
constexpr std::chrono::seconds kAnswerPatience{3};

}  // namespace

std::optional<bool> ReportDesk::residence(State& state, const std::string& mailbox) {
  const auto store = setup_.counters ? setup_.counters() : nullptr;
  if (store == nullptr) return std::nullopt;
  Open& open = *state.open;
  const std::vector<std::string> addresses = state.names.addresses_of(mailbox);
  const Unlocked waits(mutex_);
  return open.residence.ask(*store, open.site, addresses, clock_.now() + kAnswerPatience);
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
  const TimePoint deadline = clock_.now() + kAnswerPatience;
  const bool spam = report.kind == ReportKind::kSpam;
  storage::sqlite::CountedReport mark{message.name, outcome.reporter.name, !spam,
                                      newcomer && !known};
  if (!outcome.counted.pieces) {
    auto pieces = counters::counted_keys(message.keys).addition;
    pieces.amounts.of(spam ? Measure::kComplaint : Measure::kRescue) = 1;
    if (!pieces.counters.empty() || !pieces.pairs.empty()) {
      Status done = check_open();
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
  if (Status still = check_open(); !still) return still;
  const Unlocked waits(mutex_);
  return store.add(who, deadline);
}

Status ReportDesk::say(const Report& report, const ReportedMessage& message,
                       const storage::sqlite::ReporterRow& reporter, const ReportPolicy& policy) {
  const auto people = setup_.people ? setup_.people() : nullptr;
  if (people == nullptr) return {};
  storage::people::Statement said{.person = reporter.name,
                                  .message = message.name,
                                  .kind = report.kind,
                                  .standing = standing_of(reporter, policy),
                                  .time = now(),
                                  .signs = {}};
  const bool proved = counters::is_from_proved(message.keys);
  for (const storage::counters::Pair& key : message.keys)
    if (!is_pair(key.key.type)) said.signs.push_back(storage::people::sign_of(key.key, proved));
  std::ranges::sort(said.signs);
  said.signs.erase(std::unique(said.signs.begin(), said.signs.end()), said.signs.end());
  if (Status still = check_open(); !still) return still;
  const Unlocked waits(mutex_);
  return people->say(said, clock_.now() + kAnswerPatience);
}

void ReportDesk::leave_out_wanted_files(const Open& open, ReportedMessage& message) {
  const auto counters = setup_.counters ? setup_.counters() : nullptr;
  if (counters == nullptr) return;
  const auto people = setup_.people ? setup_.people() : nullptr;
  std::set<Digest> files;
  {
    const Unlocked waits(mutex_);
    files =
        wanted_files(message, {*counters, people.get(), open.site, clock_.now() + kAnswerPatience});
  }
  if (files.empty()) return;
  leave_out(files, open.site, message);
  logger_.info(LogLine("report_leaves_files")
                   .field("message", fmt::format("{:016x}", message.name))
                   .field("files", files.size())
                   .field("why", "wanted mail carries them, too"));
}

Status ReportDesk::unsay(std::span<const storage::sqlite::ReportName> reports) {
  const auto people = setup_.people ? setup_.people() : nullptr;
  if (people == nullptr) return {};
  const Unlocked waits(mutex_);
  for (const storage::sqlite::ReportName& report : reports) {
    if (Status still = check_open(); !still) return still;
    const TimePoint deadline = clock_.now() + kAnswerPatience;
    if (Status done = people->withdraw(report.message, report.reporter, deadline); !done)
      return done;
  }
  return {};
}

}  // namespace shingled::milter::reports
