#include "milter/reports/report_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "config/base/hex.h"
#include "milter/counters/counted_keys.h"
#include "milter/reports/message_shape.h"
#include "milter/reports/teaching.h"
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
constexpr std::int64_t kForgetEverySeconds = 3600;
constexpr std::size_t kForgottenAtOnce = 1000;

const char* name_of(ReportKind kind) { return kind == ReportKind::kSpam ? "spam" : "ham"; }

const char* name_of(ReportOutcome::What what) {
  switch (what) {
    case ReportOutcome::What::kNew:
      return "new";
    case ReportOutcome::What::kSame:
      return "same";
    case ReportOutcome::What::kTurned:
      return "turned";
  }
  return "new";
}

std::string hex_name(std::uint64_t name) { return fmt::format("{:016x}", name); }

}  // namespace

struct ReportDesk::Open {
  std::unique_ptr<ReportTable> table;
  CounterKeyBytes site{};
  std::vector<TaughtRule> rules;
  bool has_rest = true;  ///< hashes may not have their weight
  std::int64_t forgot_at = 0;
};

void ReportDesk::use(std::shared_ptr<const Settings> settings) {
  auto state = state_.lock();
  state->settings = std::move(settings);
  if (state->open != nullptr) state->open->rules = taught_rules(*state->settings);
}

void ReportDesk::close() {
  auto state = state_.lock();
  state->settings = nullptr;
  state->open = nullptr;
}

std::uint32_t ReportDesk::now() const { return unix_seconds(clock_.wall()); }

Electorate ReportDesk::electorate(const State& state) const {
  Electorate out;
  out.reporters_min = state.settings->reports.reporters_min;
  out.now = now();
  for (const std::string& name : state.settings->reports.trusted_reporters)
    out.trusted.insert(reporter_name(state.open->site, name));
  return out;
}

Result<CounterKeyBytes> ReportDesk::site_key(const Settings& settings) {
  if (setup_.site) {
    if (const auto site = setup_.site()) return *site;
  }
  if (Status made = storage::counters::make_counter_folder(settings.counters.embedded.directory);
      !made)
    return made.error().in("counters.directory");
  return storage::counters::read_or_make_key(settings.counters.key_path(), random_);
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
  state.open = std::make_shared<Open>();
  state.open->table = *std::move(table);
  state.open->site = *site;
  state.open->rules = taught_rules(*state.settings);
  return {};
}

Status ReportDesk::teach_changes(Open& open, std::span<const HashChange> changes) {
  if (changes.empty() || setup_.store == nullptr) return {};
  open.has_rest = true;
  if (Status done = teach(*setup_.store, changes); !done) return done;
  open.has_rest = false;
  return {};
}

Status ReportDesk::teach_rest(Open& open) {
  if (!open.has_rest) return {};
  const auto rest = open.table->unfinished();
  if (!rest) return rest.error();
  std::vector<HashChange> not_made;
  for (const HashChange& change : *rest) {
    // The storage still has what it had before the change.
    if (setup_.store != nullptr && stored_weight(*setup_.store, change.hash, now()) == change.seen)
      not_made.push_back(change);
  }
  if (Status done = teach_changes(open, not_made); !done) return done;
  if (Status done = open.table->finish(*rest); !done) return done;
  open.has_rest = false;
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
    const bool refused =
        receipt.error().code == ErrorCode::kInvalid || receipt.error().code == ErrorCode::kDenied;
    (refused ? events_.refused : events_.failures).add();
    LogLine line("report_failed");
    line.field("kind", name_of(report.kind)).field("why", receipt.error().message);
    refused ? logger_.info(line) : logger_.error(line);
    return receipt;
  }
  (report.kind == ReportKind::kSpam ? events_.spam : events_.ham).add();
  if (receipt->what == ReportOutcome::What::kSame) events_.repeated.add();
  if (receipt->what == ReportOutcome::What::kTurned) events_.turned.add();
  events_.hashes.add(receipt->changed);
  return receipt;
}

