// What reports teach and count, for any reports, forgetting and failures.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "milter/reports/support.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::reports {
namespace {

using storage::sqlite::HashChange;
using storage::sqlite::ReportedHash;
using storage::sqlite::ReporterRow;
using storage::sqlite::ReportKind;
using storage::sqlite::ReportOutcome;
using storage::sqlite::ReportRow;
using storage::sqlite::ReportTable;
using storage::sqlite::Supporter;
using storage::sqlite::WantedWeight;

constexpr std::uint64_t kMessages = 4;
constexpr std::uint64_t kReporters = 5;
constexpr std::uint64_t kHashes = 4;
constexpr std::int64_t kHour = 3600;

struct Step {
  std::uint64_t message;
  std::uint64_t reporter;
  ReportKind kind;
  std::set<std::uint64_t> hashes;
  std::int64_t hours;   ///< before it
  std::int64_t forget;  ///< hours to keep before it; 0 = it forgets nothing
  bool crash;           ///< between the storage and the table
};

/// Even hashes match each other, odd ones have no shingles.
std::set<std::uint64_t> matching(std::uint64_t hash) {
  std::set<std::uint64_t> out = {hash};
  for (std::uint64_t other = 0; other < kHashes; ++other)
    if (hash % 2 == 0 && other % 2 == 0) out.insert(other);
  return out;
}

/// With what they match.
std::set<std::uint64_t> with_matching(const std::set<std::uint64_t>& hashes) {
  std::set<std::uint64_t> out;
  for (const std::uint64_t hash : hashes) out.merge(matching(hash));
  return out;
}

/// The standing reports, what they have taught, and nothing else.
struct Model {
  struct StandingReport {
    ReportKind kind;
    std::set<std::uint64_t> hashes;
    std::uint64_t turn;
  };
  struct Past {  ///< of a reporter, about messages that are forgotten
    std::uint64_t reports = 0;
    std::uint64_t agreed = 0;
    std::uint64_t disagreed = 0;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, StandingReport> reports;  ///< message, reporter
  std::map<std::uint64_t, std::int64_t> last;                                 ///< by message
  std::map<std::uint64_t, std::int64_t> first;
  std::map<std::uint64_t, Past> past;
  std::map<std::uint64_t, std::int32_t> owned;  ///< what belongs to the reports
  std::map<std::uint64_t, std::int32_t> stored;

