// A law of storage/sqlite/report_table.cpp and milter/reports/support.cpp: what reports teach, and
// what others think of a reporter, follows from the reports that stand.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "milter/reports/support.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::reports {
namespace {

using storage::sqlite::ReportedHash;
using storage::sqlite::ReporterRow;
using storage::sqlite::ReportKind;
using storage::sqlite::ReportOutcome;
using storage::sqlite::ReportRow;
using storage::sqlite::ReportTable;
using storage::sqlite::Supporter;

constexpr std::uint64_t kMessages = 4;
constexpr std::uint64_t kReporters = 5;
constexpr std::uint64_t kHashes = 4;

struct Step {
  std::uint64_t message;
  std::uint64_t reporter;
  ReportKind kind;
  std::set<std::uint64_t> hashes;
  std::int64_t hours;  ///< before it
};

/// The standing reports, and nothing else.
struct Model {
  struct Standing {
    ReportKind kind;
    std::set<std::uint64_t> hashes;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Standing> reports;  ///< message, reporter
  std::map<std::uint64_t, std::int64_t> first;
  std::map<std::uint64_t, std::int32_t> taught;

  [[nodiscard]] ReporterRow row(std::uint64_t reporter) const {
    ReporterRow out{.name = reporter, .first = first.at(reporter)};
    for (const auto& [name, mine] : reports) {
      if (name.second != reporter) continue;
      ++out.reports;
      int with = 0;
      for (const auto& [other, theirs] : reports) {
        if (other.first == name.first && other.second != reporter)
          with += theirs.kind == mine.kind ? 1 : -1;
      }
      if (with > 0) ++out.agreed;
      if (with < 0) ++out.disagreed;
    }
    return out;
  }
  [[nodiscard]] std::vector<Supporter> supporters(std::uint64_t hash) const {
    std::set<std::pair<std::uint64_t, ReportKind>> who;
    for (const auto& [name, report] : reports) {
      if (report.hashes.contains(hash)) who.emplace(name.second, report.kind);
    }
    std::vector<Supporter> out;
    for (const auto& [reporter, kind] : who) out.push_back({row(reporter), kind});
    return out;
  }
};

ReportedHash hash_of(std::uint64_t number) {
  ReportedHash hash{.flag = 11, .per_spam = 2, .per_ham = -1};
  hash.fingerprint.digest.bytes[0] = static_cast<std::uint8_t>(number);
  if (number % 2 == 0) hash.fingerprint.shingles.emplace().fill(number);
  return hash;
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
      rc::gen::set(&Step::hours, rc::gen::inRange<std::int64_t>(0, 20)));
}

RC_GTEST_PROP(ReportLaw, WhatIsTaughtFollowsFromTheReportsThatStand, ()) {
  const auto steps = *rc::gen::container<std::vector<Step>>(20, any_step());
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("reports.db");
  auto table = ReportTable::open(path, 7);
  RC_ASSERT(table.has_value());
  Model model;
  std::map<std::uint64_t, std::int32_t> taught;  // by the table
  std::int64_t now = 1'000'000;
  for (const Step& step : steps) {
    now += step.hours * 3600;
    const Electorate voters{.reporters_min = 2, .trusted = {4}, .now = now};
    ReportRow row{step.message, step.reporter, step.kind, now, {}};
    for (const std::uint64_t hash : step.hashes) row.hashes.push_back(hash_of(hash));
    const auto outcome = (*table)->add(
        row,
        [&](const ReportedHash& hash,
            std::span<const Supporter> supporters) -> Result<storage::sqlite::WantedWeight> {
          return storage::sqlite::WantedWeight{wanted_weight(hash, supporters, voters), 0};
        });
    RC_ASSERT(outcome.has_value());
    for (const auto& change : outcome->changes) {
      std::int32_t& weight = taught[change.hash.fingerprint.digest.bytes[0]];
      RC_ASSERT(weight == change.taught);
      weight = change.wanted;
    }
    RC_ASSERT((*table)->finish(outcome->changes).has_value());

    const auto name = std::pair(step.message, step.reporter);
    model.first.try_emplace(step.reporter, now);
    const auto before = model.reports.find(name);
    std::set<std::uint64_t> touched;
    if (before != model.reports.end() && before->second.kind == step.kind) {
      RC_ASSERT(outcome->what == ReportOutcome::What::kSame);
    } else {
      touched = step.hashes;
      if (before != model.reports.end())
        touched.insert(before->second.hashes.begin(), before->second.hashes.end());
      model.reports[name] = {step.kind, step.hashes};
    }
    for (const std::uint64_t hash : touched)
      model.taught[hash] = wanted_weight(hash_of(hash), model.supporters(hash), voters);
    for (const auto& [hash, weight] : model.taught) RC_ASSERT(taught[hash] == weight);
    const auto rows = (*table)->reporters(100);
    RC_ASSERT(rows.has_value());
    for (const ReporterRow& found : *rows) {
      const ReporterRow wanted = model.row(found.name);
      RC_ASSERT(found.reports == wanted.reports);
      RC_ASSERT(found.agreed == wanted.agreed);
      RC_ASSERT(found.disagreed == wanted.disagreed);
      RC_ASSERT(found.first == wanted.first);
    }
  }
  table->reset();
  const auto again = ReportTable::open(path, 7);
  RC_ASSERT(again.has_value());
  const auto rest = (*again)->unfinished();
  RC_ASSERT(rest.has_value());
  RC_ASSERT(rest->empty());
}

}  // namespace
}  // namespace shingled::milter::reports
