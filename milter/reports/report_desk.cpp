#include "milter/reports/report_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "milter/reports/kept_code.h"
#include "milter/reports/message_shape.h"
#include "milter/reports/report_desk_open.h"
#include "storage/counters/counter_files.h"
#include "storage/counters/counter_key.h"

namespace shingled::milter::reports {

using storage::sqlite::HashChange;
using storage::sqlite::ReportedHash;
using storage::sqlite::ReportOutcome;
using storage::sqlite::ReportTable;
using storage::sqlite::Supporter;

namespace {

constexpr std::chrono::hours kForgetPause{1};
constexpr std::size_t kForgottenAtOnce = 100;

}  // namespace

void ReportDesk::use(std::shared_ptr<const Settings> settings) {
  const MutexLock lock(mutex_);
  is_closing_ = false;
  state_.settings = std::move(settings);
  if (state_.open == nullptr) return;
  state_.open->rules = taught_rules(*state_.settings);
  state_.open->steps = list_steps(*state_.settings);
  state_.open->trusted = trusted_names(state_);
}

void ReportDesk::close() {
  is_closing_ = true;
  const MutexLock turn(turn_);  // a report still uses what is closed after the desk
  const MutexLock lock(mutex_);
  state_.settings = nullptr;
  state_.open = nullptr;
}

Status ReportDesk::check_open() const {
  if (!is_closing_) return {};
  return Error{ErrorCode::kUnavailable, "the daemon ends; the report may come again"};
}

std::uint32_t ReportDesk::now() const { return unix_seconds(clock_.wall()); }

ReportPolicy ReportDesk::report_policy(const State& state) const {
  ReportPolicy out;
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
    out.insert(reporter_id(state.open->site, state.names.mailbox_of(name)));
  return out;
}

void ReportDesk::refresh_names(State& state) {
  const ReportOptions& options = state.settings->reports;
  if (state.names.refresh(options.domain, options.aliases))
    state.open->trusted = trusted_names(state);
}

Result<std::uint64_t> ReportDesk::known_reporter_id(State& state, std::string_view reporter) {
  const CounterKeyBytes& site = state.open->site;
  const std::uint64_t name = reporter_id(site, state.names.mailbox_of(reporter));
  const std::uint64_t before = reporter_id(site, reporter);
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
  if (state.settings == nullptr || is_closing_)
    return Error{ErrorCode::kUnavailable, "the daemon starts or ends; try again"};
  if (!state.settings->reports.enabled)
    return Error{ErrorCode::kDenied, "reports are off (reports.enabled)"};
  if (state.open != nullptr) return {};
  auto site = site_key(*state.settings);
  if (!site) return site.error();
  auto table = ReportTable::open(state.settings->reports.file, site_id(*site));
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
           Teacher(setup_.patience, &is_closing_)});
  refresh_names(state);
  state.open->trusted = trusted_names(state);
  return {};
}

Status ReportDesk::teach_rest(Open& open) {
  if (!open.has_rest || setup_.store == nullptr) return {};
  Status settled;
  {
    const Unlocked waits(mutex_);
    settled = open.teacher.settle();
  }
  if (!settled) return settled;
  const auto rest = open.table->unfinished();
  if (!rest) return rest.error();
  std::vector<ReportedHash> hashes;
  for (const HashChange& change : *rest) hashes.push_back(change.hash);
  const auto weights = [&] {
    const Unlocked waits(mutex_);
    return stored_weights(*setup_.store, hashes, now());
  }();
  if (!weights) return weights.error();
  std::vector<HashChange> not_made;
  for (std::size_t i = 0; i < rest->size(); ++i) {
    // The storage still has what it had before the change.
    if ((*weights)[i] == (*rest)[i].seen) not_made.push_back((*rest)[i]);
  }
  Status done;
  {
    const Unlocked waits(mutex_);
    done = open.teacher.teach(*setup_.store, not_made);
  }
  if (!done) return done;
  if (done = open.table->finish(*rest); !done) return done;
  open.has_rest = false;
  return {};
}

