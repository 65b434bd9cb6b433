#pragma once

#include <gtest/gtest.h>

#include <algorithm>
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

using storage::counters::Measure;
using storage::sqlite::ReportOutcome;
using What = ReportOutcome::What;

inline constexpr CounterKeyBytes kTestSite{5};

inline const std::string kOffer =
    "Please look at our wonderful catalogue of garden furniture, ladders, hoses, lamps and "
    "fountains before everything has gone. Our carpenters build each bench by hand from seasoned "
    "oak, our gardeners test every hose for three summers, and our drivers bring it to your door "
    "within two days, whatever the weather does. Order now and receive a bag of tulip bulbs with "
    "every bench.";

inline std::string mail(int number, const std::string& text = kOffer) {
  return "From: a@example.org\r\nSubject: Offer\r\nMessage-ID: <" + std::to_string(number) +
         "@example.org>\r\n\r\n" + text + "\r\n";
}

struct Desk : ::testing::Test {
  testing::TemporaryDirectory directory;
  testing::ManualClock clock;
  testing::SeededRandom random{1};
  NullLogger logger;
  testing::FakeStore store;
  std::shared_ptr<testing::FakeCounters> counters = std::make_shared<testing::FakeCounters>();
  std::vector<std::pair<std::uint64_t, std::optional<ReportKind>>> labels;
  Teacher::Patience patience;
  Settings settings;
  std::unique_ptr<ReportDesk> desk;

  void SetUp() override {
    settings.reports.file = directory.file("reports.db");
    settings.counters.embedded.directory = directory.file("counters");
    open();
  }
  void open() {
    desk.reset();
    desk = std::make_unique<ReportDesk>(clock, random, logger);
    desk->connect(
        {.store = &store,
         .counters = [this] { return counters; },
         .site = [] { return std::optional(kTestSite); },
         .label = [this](std::uint64_t message,
                         std::optional<ReportKind> label) { labels.emplace_back(message, label); },
         .patience = patience});
    desk->use(std::make_shared<const Settings>(settings));
  }
  Result<ReportReceipt> take(ReportKind kind, const std::string& who, const std::string& message) {
    return desk->take({kind, who, message});
  }
  ReportReceipt spam(const std::string& who, const std::string& message) {
    const auto receipt = take(ReportKind::kSpam, who, message);
    if (!receipt) ADD_FAILURE() << receipt.error().message;
    return receipt ? *receipt : ReportReceipt{};
  }
  ReportReceipt ham(const std::string& who, const std::string& message) {
    const auto receipt = take(ReportKind::kHam, who, message);
    if (!receipt) ADD_FAILURE() << receipt.error().message;
    return receipt ? *receipt : ReportReceipt{};
  }
  /// Whether a scan would find the message, and with which weight.
  [[nodiscard]] std::int32_t weight(const std::string& message) const {
    const auto rules = taught_rules(settings);
    const auto read = read_reported(message, kTestSite, rules);
    std::int32_t most = 0;
    for (const auto& hash : read.hashes) {
      const auto match = store.check(hash.fingerprint.digest, nullptr, 0);
      if (match) most = std::max(most, match->flags[0].value);
    }
    return most;
  }
  [[nodiscard]] std::uint64_t counted(Measure measure, PieceType type) const {
    std::uint64_t sum = 0;
    for (const auto& addition : counters->additions()) {
      for (const auto& key : addition.counters)
        if (key.type == type) sum += addition.amounts.of(measure);
      for (const auto& pair : addition.pairs)
        if (pair.key.type == type) sum += addition.amounts.of(measure);
    }
    return sum;
  }
};

}  // namespace shingled::milter::reports
