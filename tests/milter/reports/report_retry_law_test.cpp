// Failures of the storage and the counters change nothing but the time: a report that fails and
// comes again leaves what it leaves where nothing fails.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "milter/reports/report_desk.h"
#include "tests/support/fake_counters.h"
#include "tests/support/fake_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/seeded_random.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::reports {
namespace {

using storage::counters::Measure;
using testing::FakeStore;

/// What fails at the first attempts of a report.
struct Failures {
  bool away = false;  ///< the storage cannot be reached
  std::vector<FakeStore::Failure> updates;
  std::vector<bool> additions;
};

struct Attempt {
  int message;
  std::string reporter;
  ReportKind kind;
  std::vector<Failures> failures;  ///< one for each attempt that may fail
  bool later;                      ///< the last attempt comes after the next report
  bool restart;                    ///< of the daemon, before the last attempt
};

rc::Gen<Failures> any_failures() {
  return rc::gen::build<Failures>(
      rc::gen::set(&Failures::away, rc::gen::weightedElement<bool>({{5, false}, {1, true}})),
      rc::gen::set(
          &Failures::updates,
          rc::gen::resize(3, rc::gen::container<std::vector<FakeStore::Failure>>(rc::gen::element(
                                 FakeStore::Failure::kNone, FakeStore::Failure::kRefused,
                                 FakeStore::Failure::kLost)))),
      rc::gen::set(&Failures::additions, rc::gen::resize(2, rc::gen::container<std::vector<bool>>(
                                                                rc::gen::arbitrary<bool>()))));
}

rc::Gen<Attempt> any_attempt() {
  return rc::gen::build<Attempt>(
      rc::gen::set(&Attempt::message, rc::gen::inRange(0, 4)),
      rc::gen::set(&Attempt::reporter,
                   rc::gen::element<std::string>("ann", "bob", "joe", "postmaster")),
      rc::gen::set(&Attempt::kind, rc::gen::element(ReportKind::kSpam, ReportKind::kHam)),
      rc::gen::set(&Attempt::failures,
                   rc::gen::resize(2, rc::gen::container<std::vector<Failures>>(any_failures()))),
      rc::gen::set(&Attempt::later, rc::gen::arbitrary<bool>()),
      rc::gen::set(&Attempt::restart, rc::gen::weightedElement<bool>({{3, false}, {1, true}})));
}

/// Two messages have one text, the other two have one, too.
std::string mail_of(int message) {
  const char* text = message % 2 == 0
                         ? "Please look at our wonderful catalogue of garden furniture, ladders, "
                           "hoses, lamps and fountains before everything has gone. Our carpenters "
                           "build each bench by hand from seasoned oak."
                         : "Your parcel could not be delivered because the address was incomplete. "
                           "Kindly confirm street, house and telephone within two days, or the "
                           "warehouse will return everything to the sender.";
  return "From: a@example.org\r\nSubject: Offer\r\nMessage-ID: <" + std::to_string(message) +
         "@example.org>\r\n\r\n" + text + "\r\n";
}

struct World {
  explicit World(const std::string& folder) {
    settings.reports.file = folder + "/reports.db";
    settings.counters.embedded.directory = folder + "/counters";
    settings.reports.trusted_reporters = {"postmaster"};
    open();
  }
  void open() {
    desk.reset();
    desk = std::make_unique<ReportDesk>(clock, random, logger);
    desk->connect({.store = &store,
                   .counters = [this] { return counters; },
                   .site = [] { return std::optional(CounterKeyBytes{5}); },
                   .label = [this](std::uint64_t message,
                                   std::optional<ReportKind> label) { labels[message] = label; }});
    desk->use(std::make_shared<const Settings>(settings));
  }
  /// Whether it was taken.
  bool take(const Attempt& attempt) {
    return desk->take({attempt.kind, attempt.reporter, mail_of(attempt.message)}).has_value();
  }
  void fail(const Failures& failures) {
    if (failures.away) store.go_away();
    store.fail_next(failures.updates);
    counters->fail_next(failures.additions);
  }
  void heal() {
    store.come_back();
    store.fail_next({});
    counters->fail_next({});
  }
  [[nodiscard]] std::map<std::string, std::int32_t> weights() const {
    std::map<std::string, std::int32_t> out;
    for (int message = 0; message < 2; ++message) {
      const auto rules = taught_rules(settings);
      const auto read = read_reported(mail_of(message), CounterKeyBytes{5}, rules);
      for (const auto& hash : read.hashes) {
        const auto match = store.check(hash.fingerprint.digest, nullptr, 0);
        out[std::string(hash.fingerprint.digest.bytes.begin(),
                        hash.fingerprint.digest.bytes.end())] = match ? match->flags[0].value : 0;
      }
    }
    return out;
  }
  /// Complaints and rescues of each type of piece.
  [[nodiscard]] std::map<PieceType, std::pair<std::uint64_t, std::uint64_t>> counts() const {
    std::map<PieceType, std::pair<std::uint64_t, std::uint64_t>> out;
    for (const auto& addition : counters->additions()) {
      const auto add = [&](PieceType type) {
        out[type].first += addition.amounts.of(Measure::kComplaint);
        out[type].second += addition.amounts.of(Measure::kRescue);
      };
      for (const auto& key : addition.counters) add(key.type);
      for (const auto& pair : addition.pairs) add(pair.key.type);
    }
    return out;
  }

  testing::ManualClock clock;
  testing::SeededRandom random{1};
  NullLogger logger;
  FakeStore store;
  std::shared_ptr<testing::FakeCounters> counters = std::make_shared<testing::FakeCounters>();
  std::map<std::uint64_t, std::optional<ReportKind>> labels;
  Settings settings;
  std::unique_ptr<ReportDesk> desk;
};

RC_GTEST_PROP(ReportRetryLaw, FailuresChangeNothing, ()) {
  const auto attempts =
      *rc::gen::resize(8, rc::gen::container<std::vector<Attempt>>(any_attempt()));
  const testing::TemporaryDirectory failing_folder;
  const testing::TemporaryDirectory healthy_folder;
  World failing(failing_folder.path().string());
  World healthy(healthy_folder.path().string());
  std::optional<Attempt> waits;  // it stands, but is not finished
  const auto retry = [&](const Attempt& attempt) {
    if (attempt.restart) failing.open();
    RC_ASSERT(failing.take(attempt));
  };
  for (const Attempt& attempt : attempts) {
    RC_ASSERT(healthy.take(attempt));
    if (waits) {
      if (waits->reporter == attempt.reporter) retry(*std::exchange(waits, std::nullopt));
      RC_ASSERT(failing.take(attempt));
      if (waits) retry(*std::exchange(waits, std::nullopt));
      continue;
    }
    bool taken = false;
    bool stands = false;
    for (const Failures& failures : attempt.failures) {
      if (taken) break;
      failing.fail(failures);
      taken = failing.take(attempt);
      stands = stands || !failures.away;
      failing.heal();
    }
    if (!taken && attempt.later && stands) {
      waits = attempt;
    } else if (!taken) {
      retry(attempt);
    }
  }
  if (waits) retry(*waits);
  RC_ASSERT(failing.weights() == healthy.weights());
  RC_ASSERT(failing.counts() == healthy.counts());
  RC_ASSERT(failing.labels == healthy.labels);
}

}  // namespace
}  // namespace shingled::milter::reports