Status ReportDesk::forget_old(const State& state) {
  Open& open = *state.open;
  const TimePoint steady = clock_.now();
  const WallTime wall = open.time.now(clock_.wall(), steady);
  if (!open.time.may_expire()) return {};
  if (open.forgot && steady - *open.forgot < kForgetPause) return {};
  const ReportPolicy policy = report_policy(state);
  const auto weigh =
      [&](const ReportedHash& hash,
          std::span<const Supporter> supporters) -> Result<storage::sqlite::WantedWeight> {
    return storage::sqlite::WantedWeight{wanted_weight(hash, supporters, policy), 0};
  };
  const std::int64_t oldest = (wall - state.settings->reports.keep).time_since_epoch().count();
  const auto forgot = open.table->forget_before(oldest, kForgottenAtOnce, weigh);
  if (!forgot) return forgot.error();
  if (*forgot < kForgottenAtOnce) open.forgot = steady;
  return {};
}

Status check_report(const Report& report) {
  if (!is_reporter(report.reporter))
    return Error{ErrorCode::kInvalid, "reporter: takes 1 to 256 bytes without control bytes"};
  if (report.kept != nullptr) return {};
  if (report.message.empty()) return Error{ErrorCode::kInvalid, "no message: it is empty"};
  if (const auto why = why_no_message(report.message))
    return Error{ErrorCode::kInvalid, "no message: " + *why};
  return {};
}

