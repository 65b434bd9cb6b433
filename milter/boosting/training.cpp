#include "milter/boosting/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include "config/system/whole_file.h"
#include "milter/boosting/train_model.h"
#include "milter/model/model_file.h"

namespace shingled::milter::boosting {

namespace {

using learning::Sample;
using learning::TaughtMessage;
using learning::TrainingResult;
using Kind = learning::TrainingResult::Kind;

// Fewer of the last fifth say nothing of a model.
constexpr std::int64_t kHeldBad = 20;
constexpr std::int64_t kHeldWanted = 50;
constexpr double kSecond = 1e6;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// Why a model must not be published; empty if it may.
std::string worse(const model::Figures& figures) {
  const double both = figures.both.at_thousandth;
  if (both < figures.rules.at_thousandth)
    return fmt::format(
        "with it {} of the bad mail is found at one in a thousand wanted messages, "
        "with the rules alone {}",
        percent(both), percent(figures.rules.at_thousandth));
  if (figures.has_before && both < figures.before.at_thousandth)
    return fmt::format(
        "with it {} of the bad mail is found at one in a thousand wanted messages, "
        "with the model before it {}",
        percent(both), percent(figures.before.at_thousandth));
  return {};
}

Result<Sample> read(const Settings& settings, const TrainingOptions& options, const Clock& clock,
                    const learning::SampleOptions& sample, const storage::Watcher& watcher) {
  const auto span = replay::span_of(options.span, clock.wall());
  if (!span) return span.error();
  const std::string& file = options.history.empty() ? settings.history.file : options.history;
  return learning::take_sample(file, *span, settings.milter.actions, sample, watcher);
}

std::shared_ptr<const model::ModelInForce> model_before(const std::string& file,
                                                        const PolicyModelOptions& options) {
  auto read = model::read_model(file);
  if (!read) return nullptr;
  return std::make_shared<const model::ModelInForce>(*std::move(read), options, true);
}

void describe(const Sample& sample, std::int64_t now, model::Model& out) {
  out.trained = now;
  out.from = {static_cast<std::int64_t>(static_cast<double>(sample.first) / kSecond),
              static_cast<std::int64_t>(static_cast<double>(sample.last) / kSecond),
              sample.bad,
              sample.wanted,
              sample.reported,
              sample.rescued,
              sample.left_out};
}

TrainingResult train_and_publish(const Settings& settings, const TrainingOptions& options,
                                 const std::string& file, const Clock& clock,
                                 const storage::Watcher& watcher) {
  auto sample = read(settings, options, clock, {}, watcher);
  if (!sample) return {Kind::kFailed, sample.error().message};
  const auto missing =
      learning::missing_of(sample->bad, sample->wanted, sample->first, sample->last);
  if (missing.any())
    return {Kind::kRefused,
            "too few messages: " + learning::missing_text(sample->bad, sample->wanted, missing)};
  const std::span<const TaughtMessage> all = sample->messages;
  const auto early = all.first(all.size() * 4 / 5);
  const auto held = all.subspan(early.size());
  const auto bad = std::ranges::count(held, true, &TaughtMessage::bad);
  if (bad < kHeldBad || std::ssize(held) - bad < kHeldWanted)
    return {Kind::kRefused,
            fmt::format("the last fifth of the messages has {} bad and {} wanted ones; {} and {} "
                        "are needed to judge a model",
                        bad, std::ssize(held) - bad, kHeldBad, kHeldWanted)};
  auto trained = train_model(early, {settings.model.features_off, options.seed});
  if (!trained) return {Kind::kFailed, trained.error().message};
  describe(*sample, clock.wall().time_since_epoch().count(), *trained);
  const auto before = model_before(file, settings.policy.model);
  PolicyModelOptions word = settings.policy.model;
  if (word.score_max == 0) word = {};
  const model::ModelInForce fresh(*trained, word, true);
  trained->figures = figures_of(fresh, before.get(), held, settings.milter.actions);
  trained->has_figures = true;
  const model::Figures& figures = trained->figures;
  if (std::string why = worse(figures); !why.empty())
    return {Kind::kRefused, "it is worse: " + why};
  if (Status put = model::publish_model(file, *trained); !put)
    return {Kind::kFailed, put.error().message};
  return {Kind::kPublished,
          fmt::format("{} of the bad mail at no wanted message, the rules alone {}; of {} bad and "
                      "{} wanted messages, {} of them alike reported ones{}",
                      percent(figures.both.at_none), percent(figures.rules.at_none), sample->bad,
                      sample->wanted, sample->alike,
                      sample->left_out == 0 ? "" : fmt::format(", {} left out", sample->left_out))};
}

}  // namespace

TrainingResult run_training(const Settings& settings, const TrainingOptions& options,
                            const Clock& clock, const storage::Watcher& watcher) {
  const std::string& file = options.out.empty() ? settings.model.file : options.out;
  if (file.empty()) return {Kind::kFailed, "model.file is empty: there is no place for a model"};
  auto lock = model::ModelLock::take(file);
  if (!lock) return {Kind::kFailed, lock.error().message};
  TrainingResult out = train_and_publish(settings, options, file, clock, watcher);
  out.time = clock.wall().time_since_epoch().count();
  if (Status kept = learning::write_result(file, out); !kept && out.kind == Kind::kPublished)
    out.text += "; the result is not kept: " + kept.error().message;
  return out;
}

namespace {

struct Trial {
  learning::GivenLabels labels;
  std::set<std::string> tested;
};

Result<Trial> read_labels(const std::string& file) {
  constexpr std::size_t kBytesMax = std::size_t{64} << 20U;
  const auto text = read_whole_file(file, kBytesMax);
  if (!text) return text.error();
  Trial out;
  std::istringstream lines(text->text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string id;
    std::string label;
    std::string part;
    float weight = 1;
    words >> id >> label >> part;
    if (!(words >> weight)) weight = 1;
    if ((label != "bad" && label != "wanted" && label != "own") ||
        (part != "train" && part != "test"))
      return Error{ErrorCode::kInvalid, fmt::format("{}:{}: not such a line", file, number)};
    out.labels[id] = {label == "bad", weight, label == "own"};
    if (part == "test") out.tested.insert(id);
  }
  return out;
}

}  // namespace

Result<std::string> run_trial(const Settings& settings, const TrainingOptions& options,
                              const std::string& file, const storage::Watcher& watcher) {
  const auto trial = read_labels(file);
  if (!trial) return trial.error();
  learning::SampleOptions sampling;
  sampling.messages_max = 1'000'000;
  sampling.given = &trial->labels;
  auto sample =
      learning::take_sample(options.history, {}, settings.milter.actions, sampling, watcher);
  if (!sample) return sample.error();
  std::vector<TaughtMessage> tested;
  std::vector<TaughtMessage> taught;
  for (TaughtMessage& message : sample->messages)
    (trial->tested.contains(message.queue_id) ? tested : taught).push_back(std::move(message));
  const auto trained = train_model(taught, {settings.model.features_off, options.seed});
  if (!trained) return trained.error();
  const model::ModelInForce in_force(*trained, settings.policy.model, true);
  std::string out;
  for (const TaughtMessage& message : tested) {
    const auto word =
        model::word_of(in_force, message.vector, message.others, settings.milter.actions);
    out += fmt::format(R"({{"id":"{}","bad":{},"rules":{},"model":{},"word":{}}})"
                       "\n",
                       message.queue_id, message.bad, message.others,
                       in_force.trees.score(message.vector), word.score);
  }
  std::vector<model::ModelFeature> features = trained->features;
  std::ranges::sort(features, std::greater<>(), &model::ModelFeature::gain);
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(features.size(), 25); ++i)
    list +=
        fmt::format(R"({}["{}",{:.4f}])", i == 0 ? "" : ",", features[i].name, features[i].gain);
  out += fmt::format(R"({{"trees":{},"taught":{},"features":[{}]}})"
                     "\n",
                     trained->trees.size(), taught.size(), list);
  return out;
}

}  // namespace shingled::milter::boosting
