#include "milter/reports/report_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "config/base/hex.h"
#include "milter/counters/counted_keys.h"
#include "milter/reports/message_shape.h"
#include "milter/reports/report_desk_open.h"
#include "storage/counters/counter_folder.h"
#include "storage/counters/counter_key.h"

namespace shingled::milter::reports {

using storage::counters::Measure;
using storage::sqlite::HashChange;
using storage::sqlite::ReportedHash;
using storage::sqlite::ReportOutcome;
using storage::sqlite::ReportTable;
using storage::sqlite::Supporter;

namespace {

constexpr std::chrono::seconds kCountPatience{3};
constexpr std::chrono::hours kForgetPause{1};
constexpr std::size_t kForgottenAtOnce = 100;

std::string hex_name(std::uint64_t name) { return fmt::format("{:016x}", name); }

}  // namespace

void ReportDesk::use(std::shared_ptr<const Settings> settings) {
  auto state = state_.lock();
  state->settings = std::move(settings);
  if (state->open == nullptr) return;
  state->open->rules = taught_rules(*state->settings);
  state->open->steps = list_steps(*state->settings);
  state->open->trusted = trusted_names(*state);
}

void ReportDesk::close() {
  auto state = state_.lock();
  state->settings = nullptr;
  state->open = nullptr;
}

std::uint32_t ReportDesk::now() const { return unix_seconds(clock_.wall()); }

Electorate ReportDesk::electorate(const State& state) const {
  Electorate out;
  const ReportOptions& options = state.settings->reports;
  out.reporters_min = options.reporters_min;
  out.reject_people = options.reject_people;
  out.trusted_weight = options.trusted_weight;
  out.newcomers_max = options.newcomers_max;
  out.all_reside = options.residents == Residents::kAll;
  out.trusted = state.open->trusted;
  out.steps = state.open->steps;
  return out;
}

std::set<std::uint64_t> ReportDesk::trusted_names(const State& state) {
  std::set<std::uint64_t> out;
  for (const std::string& name : state.settings->reports.trusted_reporters)
    out.insert(reporter_name(state.open->site, state.names.mailbox_of(name)));
  return out;
}

void ReportDesk::refresh_names(State& state) {
  const ReportOptions& options = state.settings->reports;
  if (state.names.refresh(options.domain, options.aliases))
    state.open->trusted = trusted_names(state);
}

Result<std::uint64_t> ReportDesk::name_of(State& state, std::string_view reporter) {
  const CounterKeyBytes& site = state.open->site;
  const std::uint64_t name = reporter_name(site, state.names.mailbox_of(reporter));
  const std::uint64_t before = reporter_name(site, reporter);
  if (before != name) {
    if (Status done = state.open->table->rename_reporter(before, name); !done) return done.error();
  }
  return name;
}

Result<CounterKeyBytes> ReportDesk::site_key(const Settings& settings) {
  if (setup_.site) {
    if (const auto site = setup_.site()) return *site;
  }
  if (settings.counters.key_file.empty()) {
    Status made = storage::counters::make_counter_folder(settings.counters.embedded.directory);
    if (!made) return made.error().in("counters.directory");
  }
  return storage::counters::site_key(settings.counters, random_);
}

Status ReportDesk::open(State& state) {
  if (state.settings == nullptr)
    return Error{ErrorCode::kUnavailable, "the daemon starts or ends; try again"};
  if (!state.settings->reports.enabled)
    return Error{ErrorCode::kDenied, "reports are off (reports.enabled)"};
  if (state.open != nullptr) return {};
  auto site = site_key(*state.settings);
  if (!site) return site.error();
  auto table = ReportTable::open(state.settings->reports.file, site_name(*site));
  if (!table) {
    Error error = table.error().in("reports.file");
    // The fault is not that of the report.
    if (error.code == ErrorCode::kInvalid) error.code = ErrorCode::kCorrupt;
    return error;
  }
  const auto newest = (*table)->newest();
  if (!newest) return newest.error().in("reports.file");
  // So a clock that is wrong since the start of the machine is doubted, too.
  state.open = std::make_shared<Open>(
      Open{*std::move(table),
           *site,
           taught_rules(*state.settings),
           list_steps(*state.settings),
           {},
           storage::counters::Timekeeper(storage::counters::Timekeeper::State{*newest, 0}),
           Teacher(setup_.patience)});
  refresh_names(state);
  state.open->trusted = trusted_names(state);
  return {};
}

Status ReportDesk::teach_rest(Open& open) {
  if (!open.has_rest || setup_.store == nullptr) return {};
  if (Status settled = open.teacher.settle(); !settled) return settled;
  const auto rest = open.table->unfinished();
  if (!rest) return rest.error();
  std::vector<ReportedHash> hashes;
  for (const HashChange& change : *rest) hashes.push_back(change.hash);
  const auto weights = stored_weights(*setup_.store, hashes, now());
  if (!weights) return weights.error();
  std::vector<HashChange> not_made;
  for (std::size_t i = 0; i < rest->size(); ++i) {
    // The storage still has what it had before the change.
    if ((*weights)[i] == (*rest)[i].seen) not_made.push_back((*rest)[i]);
  }
  if (Status done = open.teacher.teach(*setup_.store, not_made); !done) return done;
  if (Status done = open.table->finish(*rest); !done) return done;
  open.has_rest = false;
  return {};
}

Status ReportDesk::forget_old(const State& state) {
  Open& open = *state.open;
  const TimePoint steady = clock_.now();
  const WallTime wall = open.time.now(clock_.wall(), steady);
  if (!open.time.may_expire()) return {};
  if (open.forgot && steady - *open.forgot < kForgetPause) return {};
  const Electorate voters = electorate(state);
  const auto weigh =
      [&](const ReportedHash& hash,
          std::span<const Supporter> supporters) -> Result<storage::sqlite::WantedWeight> {
    return storage::sqlite::WantedWeight{wanted_weight(hash, supporters, voters), 0};
  };
  const std::int64_t oldest = (wall - state.settings->reports.keep).time_since_epoch().count();
  const auto forgot = open.table->forget_before(oldest, kForgottenAtOnce, weigh);
  if (!forgot) return forgot.error();
  if (*forgot < kForgottenAtOnce) open.forgot = steady;
  return {};
}

Result<ReportReceipt> ReportDesk::take(const Report& report) {
  const TimePoint begun = clock_.now();
  Result<ReportReceipt> receipt = [&]() -> Result<ReportReceipt> {
    if (!is_reporter(report.reporter))
      return Error{ErrorCode::kInvalid, "reporter: takes 1 to 256 bytes without control bytes"};
    if (report.message.empty()) return Error{ErrorCode::kInvalid, "no message: it is empty"};
    if (const auto why = why_no_message(report.message))
      return Error{ErrorCode::kInvalid, "no message: " + *why};
    auto state = state_.lock();
    return take_now(*state, report);
  }();
  time_.observe(static_cast<std::uint64_t>((clock_.now() - begun).count()));
  if (!receipt) {
    const ErrorCode code = receipt.error().code;
    const bool refused =
        code == ErrorCode::kInvalid || code == ErrorCode::kDenied || code == ErrorCode::kLimit;
    (refused ? events_.refused : events_.failures).add();
    LogLine line("report_failed");
    line.field("kind", to_string(report.kind)).field("why", receipt.error().message);
    refused ? logger_.info(line) : logger_.error(line);
    return receipt;
  }
  (report.kind == ReportKind::kSpam ? events_.spam : events_.ham).add();
  if (receipt->what == ReportOutcome::What::kSame) events_.repeated.add();
  if (receipt->what == ReportOutcome::What::kTurned) events_.turned.add();
  events_.hashes.add(receipt->changed);
  return receipt;
}

Status ReportDesk::make_ready(State& state) {
  refresh_names(state);
  if (Status done = teach_rest(*state.open); !done) return done;
  return forget_old(state);
}

Status ReportDesk::check_rate(State& state, std::uint64_t reporter) {
  Open& open = *state.open;
  if (open.trusted.contains(reporter)) return {};
  if (!open.rates.is_too_many(reporter, state.settings->reports.rate, clock_.now())) return {};
  return Error{ErrorCode::kLimit,
               "too many reports of this person (reports.rate); it may come again later"};
}

Result<ReportReceipt> ReportDesk::take_now(State& state, const Report& report) {
  if (Status opened = open(state); !opened) return opened.error();
  if (Status ready = make_ready(state); !ready) return ready.error();
  const auto reporter = name_of(state, report.reporter);
  if (!reporter) return reporter.error();
  if (Status few = check_rate(state, *reporter); !few) return few.error();
  auto receipt = take_from(state, report, *reporter);
  if (!receipt) state.open->rates.take_back(*reporter, state.settings->reports.rate, clock_.now());
  return receipt;
}

Result<ReportReceipt> ReportDesk::take_from(State& state, const Report& report,
                                            std::uint64_t reporter) {
  Open& open = *state.open;
  ReportedMessage message = read_reported(report.message, open.site, *state.settings, open.rules);
  if (report.kind == ReportKind::kSpam) leave_out_wanted_files(open, message);
  const Electorate voters = electorate(state);
  storage::sqlite::ReportRow row{message.name, reporter, report.kind, now(), message.hashes};
  row.resident = residence(state, state.names.mailbox_of(report.reporter));
  if (voters.trusted.contains(reporter)) {
    row.ruling = report.kind == ReportKind::kSpam ? storage::sqlite::Ruling::kReopens
                                                  : storage::sqlite::Ruling::kCloses;
  }
  storage::sqlite::Weigh weigh;  // without a storage all weights stay
  if (setup_.store != nullptr) {
    weigh = weigher(voters);
    const auto known = open.table->known(message.hashes);
    if (!known) return known.error();
    for (const HashChange& hash : *known) {
      const auto weight = weigh(hash.hash, {});
      if (!weight) return weight.error();
      if (hash.taught > 0 && weight->seen == 0) row.deleted.push_back(hash.id);
    }
  }
  open.has_rest = true;  // until all is taught
  const auto outcome = open.table->add(row, weigh);
  if (!outcome) return outcome.error();
  if (!row.deleted.empty()) {
    logger_.info(LogLine("reports_withdrawn")
                     .field("hashes", row.deleted.size())
                     .field("why", "somebody deleted them from the storage"));
  }
  return finish(state, report, message, *outcome, voters);
}

storage::sqlite::Weigh ReportDesk::weigher(const Electorate& voters) {
  using Seen = std::map<std::pair<Digest, std::uint32_t>, std::int32_t>;
  return [this, &voters, seen = std::make_shared<Seen>()](
             const ReportedHash& hash,
             std::span<const Supporter> people) -> Result<storage::sqlite::WantedWeight> {
    const auto [known, is_new] = seen->try_emplace({hash.fingerprint.digest, hash.flag}, 0);
    if (is_new) {
      const auto weights = stored_weights(*setup_.store, {&hash, 1}, now());
      if (!weights) return weights.error();
      known->second = weights->front();
    }
    return storage::sqlite::WantedWeight{wanted_weight(hash, people, voters), known->second};
  };
}

std::optional<bool> ReportDesk::residence(State& state, const std::string& mailbox) {
  const auto store = setup_.counters ? setup_.counters() : nullptr;
  if (store == nullptr) return std::nullopt;
  return state.open->residence.ask(*store, state.open->site, state.names.addresses_of(mailbox),
                                   clock_.now() + kCountPatience);
}

Status ReportDesk::teach(Open& open, std::span<const HashChange> changes) {
  if (changes.empty()) return {};
  if (Status done = open.teacher.teach(*setup_.store, changes); !done) return done;
  return open.table->finish(changes);
}

Result<ReportReceipt> ReportDesk::finish(State& state, const Report& report,
                                         const ReportedMessage& message,
                                         const ReportOutcome& outcome, const Electorate& voters) {
  Open& open = *state.open;
  if (Status done = teach(open, outcome.changes); !done) return done.error();
  open.has_rest = false;

  ReportReceipt receipt;
  receipt.what = outcome.what;
  receipt.hashes = message.hashes.size();
  receipt.changed = outcome.changes.size();
  receipt.not_taught = message.not_taught;
  const auto told = figures(open, message.name, outcome.reporter.name, voters);
  if (!told) return told.error();
  receipt.figures = *told;
  const bool said_before = outcome.what == ReportOutcome::What::kSame && outcome.counted.whole;
  if (setup_.label && message.history_name != 0 && !said_before) {
    const auto who = open.table->reporters_of(message.name);
    if (!who) return who.error();
    setup_.label(message.history_name, majority_of(*who, voters));
  }
  receipt.counted = said_before;
  if (!said_before) {
    if (Status said = say(open, report, message, outcome.reporter, voters); !said)
      return said.error();
    const auto counted = count(open, report, message, outcome, voters);
    if (!counted) return counted.error();
    receipt.counted = *counted;
  }
  logger_.info(LogLine("report")
                   .field("kind", to_string(report.kind))
                   .field("reporter", hex_name(outcome.reporter.name))
                   .field("message", hex_name(message.name))
                   .field("what", to_string(outcome.what))
                   .field("hashes", receipt.hashes)
                   .field("changed", receipt.changed)
                   .field("counted", receipt.counted));
  return receipt;
}

Result<bool> ReportDesk::count(const Open& open, const Report& report,
                               const ReportedMessage& message, const ReportOutcome& outcome,
                               const Electorate& voters) {
  const auto store = setup_.counters ? setup_.counters() : nullptr;
  if (store == nullptr) return false;
  // Whoever was counted may always take it back.
  const bool known = outcome.counted.any();
  const bool newcomer = standing_of(outcome.reporter, voters) == Standing::kNewcomer;
  if (!known && newcomer && outcome.newcomers >= voters.newcomers_max) return false;
  const TimePoint deadline = clock_.now() + kCountPatience;
  const bool spam = report.kind == ReportKind::kSpam;
  storage::sqlite::CountedReport mark{message.name, outcome.reporter.name, !spam,
                                      newcomer && !known};
  if (!outcome.counted.pieces) {
    auto pieces = counters::counted_keys(open.site, message.space, message.pieces).addition;
    pieces.amounts.of(spam ? Measure::kComplaint : Measure::kRescue) = 1;
    if (!pieces.counters.empty() || !pieces.pairs.empty()) {
      if (Status done = store->add(pieces, deadline); !done) return done.error();
    }
    if (Status done = open.table->mark_counted(mark); !done) return done.error();
    mark.new_newcomer = false;
  }
  if (!spam) return true;  // reporters are those who complain
  if (Status done = count_reporter(open, outcome.reporter.name, message, *store, deadline, voters);
      !done)
    return done.error();
  mark.whole = true;
  if (Status done = open.table->mark_counted(mark); !done) return done.error();
  return true;
}

Status ReportDesk::count_reporter(const Open& open, std::uint64_t self,
                                  const ReportedMessage& message,
                                  storage::counters::CounterStore& store, TimePoint deadline,
                                  const Electorate& voters) {
  const std::string reporter = hex_name(self);
  std::vector<mime::Piece> pairs = {
      {PieceType::kMessageReporter, hex_name(message.name), reporter}};
  // Only hashes whose reporters are few enough for this one to count among them.
  const auto add_hash = [&](const ReportedHash& hash, std::span<const Supporter> supporters) {
    const auto known = std::ranges::find_if(
        supporters, [&](const Supporter& one) { return one.reporter.name == self; });
    if (known != supporters.end() &&
        (standing_of(known->reporter, voters) != Standing::kNewcomer ||
         newcomers_among(supporters, voters) <= std::int64_t{voters.newcomers_max}))
      pairs.push_back({PieceType::kHashReporter, to_hex(hash.fingerprint.digest.bytes), reporter});
  };
  if (Status looked = open.table->each_hash(message.name, self, add_hash); !looked) return looked;
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  auto who = counters::counted_keys(open.site, message.space, pairs).addition;
  who.amounts.of(Measure::kMass) = 1;
  who.amounts.of(Measure::kComplaint) = 1;
  return store.add(who, deadline);
}

void ReportDesk::report(MetricReport& report) const {
  report_counters(events_, report);
  report.histogram({"shingled_report_seconds", "Time that reports took."}, time_.read());
}

}  // namespace shingled::milter::reports
