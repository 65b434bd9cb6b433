// Makes a history of a million messages, as a site has them, and tries 30 rules on it, as
// `shingled policy try` does, then judges them as rules in shadow, as the daemon does once a day,
// but without its rests. Prints seconds and the bytes of a row, and compares the numbers with a
// plain count of the same messages.
//
//   history_million FILE [ROWS]      an existing FILE of as many ROWS is used as it is
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "milter/history/row_code.h"
#include "milter/policy/parse_condition.h"
#include "milter/replay/rule_trial.h"
#include "milter/replay/shadow_trial.h"
#include "storage/sqlite/history/history_table.h"

using namespace shingled;
using namespace shingled::milter;

namespace {

using features::Sums;
using storage::counters::Measure;
using storage::counters::Period;
using storage::sqlite::HistoryRow;

constexpr std::size_t kBatch = 1000;
constexpr std::int64_t kMicrosecondsApart = 1'209'600;  // a million in 14 days

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Half of all pieces are new; the others were seen often or rarely (Zipf).
class Pieces {
 public:
  explicit Pieces(std::mt19937_64& random) : random_(random) {}

  void add(PieceType type, history::MessageRecord& record, bool spam) {
    record.pieces.push_back({type, static_cast<std::uint32_t>(random_()), true});
    Sums month;
    if (random_() % 2 == 0) {
      const std::uint64_t mass = 1 + 10'000 / (1 + random_() % 10'000);
      month.of(Measure::kMass) = mass;
      month.of(Measure::kRecipients) = mass + mass / 10;
      month.of(Measure::kBytes) = mass * (2000 + random_() % 60'000);
      month.of(spam ? Measure::kSpam : Measure::kHam) = mass - mass / 8;
      if (spam && mass > 20) month.of(Measure::kComplaint) = mass / 20;
    }
    const auto part = [&](std::uint64_t of) {
      Sums out;
      for (std::size_t i = 0; i < storage::counters::kMeasures; ++i)
        out.counted.counts[i] = month.counted.counts[i] / of;
      return out;
    };
    record.sums.push_back(part(100));
    record.sums.push_back(part(10));
    record.sums.push_back(month);
  }