Result<ReportReceipt> ReportDesk::take(const Report& report) {
  const TimePoint begun = clock_.now();
  Result<ReportReceipt> receipt = [&]() -> Result<ReportReceipt> {
    if (Status checked = check_report(report); !checked) return checked.error();
    const MutexLock turn(turn_);
    const MutexLock lock(mutex_);
    return take_now(state_, report);
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

Result<KeptMessage> ReportDesk::read_kept(BytesView bytes) {
  CounterKeyBytes site{};
  {
    const MutexLock lock(mutex_);
    if (Status opened = open(state_); !opened) return opened.error();
    site = state_.open->site;
  }
  return decode_kept(bytes, site);
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
  const auto reporter = known_reporter_id(state, report.reporter);
  if (!reporter) return reporter.error();
  if (Status few = check_rate(state, *reporter); !few) return few.error();
  auto receipt = take_from(state, report, *reporter);
  if (!receipt) state.open->rates.take_back(*reporter, state.settings->reports.rate, clock_.now());
  return receipt;
}

ReportedMessage ReportDesk::message_of(const State& state, const Report& report) {
  const Open& open = *state.open;
  if (report.kept == nullptr) return read_reported(report.message, open.site, open.rules);
  std::vector<std::uint64_t> own;
  for (const std::string& address :
       state.names.addresses_of(state.names.mailbox_of(report.reporter)))
    own.push_back(piece_shingle(open.site, PieceType::kRecipient, address));
  return reported_message(*report.kept, own, open.rules.rules);
}

Result<ReportReceipt> ReportDesk::take_from(State& state, const Report& report,
                                            std::uint64_t reporter) {
  Open& open = *state.open;
  ReportedMessage message = message_of(state, report);
  if (report.kind == ReportKind::kSpam) leave_out_wanted_files(open, message);
  const ReportPolicy policy = report_policy(state);
  storage::sqlite::ReportRow row{message.name, reporter, report.kind, now(), message.hashes};
  row.resident = residence(state, state.names.mailbox_of(report.reporter));
  if (policy.trusted.contains(reporter)) {
    row.ruling = report.kind == ReportKind::kSpam ? storage::sqlite::Ruling::kReopens
                                                  : storage::sqlite::Ruling::kCloses;
  }
  storage::sqlite::Weigh weigh;  // without a storage all weights stay
  if (setup_.store != nullptr) {
    weigh = weigher(policy);
    {
      // The storage may be slow, and `add` asks within a transaction: then it has these answers.
      const Unlocked waits(mutex_);
      for (const ReportedHash& hash : message.hashes)
        if (const auto weight = weigh(hash, {}); !weight) return weight.error();
    }
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
    const Unlocked waits(mutex_);
    logger_.info(LogLine("reports_withdrawn")
                     .field("hashes", row.deleted.size())
                     .field("why", "somebody deleted them from the storage"));
  }
  return finish(state, report, message, *outcome, policy);
}

storage::sqlite::Weigh ReportDesk::weigher(const ReportPolicy& policy) {
  using Seen = std::map<std::pair<Digest, std::uint32_t>, std::int32_t>;
  return [this, &policy, seen = std::make_shared<Seen>()](
             const ReportedHash& hash,
             std::span<const Supporter> people) -> Result<storage::sqlite::WantedWeight> {
    const auto [known, is_new] = seen->try_emplace({hash.fingerprint.digest, hash.flag}, 0);
    if (is_new) {
      const auto weights = stored_weights(*setup_.store, {&hash, 1}, now());
      if (!weights) return weights.error();
      known->second = weights->front();
    }
    return storage::sqlite::WantedWeight{wanted_weight(hash, people, policy), known->second};
  };
}

Status ReportDesk::teach(Open& open, std::span<const HashChange> changes) {
  if (changes.empty()) return {};
  Status done;
  {
    const Unlocked waits(mutex_);
    done = open.teacher.teach(*setup_.store, changes);
  }
  if (!done) return done;
  return open.table->finish(changes);
}

Status ReportDesk::tell_label(Open& open, const ReportedMessage& message,
                              const ReportPolicy& policy) {
  const auto who = open.table->reporters_of(message.name);
  if (!who) return who.error();
  const auto label = majority_of(*who, policy);
  if (setup_.label) {
    const Unlocked waits(mutex_);
    setup_.label(message.history_id, label);
  }
  storage::sqlite::ReportChange change;
  change.message = message.history_id;
  change.value = !label ? 2 : *label == ReportKind::kSpam ? 1 : 0;
  return open.table->changes().add(change);
}

Result<ReportReceipt> ReportDesk::finish(State& state, const Report& report,
                                         const ReportedMessage& message,
                                         const ReportOutcome& outcome, const ReportPolicy& policy) {
  Open& open = *state.open;
  if (Status done = teach(open, outcome.changes); !done) return done.error();
  open.has_rest = false;

  ReportReceipt receipt;
  receipt.what = outcome.what;
  receipt.hashes = message.hashes.size();
  receipt.changed = outcome.changes.size();
  receipt.not_taught = message.not_taught;
  const auto told = figures(open, message.name, outcome.reporter.name, policy);
  if (!told) return told.error();
  receipt.figures = *told;
  const bool said_before = outcome.what == ReportOutcome::What::kSame && outcome.counted.whole;
  if (message.history_id != 0 && !said_before) {
    if (Status told_all = tell_label(open, message, policy); !told_all) return told_all.error();
  }
  receipt.counted = said_before;
  if (!said_before) {
    if (Status said = say(report, message, outcome.reporter, policy); !said) return said.error();
    const auto counted = count(open, report, message, outcome, policy);
    if (!counted) return counted.error();
    receipt.counted = *counted;
  }
  const Unlocked waits(mutex_);
  logger_.info(LogLine("report")
                   .field("kind", to_string(report.kind))
                   .field("reporter", hex_id(outcome.reporter.name))
                   .field("message", hex_id(message.name))
                   .field("what", to_string(outcome.what))
                   .field("hashes", receipt.hashes)
                   .field("changed", receipt.changed)
                   .field("counted", receipt.counted));
  return receipt;
}

void ReportDesk::report(MetricReport& report) const {
  report_counters(events_, report);
  report.histogram({"shingled_report_seconds", "Time that reports took."}, time_.read());
}

}  // namespace shingled::milter::reports