  [[nodiscard]] int side(std::uint64_t message, std::uint64_t reporter, ReportKind kind) const {
    int with = 0;
    for (const auto& [other, theirs] : reports) {
      if (other.first == message && other.second != reporter) with += theirs.kind == kind ? 1 : -1;
    }
    return with;
  }
  [[nodiscard]] ReporterRow row(std::uint64_t reporter) const {
    ReporterRow out{.name = reporter, .first = first.at(reporter)};
    if (const auto gone = past.find(reporter); gone != past.end()) {
      out.reports = gone->second.reports;
      out.agreed = gone->second.agreed;
      out.disagreed = gone->second.disagreed;
    }
    for (const auto& [name, mine] : reports) {
      if (name.second != reporter) continue;
      ++out.reports;
      const int with = side(name.first, reporter, mine.kind);
      if (with > 0) ++out.agreed;
      if (with < 0) ++out.disagreed;
    }
    return out;
  }
  /// The people of a hash that somebody reported, each with what he said last.
  [[nodiscard]] std::vector<Supporter> supporters(std::uint64_t hash) const {
    if (!is_reported(hash)) return {};
    std::map<std::uint64_t, StandingReport> words;
    for (const auto& [name, report] : reports) {
      const auto meant = matching(hash);
      if (std::ranges::none_of(
              meant, [&, r = &report](std::uint64_t one) { return r->hashes.contains(one); }))
        continue;
      const auto [word, is_first] = words.try_emplace(name.second, report);
      if (!is_first && report.turn > word->second.turn) word->second = report;
    }
    std::vector<Supporter> out;
    for (const auto& [reporter, word] : words) out.push_back({row(reporter), word.kind});
    return out;
  }
  [[nodiscard]] bool is_reported(std::uint64_t hash) const {
    return std::ranges::any_of(
        reports, [&](const auto& report) { return report.second.hashes.contains(hash); });
  }
  void teach(std::uint64_t hash, std::int32_t weight) {
    stored[hash] += weight - owned[hash];
    owned[hash] = weight;
  }
};

ReportedHash hash_of(std::uint64_t number) {
  ReportedHash hash{.flag = 11, .per_spam = 2, .per_ham = -1};
  hash.fingerprint.digest.bytes[0] = static_cast<std::uint8_t>(number);
  if (number % 2 == 0) {
    auto& shingles = hash.fingerprint.shingles.emplace();
    shingles.fill(7);
    std::fill_n(shingles.begin(), 6, number);
  }
  return hash;
}

std::uint64_t number_of(const HashChange& change) {
  return change.hash.fingerprint.digest.bytes[0];
}

std::set<std::uint64_t> bits_of(unsigned mask) {
  std::set<std::uint64_t> out;
  for (std::uint64_t i = 0; i < kHashes; ++i)
    if ((mask >> i & 1U) != 0) out.insert(i);
  return out;
}

rc::Gen<Step> any_step() {
  return rc::gen::build<Step>(
      rc::gen::set(&Step::message, rc::gen::inRange<std::uint64_t>(0, kMessages)),
      rc::gen::set(&Step::reporter, rc::gen::inRange<std::uint64_t>(0, kReporters)),
      rc::gen::set(&Step::kind, rc::gen::element(ReportKind::kSpam, ReportKind::kHam)),
      rc::gen::set(&Step::hashes, rc::gen::map(rc::gen::inRange(0U, 1U << kHashes), bits_of)),
      rc::gen::set(&Step::hours, rc::gen::inRange<std::int64_t>(0, 20)),
      rc::gen::set(&Step::forget,
                   rc::gen::weightedElement<std::int64_t>({{5, 0}, {1, 20}, {1, 60}})),
      rc::gen::set(&Step::crash, rc::gen::weightedElement<bool>({{4, false}, {1, true}})));
}

/// The table, the storage as it says, and the model beside them.
struct World {
  explicit World(std::string file) : path(std::move(file)) { open(); }

