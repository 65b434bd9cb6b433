// What counting adds to a message in the milter: the same messages of the corpus scanned with and
// without it, one after the other, against an embedded store on disk. The counters of the result
// are microseconds: of half of all messages (p50), of 99 of 100 (p99).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "milter/counters/counter_reloader.h"
#include "milter/judge/message_count.h"
#include "milter/judge/scanner.h"
#include "tests/bench/corpus.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter {
namespace {

using bench::corpus;
using storage::counters::Direction;

/// Which part is measured.
enum class Part : std::int64_t {
  kNothing,  ///< the noise: two scans without counting
  kHashes,   ///< another hash rule, for structures
  kAdd,      ///< all that the daemon does today
  kAskAndAdd,
};

features::CounterNeeds all_needs() {
  std::vector<storage::counters::Window> windows;
  for (const char* window : {"10m", "1h", "1d", "14d"}) {
    windows.push_back(storage::counters::parse_window(window).value());
  }
  features::CounterNeeds needs;
  for (const PieceTypeRow& row : piece_types()) needs.push_back({row.type, windows});
  return needs;
}

class Bench {
 public:
  explicit Bench(Part part) : part_(part) {
    CounterOptions options;
    options.embedded.directory = folder_.file("counters");
    reloader_.use(options, {});
    counter_ = std::make_shared<const counters::MessageCounter>(
        counters::MessageCounter::Setup{
            .options = options,
            .thresholds = counters::CountThresholds::of(options, {}),
            .needs = part == Part::kAskAndAdd ? all_needs() : features::CounterNeeds(),
            .site = reloader_.site().value(),
            .name = {},
            .store = reloader_.store()},
        clock_, logger_, state_);
    auto settings = std::make_shared<Settings>();
    settings->rules[0].hash.robust = true;  // as the shipped settings have it
    plain_ = judge::Scanner::open(settings, nullptr, clock_, random_).value();
    auto more = std::make_shared<Settings>(*settings);
    if (part == Part::kHashes) {
      RuleOptions& rule = more->rules.emplace_back(more->rules[0]);
      rule.hash = HashOptions{.text_hashes = false};
      rule.hash.html_shingles = true;
      rule.hash.skip_images = true;
      rule.hash.scan_archives = false;
      rule.hash.mime_types.clear();
    }
    more_ = judge::Scanner::open(more, nullptr, clock_, random_).value();
  }

  /// Microseconds that the part adds to a message.
  double added_to(const std::string& message) {
    double least_plain = 1e9;
    double least_more = 1e9;
    for (int i = 0; i < kRepeats; ++i) {
      least_plain = std::min(least_plain, time_of([&] { scan(*plain_, message, false); }));
      const bool counts = part_ == Part::kAdd || part_ == Part::kAskAndAdd;
      least_more = std::min(least_more, time_of([&] { scan(*more_, message, counts); }));
    }
    return least_more - least_plain;
  }
  [[nodiscard]] const counters::CountingState& state() const { return state_; }

 private:
  static constexpr int kRepeats = 5;

  template <typename Work>
  double time_of(Work&& work) {
    const TimePoint begin = clock_.now();
    work();
    return std::chrono::duration<double, std::micro>(clock_.now() - begin).count();
  }
  void scan(const judge::Scanner& scanner, const std::string& message, bool counts) {
    std::optional<judge::MessageCount> count;
    if (counts) {
      count.emplace(counter_,
                    counters::Envelope{.sender = "<sender@example.net>",
                                       .recipients = {},
                                       .client = IpAddress::parse("192.0.2.1"),
                                       .helo = "mx.example.net",
                                       .client_name = "mx.example.net",
                                       .user = {},
                                       .country = {}},
                    Direction::kIn);
      count->recipient("<recipient@example.org>");
    }
    const rules::Facts facts =
        scanner.scan({.bytes = message, .counters = count ? &*count : nullptr});
    const rules::Verdict verdict = scanner.judge(facts, FailurePolicy::kAccept);
    if (count) {
      count->add(facts, verdict, message, false);
      count->end();
    }
  }

  const Part part_;
  testing::TemporaryDirectory folder_;
  SystemClock clock_;
  SystemRandom random_;
  NullLogger logger_;
  counters::CountingState state_;
  counters::CounterReloader reloader_{clock_, random_, logger_};
  std::shared_ptr<const counters::MessageCounter> counter_;
  std::unique_ptr<judge::Scanner> plain_;
  std::unique_ptr<judge::Scanner> more_;
};

void BM_AddedToAMessage(benchmark::State& state) {
  if (corpus().empty()) return state.SkipWithError("no corpus beside this checkout");
  Bench bench(static_cast<Part>(state.range(0)));
  std::vector<double> times;
  for (auto _ : state) {
    for (const std::string& message : corpus()) times.push_back(bench.added_to(message));
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  state.counters["p50"] = at(0.5);
  state.counters["p90"] = at(0.9);
  state.counters["p99"] = at(0.99);
  const auto messages = bench.state().events.messages.read();
  if (messages == 0) return;
  state.counters["pieces"] =
      static_cast<double>(bench.state().events.pieces.read()) / static_cast<double>(messages);
}
BENCHMARK(BM_AddedToAMessage)
    ->ArgName("part")
    ->Arg(static_cast<std::int64_t>(Part::kNothing))
    ->Arg(static_cast<std::int64_t>(Part::kHashes))
    ->Arg(static_cast<std::int64_t>(Part::kAdd))
    ->Arg(static_cast<std::int64_t>(Part::kAskAndAdd))
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace shingled::milter