Result<ReportReceipt> ReportDesk::take_now(State& state, const Report& report) {
  if (Status opened = open(state); !opened) return opened.error();
  Open& open = *state.open;
  if (Status done = teach_rest(open); !done) return done.error();
  const Electorate voters = electorate(state);
  if (voters.now - open.forgot_at >= kForgetEverySeconds) {
    const std::int64_t oldest = voters.now - state.settings->reports.keep.count();
    const auto forgot = open.table->forget_before(oldest, kForgottenAtOnce);
    if (!forgot) return forgot.error();
    if (*forgot < kForgottenAtOnce) open.forgot_at = voters.now;
  }

  const ReportedMessage message =
      read_reported(report.message, open.site, *state.settings, open.rules);
  const std::uint64_t reporter = reporter_name(open.site, report.reporter);
  // The hashes whose reporters are few enough for this one to count among them.
  std::vector<ReportedHash> countable;
  const auto weigh =
      [&](const ReportedHash& hash,
          std::span<const Supporter> supporters) -> Result<storage::sqlite::WantedWeight> {
    const auto self = std::ranges::find_if(
        supporters, [&](const Supporter& one) { return one.reporter.name == reporter; });
    if (self != supporters.end() && (standing_of(self->reporter, voters) != Standing::kNewcomer ||
                                     newcomers_among(supporters, voters) <= kNewcomersMax))
      countable.push_back(hash);
    return storage::sqlite::WantedWeight{
        setup_.store == nullptr ? 0 : wanted_weight(hash, supporters, voters),
        setup_.store == nullptr ? 0 : stored_weight(*setup_.store, hash, now())};
  };
  const storage::sqlite::ReportRow row{message.name, reporter, report.kind, voters.now,
                                       message.hashes};
  const auto outcome = open.table->add(row, weigh);
  if (!outcome) return outcome.error();
  if (Status done = teach_changes(open, outcome->changes); !done) return done.error();

  ReportReceipt receipt;
  receipt.what = outcome->what;
  receipt.hashes = message.hashes.size();
  receipt.changed = outcome->changes.size();
  receipt.not_taught = message.not_taught;
  const bool said_before = outcome->what == ReportOutcome::What::kSame && outcome->counted;
  const bool newcomer = standing_of(outcome->reporter, voters) == Standing::kNewcomer;
  // Whoever was counted may always take it back.
  const bool may_count = outcome->counted || !newcomer ||
                         outcome->newcomers < static_cast<std::uint64_t>(kNewcomersMax);
  receipt.counted = said_before;
  if (!said_before && may_count) {
    const auto counted = count(open, report, message, countable);
    if (!counted) return counted.error();
    receipt.counted = *counted;
  }
  const bool now_counted = receipt.counted && !said_before;
  Status finished = open.table->finish(
      outcome->changes, now_counted ? std::optional(storage::sqlite::CountedReport{
                                          message.name, reporter, newcomer && !outcome->counted})
                                    : std::nullopt);
  if (!finished) {
    open.has_rest = true;
    return finished.error();
  }
  if (setup_.label && outcome->what != ReportOutcome::What::kSame)
    setup_.label(message.name, report.kind);
  logger_.info(LogLine("report")
                   .field("kind", name_of(report.kind))
                   .field("reporter", hex_name(reporter))
                   .field("message", hex_name(message.name))
                   .field("what", name_of(outcome->what))
                   .field("hashes", receipt.hashes)
                   .field("changed", receipt.changed)
                   .field("counted", receipt.counted));
  return receipt;
}

Result<bool> ReportDesk::count(const Open& open, const Report& report,
                               const ReportedMessage& message,
                               std::span<const ReportedHash> of_reporter) {
  const auto store = setup_.counters ? setup_.counters() : nullptr;
  if (store == nullptr) return false;
  const TimePoint deadline = clock_.now() + kCountPatience;
  const Measure measure = report.kind == ReportKind::kSpam ? Measure::kComplaint : Measure::kRescue;
  auto pieces = counters::counted_keys(open.site, message.space, message.pieces).addition;
  pieces.amounts.of(measure) = 1;
  if (!pieces.counters.empty() || !pieces.pairs.empty()) {
    if (Status done = store->add(pieces, deadline); !done) return done.error();
  }
  if (report.kind == ReportKind::kHam) return true;  // reporters are those who complain
  const std::string reporter = hex_name(reporter_name(open.site, report.reporter));
  std::vector<mime::Piece> pairs = {
      {PieceType::kMessageReporter, hex_name(message.name), reporter}};
  for (const ReportedHash& hash : of_reporter) {
    pairs.push_back({PieceType::kHashReporter, to_hex(hash.fingerprint.digest.bytes), reporter});
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  auto who = counters::counted_keys(open.site, message.space, pairs).addition;
  who.amounts.of(Measure::kMass) = 1;
  who.amounts.of(measure) = 1;
  if (Status done = store->add(who, deadline); !done) return done.error();
  return true;
}

Result<std::vector<KnownReporter>> ReportDesk::reporters(std::size_t most) {
  auto state = state_.lock();
  if (Status opened = open(*state); !opened) return opened.error();
  auto rows = state->open->table->reporters(most);
  if (!rows) return rows.error();
  const Electorate voters = electorate(*state);
  std::vector<KnownReporter> out;
  for (const storage::sqlite::ReporterRow& row : *rows) {
    KnownReporter known{row, standing_of(row, voters), {}};
    if (known.standing == Standing::kTrusted) {
      const auto& trusted = state->settings->reports.trusted_reporters;
      const auto named = std::ranges::find_if(trusted, [&](const std::string& name) {
        return reporter_name(state->open->site, name) == row.name;
      });
      if (named != trusted.end()) known.name = *named;
    }
    out.push_back(std::move(known));
  }
  return out;
}

void ReportDesk::report(MetricReport& report) const {
  report_counters(events_, report);
  report.histogram({"shingled_report_seconds", "Time that reports took."}, time_.read());
}

}  // namespace shingled::milter::reports
