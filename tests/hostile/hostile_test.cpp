// Each kind of hostile mail through hashing, through the scanner and through the pieces for the
// counters. Measures the work (steps and memory) instead of the time.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "milter/counters/message_pieces.h"
#include "milter/judge/scanner.h"
#include "mime/analyze.h"
#include "tests/hostile/hostile_kinds.h"
#include "tests/hostile/work_count.h"
#include "tests/support/fake_store.h"

namespace shingled::hostile {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
constexpr std::size_t kBytes = std::size_t{64} * 1024;  ///< doubled once or twice
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
    auto opened = milter::judge::Scanner::open(
        std::make_shared<const Settings>(std::move(settings)), &store_, clock_, random_);
    if (opened) scanner_ = *std::move(opened);
    EXPECT_NE(scanner_, nullptr);
  }

  std::vector<Path> all() const {
    std::vector<Path> paths = {
        {"hash",
         [this](const std::string& message) {
           hash_message(mime::analyze(message, MimeOptions{}), rule_);
         }},
        {"scan",
         [this](const std::string& message) {
           const milter::rules::Facts facts = scanner_->scan({.bytes = message});
           static_cast<void>(scanner_->judge(facts, FailurePolicy::kAccept));
         }},
        {"pieces", [](const std::string& message) {
           const mime::Analysis analysis = mime::analyze(message, MimeOptions{});
           mime::WorkMeter meter(mime::kStepsAMegabyte);
           static_cast<void>(
               milter::counters::message_pieces({.analysis = analysis}, {}, PieceOptions{}, meter));
         }}};
#ifdef SHINGLED_SANITIZED
    paths.erase(paths.begin());  // a scan takes the same steps, and this takes minutes
#endif
    return paths;
  }

 private:
  shingled::testing::FakeStore store_;
  SystemClock clock_;
  SystemRandom random_;
  mime::HashRule rule_{HashOptions{.html_shingles = true}};
  std::unique_ptr<milter::judge::Scanner> scanner_;
};

bool is_within_goal(const std::string& message, const Work& work) {
  const std::uint64_t bytes_max = kPeakBytes + message.size();
  const std::uint64_t steps_max = steps_of_200_ms() * (message.size() / kMegabyte + 1);
  EXPECT_LE(work.peak_bytes, bytes_max) << "bytes of heap";
  EXPECT_LE(work.steps.value_or(0), steps_max) << step_name();
  return work.peak_bytes <= bytes_max && work.steps.value_or(0) <= steps_max;
}

struct Measured {
  std::size_t message_bytes = 0;
  Work work;
};

/// What `more` may cost after `less`.
Work linear_max(const Measured& less, const Measured& more) {
  const double factor = kGrowthMax * static_cast<double>(more.message_bytes) /
                        static_cast<double>(less.message_bytes);
  const double steps = factor * static_cast<double>(less.work.steps.value_or(0));
  const double peak_bytes = factor * static_cast<double>(less.work.peak_bytes);
  return {.steps = static_cast<std::uint64_t>(steps) + steps_of_200_ms() / 40,
          .peak_bytes = static_cast<std::uint64_t>(peak_bytes + kPeakNoise)};
}

bool is_linear(const Measured& less, const Measured& more) {
  const Work most = linear_max(less, more);
  return more.work.peak_bytes <= most.peak_bytes && more.work.steps.value_or(0) <= most.steps;
}

void expect_linear(const Measured& less, const Measured& more) {
  const Work most = linear_max(less, more);
  EXPECT_LE(more.work.peak_bytes, most.peak_bytes)
      << "bytes of heap, of " << less.work.peak_bytes << " before the message doubled";
  EXPECT_LE(more.work.steps.value_or(0), most.steps)
      << step_name() << ", of " << less.work.steps.value_or(0) << " before the message doubled";
}

/// A limit between two sizes may change what is done, for example print as text what is behind the
/// last element: one of two doublings may be a jump, but what grows too fast does so in both.
void check(const HostileKind& kind, const Path& path) {
  SCOPED_TRACE(kind.name + " through " + std::string(path.name));
  path.run(kind.make(kWarmUpBytes));
  std::optional<Measured> less;
  for (const std::size_t bytes : {kBytes, 2 * kBytes, 4 * kBytes}) {
    const std::string message = kind.make(bytes);
    const Measured now{message.size(), count_work([&] { path.run(message); })};
    if (!is_within_goal(message, now.work)) return;  // twice the message would take too long
    if (less && bytes == 4 * kBytes) expect_linear(*less, now);
    if (less && is_linear(*less, now)) return;
    less = now;
  }
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
