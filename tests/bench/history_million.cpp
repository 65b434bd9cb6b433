// Makes a history of a million messages, as a site has them, and tries 30 rules on it, as
// `shingled policy try` does. Prints seconds and the bytes of a row.
//
//   history_million FILE [ROWS]      an existing FILE is used as it is
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "milter/cli/history/parallel_trial.h"
#include "milter/history/row_code.h"
#include "milter/policy/parse_condition.h"
#include "storage/sqlite/history_table.h"

using namespace shingled;
using namespace shingled::milter;

namespace {

using storage::counters::Amounts;
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
    Amounts month;
    if (random_() % 2 == 0) {
      const std::uint64_t mass = 1 + 10'000 / (1 + random_() % 10'000);
      month.of(Measure::kMass) = mass;
      month.of(Measure::kRecipients) = mass + mass / 10;
      month.of(Measure::kBytes) = mass * (2000 + random_() % 60'000);
      month.of(spam ? Measure::kSpam : Measure::kHam) = mass - mass / 8;
      if (spam && mass > 20) month.of(Measure::kComplaint) = mass / 20;
    }
    const auto part = [&](std::uint64_t of) {
      Amounts out;
      for (std::size_t i = 0; i < storage::counters::kMeasures; ++i)
        out.counts[i] = month.counts[i] / of;
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

bool make_history(const std::string& path, std::size_t rows) {
  auto table = storage::sqlite::HistoryTable::open(path);
  if (!table) return false;
  std::mt19937_64 random(1);
  std::vector<HistoryRow> batch;
  for (std::size_t i = 0; i < rows; ++i) {
    const history::MessageRecord record = any_message(random);
    batch.push_back(
        {.time = 1'700'000'000'000'000 + static_cast<std::int64_t>(i) * kMicrosecondsApart,
         .queue_id = "4X" + std::to_string(random() % 10'000'000'000),
         .message = random(),
         .sender = random(),
         .action = static_cast<std::uint8_t>(record.score > 5 ? 4 : 0),
         .label = static_cast<std::uint8_t>(random() % 200 == 0 ? 1 + random() % 2 : 0),
         .details = history::encode_record(record)});
    if (batch.size() < kBatch && i + 1 < rows) continue;
    if (!(*table)->write(batch, {})) return false;
    batch.clear();
  }
  return true;
}

std::vector<policy::Rule> thirty_rules() {
  constexpr const char* kTypes[] = {"sender",      "sender_domain", "from",      "client",
                                    "subject",     "text",          "link_host", "helo",
                                    "link_domain", "robust_text"};
  std::vector<policy::Rule> out;
  for (const char* type : kTypes) {
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
      cli::try_rules(path, {}, *rules, actions, [](const storage::WorkDone&) { return true; });
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().message.c_str());
    return EXIT_FAILURE;
  }
  const double taken = seconds_since(start);
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  std::printf("%llu messages tried in %.2f s, %.0f bytes each on disk\n",
              static_cast<unsigned long long>(report->messages.all), taken,
              bytes / static_cast<double>(report->messages.all));
  return EXIT_SUCCESS;
}
