// Each kind of hostile mail through hashing, through the scanner and through the pieces for the
// counters. Measures the work (steps and memory) instead of the time.
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "milter/counters/message_pieces.h"
#include "milter/filter/scanner.h"
#include "mime/analyze.h"
#include "tests/hostile/hostile_kinds.h"
#include "tests/hostile/work_count.h"
#include "tests/support/fake_store.h"

namespace shingled::hostile {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
constexpr std::size_t kBytes = std::size_t{64} * 1024;  ///< and twice that
constexpr std::size_t kWarmUpBytes = 4096;              ///< makes the tables that are made once

// The goal: 200 ms per started megabyte, and 64 MB above idle plus twice the message. The message
// itself is one of the two.
constexpr std::uint64_t kPeakBytes = 64 * kMegabyte;

// Twice the bytes may cost twice the work. The tolerance is for tables that double and for work
// that comes in whole pieces.
constexpr double kGrowthMax = 1.3;
constexpr double kPeakNoise = 1024.0 * 1024;

/// One path of a message through the program.
struct Path {
  std::string_view name;
  std::function<void(const std::string& message)> run;
};

class Paths {
 public:
  Paths() {
    Settings settings;
    RuleOptions rule;
    rule.name = "local";
    rule.hash.html_shingles = true;
    rule.hash.robust = true;
    settings.rules = {rule};
    store_.knows_all = storage::FlagValue{1, 20};
    auto opened = milter::filter::Scanner::open(
        std::make_shared<const Settings>(std::move(settings)), &store_, clock_, random_);
    if (opened) scanner_ = *std::move(opened);
    EXPECT_NE(scanner_, nullptr);
  }

  std::vector<Path> all() const {
    return {{"hash",
             [this](const std::string& message) {
               hash_message(mime::analyze(message, MimeOptions{}), rule_);
             }},
            {"scan",
             [this](const std::string& message) {
               const milter::rules::Facts facts = scanner_->scan(message);
               static_cast<void>(scanner_->judge(facts, FailurePolicy::kAccept));
             }},
            {"pieces", [](const std::string& message) {
               const mime::Analysis analysis = mime::analyze(message, MimeOptions{});
               mime::WorkMeter meter(mime::kStepsAMegabyte);
               static_cast<void>(milter::counters::message_pieces(
                   {.bytes = message, .analysis = analysis}, {}, PieceOptions{}, meter));
             }}};
  }

 private:
  shingled::testing::FakeStore store_;
  SystemClock clock_;
  SystemRandom random_;
  mime::HashRule rule_{HashOptions{.html_shingles = true}};
  std::unique_ptr<milter::filter::Scanner> scanner_;
};

bool is_within_goal(const std::string& message, const Work& work) {
  const std::uint64_t bytes_max = kPeakBytes + message.size();
  const std::uint64_t steps_max = steps_of_200_ms() * (message.size() / kMegabyte + 1);
  EXPECT_LE(work.peak_bytes, bytes_max) << "bytes of heap";
  EXPECT_LE(work.steps.value_or(0), steps_max) << step_name();
  return work.peak_bytes <= bytes_max && work.steps.value_or(0) <= steps_max;
}

/// `growth`: the factor by which the message grew.
void expect_linear(double growth, const Work& single, const Work& twice) {
  EXPECT_LE(static_cast<double>(twice.peak_bytes),
            kGrowthMax * growth * static_cast<double>(single.peak_bytes) + kPeakNoise)
      << "bytes of heap, of " << single.peak_bytes << " before the message doubled";
  if (!single.steps || !twice.steps) return;
  const auto steps_noise = static_cast<double>(steps_of_200_ms()) / 40;
  EXPECT_LE(static_cast<double>(*twice.steps),
            kGrowthMax * growth * static_cast<double>(*single.steps) + steps_noise)
      << step_name() << ", of " << *single.steps << " before the message doubled";
}

void check(const HostileKind& kind, const Path& path) {
  SCOPED_TRACE(kind.name + " through " + std::string(path.name));
  const std::string one = kind.make(kBytes);
  const std::string two = kind.make(2 * kBytes);
  path.run(kind.make(kWarmUpBytes));
  const Work single = count_work([&] { path.run(one); });
  if (!is_within_goal(one, single)) return;  // twice the message would take too long
  const Work twice = count_work([&] { path.run(two); });
  if (!is_within_goal(two, twice)) return;
  expect_linear(static_cast<double>(two.size()) / static_cast<double>(one.size()), single, twice);
}

/// The first word of a name.
std::string theme_of(const HostileKind& kind) { return kind.name.substr(0, kind.name.find('-')); }

std::vector<std::string> themes() {
  std::set<std::string> names;
  for (const HostileKind& kind : hostile_kinds()) names.insert(theme_of(kind));
  return {names.begin(), names.end()};
}

class HostileTheme : public ::testing::TestWithParam<std::string> {};

TEST_P(HostileTheme, CostsAtMostLinearTimeAndMemory) {
  const Paths paths;
  if (step_name().empty()) {
    std::cout << "only memory is counted: this kernel counts no instructions, and this is not a "
                 "build for fuzzing\n";
  }
  for (const HostileKind& kind : hostile_kinds()) {
    if (theme_of(kind) != GetParam()) continue;
    for (const Path& path : paths.all()) check(kind, path);
  }
}

INSTANTIATE_TEST_SUITE_P(Themes, HostileTheme, ::testing::ValuesIn(themes()),
                         [](const auto& theme) { return theme.param; });

TEST(HostileKinds, AreManyAndEachHasItsOwnName) {
  std::set<std::string> names;
  for (const HostileKind& kind : hostile_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.why.empty()) << kind.name;
    EXPECT_EQ(&kind, find_kind(kind.name));
  }
  EXPECT_GE(names.size(), 150U);
  EXPECT_EQ(find_kind("none"), nullptr);
}

TEST(HostileKinds, AreTheSameEachTimeAndOfTheSizeAskedFor) {
  for (const HostileKind& kind : hostile_kinds()) {
    const std::string message = kind.make(kBytes);
    EXPECT_EQ(message, kind.make(kBytes)) << kind.name;
    EXPECT_GT(message.size(), kBytes * 3 / 4) << kind.name;
    EXPECT_LT(message.size(), kBytes * 3 / 2) << kind.name;
  }
}

}  // namespace
}  // namespace shingled::hostile
