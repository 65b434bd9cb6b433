// What ReportDesk says of people and cases, and what it decides about them.
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

#include "config/base/hex.h"
#include "milter/reports/report_desk_open.h"

namespace shingled::milter::reports {

using storage::sqlite::CaseRow;
using storage::sqlite::HashChange;
using storage::sqlite::ReportedHash;
using storage::sqlite::Ruling;
using storage::sqlite::Supporter;

namespace {

/// Of a digest: enough to name one of some thousand cases.
constexpr std::size_t kCaseIdDigits = 8;

std::string list_name(const Settings& settings, std::uint32_t flag) {
  for (const RuleOptions& rule : settings.rules) {
    if (const FlagOptions* list = rule.flags.find(flag)) return list->name;
  }
  return std::to_string(flag);
}

/// What the hashes of a case do, as they are taught now.
CaseEffect effect_of(const CaseRow& row, const ReportPolicy& policy) {
  CaseEffect out = CaseEffect::kNoted;
  for (const HashChange& hash : row.hashes) {
    if (hash.hash.closed) return CaseEffect::kClosed;
    if (hash.hash.per_spam == 0) continue;
    const ListSteps steps = policy.steps_of(hash.hash.flag);
    const bool marks = hash.taught > 0 && hash.taught >= steps.header;
    const bool rejects = steps.reject && hash.taught >= *steps.reject;
    out = std::max(out, rejects ? CaseEffect::kRejected
                        : marks ? CaseEffect::kMarked
                                : CaseEffect::kNoted);
  }
  return out;
}

}  // namespace

Result<std::vector<KnownReporter>> ReportDesk::reporters(std::size_t most) {
  const MutexLock lock(mutex_);
  State& state = state_;
  if (Status opened = open(state); !opened) return opened.error();
  auto rows = state.open->table->reporters(most);
  if (!rows) return rows.error();
  const ReportPolicy policy = report_policy(state);
  const auto trusted = known_names(state, false);
  std::vector<KnownReporter> out;
  for (const storage::sqlite::ReporterRow& row : *rows) {
    KnownReporter known{row, standing_of(row, policy), {}};
    const auto named = trusted.find(row.name);
    if (known.standing == Standing::kTrusted && named != trusted.end()) known.name = named->second;
    out.push_back(std::move(known));
  }
  return out;
}

Result<std::optional<CaseFigures>> ReportDesk::figures(Open& open, std::uint64_t message,
                                                       std::uint64_t reporter,
                                                       const ReportPolicy& policy) {
  std::optional<CaseFigures> out;
  const auto look = [&](const ReportedHash& hash, std::span<const Supporter> people) {
    if (hash.per_spam == 0) return;
    const CaseFigures more = figures_of(hash, people, policy);
    const auto said = [](const CaseFigures& one) {
      return std::tuple(one.effect, one.sides.spam.people + one.sides.ham.people);
    };
    if (!out || said(more) > said(*out)) out = more;
  };
  if (Status looked = open.table->each_hash(message, reporter, look); !looked)
    return looked.error();
  return out;
}

Result<bool> ReportDesk::open_if_there(State& state) {
  const bool none = state.open == nullptr && state.settings != nullptr &&
                    state.settings->reports.enabled &&
                    ::access(state.settings->reports.file.c_str(), F_OK) != 0;
  if (none) return false;
  if (Status opened = open(state); !opened) return opened.error();
  return true;
}

Result<bool> ReportDesk::open_to_look(State& state, bool is_idle) {
  auto there = open_if_there(state);
  if (!there || !*there || !is_idle) return there;
  if (Status ready = make_ready(state); !ready) return ready.error();
  return true;
}

Result<std::uint64_t> ReportDesk::withdraw(std::span<const Digest> digests, std::uint32_t flag) {
  const MutexLock turn(turn_);
  const MutexLock lock(mutex_);
  State& state = state_;
  const auto there = open_to_look(state, true);
  if (!there) return there.error();
  if (!*there) return std::uint64_t{0};
  Open& open = *state.open;
  const ReportPolicy policy = report_policy(state);
  open.has_rest = true;  // until all is taught
  const auto weigh = setup_.store != nullptr ? weigher(policy) : storage::sqlite::Weigh();
  const auto withdrawn = open.table->withdraw(digests, flag, weigh);
  if (!withdrawn) return withdrawn.error();
  if (Status done = teach(open, withdrawn->changes); !done) return done.error();
  open.has_rest = false;
  if (Status done = unsay(withdrawn->reports); !done) return done.error();
  if (withdrawn->people > 0) {
    const Unlocked waits(mutex_);
    logger_.info(LogLine("reports_withdrawn")
                     .field("hashes", digests.size())
                     .field("people", withdrawn->people)
                     .field("changed", withdrawn->changes.size()));
  }
  return withdrawn->people;
}

std::map<std::uint64_t, std::string> ReportDesk::known_names(const State& state, bool wanted) {
  std::map<std::uint64_t, std::string> out;
  const auto add = [&](const std::string& name) {
    out.try_emplace(reporter_id(state.open->site, state.names.mailbox_of(name)), name);
  };
  for (const std::string& name : state.settings->reports.trusted_reporters) add(name);
  if (!wanted) return out;
  for (const std::string& name : state.names.listed()) add(name);
  return out;
}

KnownCase ReportDesk::known_case(const State& state, CaseRow row,
                                 const std::map<std::uint64_t, std::string>& names) const {
  const ReportPolicy policy = report_policy(state);
  KnownCase out;
  out.id = to_hex(row.oldest.bytes).substr(0, kCaseIdDigits);
  out.effect = effect_of(row, policy);
  out.sides = sides_of(row.people, policy);
  for (const Supporter& word : row.people) {
    const auto name = names.find(word.reporter.name);
    out.people.push_back({word, standing_of(word.reporter, policy),
                          name != names.end() ? name->second : std::string()});
  }
  std::set<std::uint32_t> flags;
  for (const HashChange& hash : row.hashes) flags.insert(hash.hash.flag);
  for (const std::uint32_t flag : flags) out.lists.push_back(list_name(*state.settings, flag));
  out.row = std::move(row);
  return out;
}

Result<std::vector<KnownCase>> ReportDesk::cases(std::int64_t since, std::size_t most, bool names) {
  const std::unique_lock turn(turn_, std::try_to_lock);
  const MutexLock lock(mutex_);
  State& state = state_;
  std::vector<KnownCase> out;
  const auto there = open_to_look(state, turn.owns_lock());
  if (!there) return there.error();
  if (!*there) return out;
  auto rows = state.open->table->cases(since, most);
  if (!rows) return rows.error();
  const auto known = known_names(state, names);
  for (CaseRow& row : *rows) out.push_back(known_case(state, std::move(row), known));
  return out;
}

Result<KnownCase> ReportDesk::find_case(std::string_view id, bool names) {
  const std::unique_lock turn(turn_, std::try_to_lock);
  const MutexLock lock(mutex_);
  const auto there = open_to_look(state_, turn.owns_lock());
  if (!there) return there.error();
  if (!*there) return Error{ErrorCode::kNotFound, "there is no such case"};
  return find_case(state_, id, names);
}

Result<KnownCase> ReportDesk::find_case(State& state, std::string_view id, bool names) {
  auto found = state.open->table->find_case(id);
  if (!found) return found.error();
  if (!*found) return Error{ErrorCode::kNotFound, "there is no such case"};
  return known_case(state, **std::move(found), known_names(state, names));
}

Result<ReportChanges> ReportDesk::changes(std::string_view cursor, std::size_t most) {
  const MutexLock lock(mutex_);
  // Before the first report nothing has changed, whatever the cursor says.
  ReportChanges out;
  out.page.is_anew = !cursor.empty();
  const auto there = open_if_there(state_);
  if (!there) return there.error();
  if (!*there) return out;
  auto page = state_.open->table->changes().after(cursor, most);
  if (!page) return page.error();
  out.page = *std::move(page);
  out.site = site_id(state_.open->site);
  return out;
}

Result<KnownCase> ReportDesk::rule_case(std::string_view id, Ruling ruling) {
  const MutexLock turn(turn_);
  const MutexLock lock(mutex_);
  const auto there = open_to_look(state_, true);
  if (!there) return there.error();
  if (!*there) return Error{ErrorCode::kNotFound, "there is no such case"};
  const auto found = find_case(state_, id, false);
  return found ? rule_found(state_, *found, ruling) : found;
}

Result<KnownCase> ReportDesk::rule_found(State& state, const KnownCase& found, Ruling ruling) {
  Open& open = *state.open;
  std::vector<std::int64_t> hashes;
  for (const HashChange& hash : found.row.hashes) hashes.push_back(hash.id);
  const ReportPolicy policy = report_policy(state);
  open.has_rest = true;  // until all is taught
  const auto weigh = setup_.store != nullptr ? weigher(policy) : storage::sqlite::Weigh();
  const auto changes = open.table->rule(hashes, ruling, weigh);
  if (!changes) return changes.error();
  if (Status done = teach(open, *changes); !done) return done.error();
  open.has_rest = false;
  if (ruling == Ruling::kCloses) {
    if (Status done = unsay(found.row.spam_reports); !done) return done.error();
  }
  {
    const Unlocked waits(mutex_);
    logger_.info(LogLine(ruling == Ruling::kCloses ? "case_closed" : "case_reopened")
                     .field("case", found.id)
                     .field("hashes", hashes.size())
                     .field("changed", changes->size()));
  }
  auto rows = open.table->find_case(to_hex(found.row.oldest.bytes));
  if (!rows) return rows.error();
  // One that was kept only because it was closed is gone now.
  if (!*rows) return known_case(state, CaseRow{.oldest = found.row.oldest}, {});
  return known_case(state, **std::move(rows), known_names(state, false));
}

}  // namespace shingled::milter::reports