  void open() {
    table.reset();
    auto opened = ReportTable::open(path, 7);
    RC_ASSERT(opened.has_value());
    table = *std::move(opened);
  }
  [[nodiscard]] ReportPolicy policy() const { return {.reporters_min = 2, .trusted = {4}}; }
  [[nodiscard]] storage::sqlite::Weigh weigh() const {
    return [this](const ReportedHash& hash,
                  std::span<const Supporter> supporters) -> Result<WantedWeight> {
      const auto seen = stored.find(hash.fingerprint.digest.bytes[0]);
      return WantedWeight{wanted_weight(hash, supporters, policy()),
                          seen == stored.end() ? 0 : seen->second};
    };
  }
  void store(const std::vector<HashChange>& changes) {
    for (const HashChange& change : changes)
      stored[number_of(change)] += change.wanted - change.taught;
  }
  void forget(std::int64_t hours) {
    const std::int64_t oldest = now - hours * kHour;
    RC_ASSERT(table->forget_before(oldest, 100, weigh()).has_value());
    std::set<std::uint64_t> touched;
    std::map<std::uint64_t, ReporterRow> rows;
    for (const auto& [reporter, when] : model.first) rows[reporter] = model.row(reporter);
    for (auto report = model.reports.begin(); report != model.reports.end();) {
      const bool old = model.last.at(report->first.first) < oldest;
      if (old) touched.insert(report->second.hashes.begin(), report->second.hashes.end());
      report = old ? model.reports.erase(report) : std::next(report);
    }
    for (auto& [reporter, was] : rows) {
      model.past.erase(reporter);
      const ReporterRow left = model.row(reporter);
      model.past[reporter] = {was.reports - left.reports, was.agreed - left.agreed,
                              was.disagreed - left.disagreed};
    }
    for (const std::uint64_t hash : with_matching(touched)) {
      const std::int32_t theirs = wanted_weight(hash_of(hash), model.supporters(hash), policy());
      model.owned[hash] = std::min(model.owned[hash], theirs);
    }
  }
  void report(const Step& step) {
    ReportRow row{step.message, step.reporter, step.kind, now, {}};
    for (const std::uint64_t hash : step.hashes) row.hashes.push_back(hash_of(hash));
    const auto outcome = table->add(row, weigh());
    RC_ASSERT(outcome.has_value());
    for (const HashChange& change : outcome->changes)
      RC_ASSERT(model.owned[number_of(change)] == change.taught);
    store(outcome->changes);
    if (step.crash) {
      open();
      const auto rest = table->unfinished();
      RC_ASSERT(rest.has_value());
      RC_ASSERT(rest->size() == outcome->changes.size());
      RC_ASSERT(table->finish(*rest).has_value());
    } else {
      RC_ASSERT(table->finish(outcome->changes).has_value());
    }
    const auto name = std::pair(step.message, step.reporter);
    model.first.try_emplace(step.reporter, now);
    const auto before = model.reports.find(name);
    if (before != model.reports.end() && before->second.kind == step.kind) {
      RC_ASSERT(outcome->what == ReportOutcome::What::kSame);
      RC_ASSERT(outcome->changes.empty());
      return;
    }
    std::set<std::uint64_t> touched = step.hashes;
    if (before != model.reports.end())
      touched.insert(before->second.hashes.begin(), before->second.hashes.end());
    model.reports[name] = {step.kind, step.hashes, ++turns};
    model.last[step.message] = now;
    for (const std::uint64_t hash : with_matching(touched))
      model.teach(hash, wanted_weight(hash_of(hash), model.supporters(hash), policy()));
    if (step.kind == ReportKind::kHam) ham = true;
    if (ham) return;
    // Where nobody ever contradicts, nothing is taken off, whatever was forgotten.
    for (const HashChange& change : outcome->changes) RC_ASSERT(change.wanted > change.taught);
  }
  void check() {
    for (const auto& [hash, weight] : model.stored) {
      RC_ASSERT(stored[hash] == weight);
      RC_ASSERT(weight >= model.owned[hash]);
    }
    const auto rows = table->reporters(100);
    RC_ASSERT(rows.has_value());
    for (const ReporterRow& found : *rows) {
      const ReporterRow wanted = model.row(found.name);
      RC_ASSERT(found.reports == wanted.reports);
      RC_ASSERT(found.agreed == wanted.agreed);
      RC_ASSERT(found.disagreed == wanted.disagreed);
      RC_ASSERT(found.first == wanted.first);
    }
    RC_ASSERT(table->unfinished()->empty());
  }

  std::string path;
  std::unique_ptr<ReportTable> table;
  Model model;
  std::map<std::uint64_t, std::int32_t> stored;  ///< by hash, as the table changed it
  std::int64_t now = 1'000'000;
  std::uint64_t turns = 0;
  bool ham = false;  ///< somebody said so
};

RC_GTEST_PROP(ReportLaw, WhatIsTaughtFollowsFromTheReportsThatStand, ()) {
  const auto steps = *rc::gen::container<std::vector<Step>>(20, any_step());
  const testing::TemporaryDirectory directory;
  World world(directory.file("reports.db"));
  const bool all_spam = *rc::gen::arbitrary<bool>();
  for (Step step : steps) {
    if (all_spam) step.kind = ReportKind::kSpam;
    world.now += step.hours * kHour;
    if (step.forget > 0) world.forget(step.forget);
    world.report(step);
    world.check();
  }
}

}  // namespace
}  // namespace shingled::milter::reports