 private:
  std::mt19937_64& random_;
};

history::MessageRecord any_message(std::mt19937_64& random) {
  using enum PieceType;
  const bool spam = random() % 3 == 0;
  history::MessageRecord record;
  record.windows = {
      {Period::Unit::kSlot, 6, 0}, {Period::Unit::kDay, 1, 0}, {Period::Unit::kDay, 14, 0}};
  features::FeatureValues& values = record.features;
  values.set_number(features::Feature::kBytes, 2000 + random() % 60'000);
  values.set_number(features::Feature::kParts, 1 + random() % 4);
  values.set_number(features::Feature::kRecipients, 1);
  values.set_number(features::Feature::kLinks, random() % 12);
  values.set_number(features::Feature::kWords, random() % 900);
  values.set_word(features::Feature::kLanguage, "en");
  values.set_yes(features::Feature::kHtml, random() % 2 == 0);
  values.set_yes(features::Feature::kLocal, false);
  values.set_word(features::Feature::kSpf, spam ? "none" : "pass");
  values.set_number(features::Feature::kHour, random() % 24);
  Pieces pieces(random);
  for (const PieceType type : {kText,
                               kRobustText,
                               kStructure,
                               kSubject,
                               kExactSubject,
                               kSender,
                               kSenderDomain,
                               kRecipient,
                               kFromDomain,
                               kFrom,
                               kClient,
                               kClientNetwork,
                               kHelo,
                               kMessageIdDomain,
                               kHeaderOrder,
                               kSenderRecipient,
                               kUniqueRecipients,
                               kFromNetwork,
                               kUniqueNetworks,
                               kTextSender,
                               kUniqueTextSenders})
    pieces.add(type, record, spam);
  for (std::uint64_t i = random() % 4; i > 0; --i) pieces.add(kLinkHost, record, spam);
  for (std::uint64_t i = random() % 4; i > 0; --i) pieces.add(kLinkDomain, record, spam);
  record.score = spam ? 12 : 0;
  if (spam)
    record.evidence.push_back({"FUZZY_DENIED", 12, rules::Evidence::Effect::kCounts, false});
  return record;
}

/// The messages of the file, one after the other; always the same.
class Messages {
 public:
  struct One {
    history::MessageRecord record;
    HistoryRow row;  ///< without the record
  };
  One next() {
    One out;
    out.record = any_message(random_);
    out.row.time = 1'700'000'000'000'000 + static_cast<std::int64_t>(made_++) * kMicrosecondsApart;
    out.row.queue_id = "4X" + std::to_string(random_() % 10'000'000'000);
    out.row.message = random_();
    out.row.sender = random_();
    out.row.action = static_cast<std::uint8_t>(out.record.score > 5 ? 4 : 0);
    if (random_() % 200 == 0) out.row.label = static_cast<std::uint8_t>(1 + random_() % 2);
    return out;
  }

 private:
  std::mt19937_64 random_{1};
  std::size_t made_ = 0;
};

bool make_history(const std::string& path, std::size_t rows) {
  auto table = storage::sqlite::HistoryTable::open(path);
  if (!table) return false;
  Messages messages;
  std::vector<HistoryRow> batch;
  for (std::size_t i = 0; i < rows; ++i) {
    Messages::One one = messages.next();
    one.row.details = history::encode_record(one.record);
    batch.push_back(std::move(one.row));
    if (batch.size() < kBatch && i + 1 < rows) continue;
    if (!(*table)->write(batch, {})) return false;
    batch.clear();
  }
  return true;
}

constexpr std::pair<const char*, PieceType> kTypes[] = {{"sender", PieceType::kSender},
                                                        {"sender_domain", PieceType::kSenderDomain},
                                                        {"from", PieceType::kFrom},
                                                        {"client", PieceType::kClient},
                                                        {"subject", PieceType::kSubject},
                                                        {"text", PieceType::kText},
                                                        {"link_host", PieceType::kLinkHost},
                                                        {"helo", PieceType::kHelo},
                                                        {"link_domain", PieceType::kLinkDomain},
                                                        {"robust_text", PieceType::kRobustText}};

std::vector<policy::Rule> thirty_rules() {
  std::vector<policy::Rule> out;
  for (const auto& [type, number] : kTypes) {
    const std::string name(type);
    for (const std::string& condition :
         {name + ".spam >= 80% of 50 in 14d and " + name + ".mass >= 20 in 1h",
          name + ".complaint >= 2% of 100 in 14d or FUZZY_DENIED and links >= 3",
          name + ".mass >= 200 in 1d and not " + name + ".ham >= 10% of 10 in 14d"}) {
      auto parsed = policy::parse_condition(condition);
      auto* const right = std::get_if<policy::Condition>(&parsed);
      if (right == nullptr) return {};
      policy::Rule rule;
      rule.name = "RULE_" + std::to_string(out.size());
      rule.condition = std::move(*right);
      rule.score = 1;
      out.push_back(std::move(rule));
    }
  }
  return out;
}

/// Which of the thirty fire, by plain thinking.
std::vector<bool> fire(const history::MessageRecord& record) {
  constexpr std::size_t kHour = 0;
  constexpr std::size_t kDay = 1;
  constexpr std::size_t kMonth = 2;
  const bool links =
      !record.evidence.empty() && record.features.number(features::Feature::kLinks) >= 3;
  std::vector<bool> out;
  for (const auto& [name, type] : kTypes) {
    bool has = false;
    bool spam = false;
    bool hour = false;
    bool complained = false;
    bool day = false;
    bool ham = false;
    for (std::size_t i = 0; i < record.pieces.size(); ++i) {
      if (record.pieces[i].type != type) continue;
      has = true;
      const auto sum = [&](std::size_t window, Measure measure) {
        return record.sums[i * 3 + window].of(measure);
      };
      const std::uint64_t mass = sum(kMonth, Measure::kMass);
      spam |= mass >= 50 && sum(kMonth, Measure::kSpam) * 100 >= mass * 80;
      complained |= mass >= 100 && sum(kMonth, Measure::kComplaint) * 100 >= mass * 2;
      ham |= mass >= 10 && sum(kMonth, Measure::kHam) * 100 >= mass * 10;
      hour |= sum(kHour, Measure::kMass) >= 20;
      day |= sum(kDay, Measure::kMass) >= 200;
    }
    out.push_back(spam && hour);
    out.push_back(complained || links);
    out.push_back(has && day && !ham);
  }
  return out;
}

/// Counts without the language of rules, the file and the threads. Without the examples.
replay::TrialReport counted_plainly(std::size_t rows, const ActionOptions& actions) {
  replay::TrialReport out;
  out.rules.resize(std::size(kTypes) * 3);
  Messages messages;
  for (std::size_t i = 0; i < rows; ++i) {
    const Messages::One one = messages.next();
    const bool spam = one.row.label == 1 || (one.row.label == 0 && one.row.action != 0);
    const replay::TrialCounts counts{.all = 1,
                                     .spam = spam ? 1U : 0U,
                                     .ham = spam ? 0U : 1U,
                                     .complained = one.row.label == 1 ? 1U : 0U,
                                     .rescued = one.row.label == 2 ? 1U : 0U};
    out.messages += counts;
    const std::vector<bool> fired = fire(one.record);
    double score = one.record.score;
    for (std::size_t rule = 0; rule < fired.size(); ++rule) {
      if (!fired[rule]) continue;
      out.rules[rule] += counts;
      score += 1;
    }
    const std::size_t to = score >= *actions.reject ? 4 : score >= *actions.add_header ? 1 : 0;
    for (std::size_t action = 0; action <= one.row.action; ++action) out.before[action] += counts;
    for (std::size_t action = 0; action <= to; ++action) out.after[action] += counts;
    if (to != one.row.action) ++out.changes[one.row.action][to];
  }
  return out;
}

/// One pass, one thread.
bool judge(const std::string& path, policy::CompiledRules rules, const ActionOptions& actions) {
  std::vector<replay::JudgedRule> judged;
  for (std::size_t i = 0; i < rules.rules.size(); ++i) {
    rules.rules[i].shadow = true;
    rules.rules[i].score = 5;
    judged.push_back({.rule = i});
  }
  const auto start = std::chrono::steady_clock::now();
  const auto report = replay::judge_history(path, rules, judged, actions,
                                            [](const storage::WorkDone&) { return true; });
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().message.c_str());
    return false;
  }
  std::uint64_t marked = 0;
  for (const config::RuleFigures& figures : report->trial.figures) marked += figures.messages;
  std::printf("%zu rules judged on %llu messages in %.2f s; they mark %llu\n", judged.size(),
              static_cast<unsigned long long>(report->trial.messages), seconds_since(start),
              static_cast<unsigned long long>(marked));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: history_million FILE [ROWS]\n", stderr);
    return EXIT_FAILURE;
  }
  const std::string path = argv[1];
  const std::size_t rows = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1'000'000;
  if (!std::filesystem::exists(path)) {
    const auto start = std::chrono::steady_clock::now();
    if (!make_history(path, rows)) return EXIT_FAILURE;
    std::printf("made in %.1f s\n", seconds_since(start));
  }
  const auto rules = policy::compile_rules(thirty_rules(), {.symbols = {"FUZZY_DENIED"}});
  if (!rules) {
    std::fprintf(stderr, "%s\n", rules.error().message.c_str());
    return EXIT_FAILURE;
  }
  ActionOptions actions;
  actions.add_header = 5;
  actions.reject = 10;
  const auto start = std::chrono::steady_clock::now();
  const auto report =
      replay::try_rules(path, {}, *rules, actions, [](const storage::WorkDone&) { return true; });
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().message.c_str());
    return EXIT_FAILURE;
  }
  const double taken = seconds_since(start);
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  std::printf("%llu messages tried in %.2f s, %.0f bytes each on disk\n",
              static_cast<unsigned long long>(report->messages.all), taken,
              bytes / static_cast<double>(report->messages.all));
  if (!judge(path, *rules, actions)) return EXIT_FAILURE;
  replay::TrialReport plain = counted_plainly(rows, actions);
  plain.examples = report->examples;
  std::printf("a plain count says %s\n", plain == *report ? "the same" : "OTHERWISE");
  return plain == *report ? EXIT_SUCCESS : EXIT_FAILURE;
}
