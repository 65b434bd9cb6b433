#include "milter/boosting/train_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "milter/boosting/booster.h"
#include "milter/learning/figures.h"
#include "milter/model/columns.h"
#include "milter/model/import_model.h"

namespace shingled::milter::boosting {

namespace {

using learning::Scored;
using learning::TaughtMessage;

constexpr int kUsualRounds = 60;
constexpr double kSpanLeast = 1;  ///< between a margin that counts nothing and one that counts all

std::vector<std::size_t> columns_used(const std::vector<std::string>& off) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < model::columns().size(); ++i) {
    const std::string& name = model::columns()[i].name;
    const bool left_out = std::ranges::any_of(
        off, [&](const std::string& feature) { return model::stands_for(feature, name); });
    if (!left_out) out.push_back(i);
  }
  return out;
}

/// Bad and wanted mail weigh the same as a whole, and a message 1 on average: else ten times the
/// weight of people, who report far more than they rescue, would make everything likely to be bad,
/// and leaves of a single message.
std::vector<float> balanced(std::span<const TaughtMessage> messages) {
  std::array<double, 2> sums{};
  for (const TaughtMessage& message : messages) sums[message.bad ? 1 : 0] += message.weight;
  const double half = static_cast<double>(messages.size()) / 2;
  std::vector<float> out;
  out.reserve(messages.size());
  for (const TaughtMessage& message : messages)
    out.push_back(static_cast<float>(message.weight * half / sums[message.bad ? 1 : 0]));
  return out;
}

Matrix matrix_of(std::span<const TaughtMessage> messages, const std::vector<std::size_t>& columns) {
  Matrix out;
  out.columns = columns.size();
  out.values.reserve(messages.size() * columns.size());
  for (const TaughtMessage& message : messages) {
    for (const std::size_t column : columns) out.values.push_back(message.vector[column]);
    out.labels.push_back(message.bad ? 1 : 0);
  }
  out.weights = balanced(messages);
  return out;
}

bool has_both(std::span<const TaughtMessage> messages) {
  const auto bad = std::ranges::count(messages, true, &TaughtMessage::bad);
  return bad > 0 && static_cast<std::size_t>(bad) < messages.size();
}

BoostOptions options_for(const std::vector<std::size_t>& columns, std::uint32_t seed) {
  BoostOptions out;
  out.seed = seed;
  for (const std::size_t column : columns) {
    out.names.push_back(model::columns()[column].name);
    out.directions.push_back(model::columns()[column].direction);
  }
  return out;
}

std::vector<Scored> scored(const std::vector<float>& margins, const Matrix& messages) {
  std::vector<Scored> out;
  for (std::size_t i = 0; i < margins.size(); ++i)
    out.push_back({margins[i], messages.labels[i] > 0, messages.weights[i]});
  return out;
}

void set_scale(const std::vector<Scored>& margins, model::Model& out) {
  // Not the margin of the highest wanted message: one bad message that nobody reported would set
  // it.
  const learning::Calibration chance = learning::calibrate(margins);
  out.zero = chance.even;
  out.full = out.zero + std::max(std::log(model::kFullOdds) / chance.slope, kSpanLeast);
  double all = 0;
  for (const Scored& one : margins) {
    out.scores[model::part_of_score((one.score - out.zero) / (out.full - out.zero))] += one.weight;
    all += one.weight;
  }
  for (double& share : out.scores) share = all > 0 ? share / all : 0;
}

void set_unknown(std::span<const TaughtMessage> messages, model::Model& out) {
  for (model::ModelFeature& feature : out.features) {
    const std::size_t column = model::find_column(feature.name).value_or(0);
    const auto unknown = std::ranges::count_if(
        messages, [&](const TaughtMessage& message) { return std::isnan(message.vector[column]); });
    feature.unknown = static_cast<double>(unknown) / static_cast<double>(messages.size());
  }
}

}  // namespace

Result<model::Model> train_model(std::span<const TaughtMessage> messages,
                                 const TrainOptions& options) {
  if (!has_both(messages))
    return Error{ErrorCode::kInvalid, "all messages are bad, or all are wanted"};
  const std::vector<std::size_t> columns = columns_used(options.features_off);
  BoostOptions boosting = options_for(columns, options.seed);
  const std::size_t last = messages.size() * 4 / 5;
  const auto early = messages.first(last);
  const auto late = messages.subspan(last);
  std::vector<Scored> margins;
  if (has_both(early) && has_both(late)) {
    const Matrix judge = matrix_of(late, columns);
    const auto first = boost(matrix_of(early, columns), &judge, boosting);
    if (!first) return first.error();
    boosting.rounds_max = std::max(first->rounds, 1);
    margins = scored(first->margins, judge);
  } else {
    boosting.rounds_max = kUsualRounds;
  }
  const Matrix all = matrix_of(messages, columns);
  const auto whole = boost(all, nullptr, boosting);
  if (!whole) return whole.error();
  auto out = model::import_xgboost(whole->json);
  if (!out) return out.error();
  out->trainer = booster_name();
  if (!margins.empty()) set_scale(margins, *out);
  set_unknown(messages, *out);
  return out;
}

model::Figures figures_of(const model::ModelInForce& in_force, const model::ModelInForce* before,
                          std::span<const TaughtMessage> messages, const ActionOptions& actions) {
  std::vector<Scored> rules;
  std::vector<Scored> model;
  std::vector<Scored> both;
  std::vector<Scored> old;
  model::Figures out;
  const auto word = [&](const model::ModelInForce& of, const TaughtMessage& message) {
    return model::word_of(of, message.vector, message.others, actions).score;
  };
  for (const TaughtMessage& message : messages) {
    const double weight = message.weight;
    ++(message.bad ? out.bad : out.wanted);
    rules.push_back({message.others, message.bad, weight});
    model.push_back({in_force.trees.score(message.vector), message.bad, weight});
    both.push_back({message.others + word(in_force, message), message.bad, weight});
    if (before != nullptr)
      old.push_back({message.others + word(*before, message), message.bad, weight});
  }
  out.rules = learning::recall_of(rules);
  out.model = learning::recall_of(model);
  out.both = learning::recall_of(both);
  out.has_before = before != nullptr;
  if (before != nullptr) out.before = learning::recall_of(old);
  out.calibration_error = learning::calibration_error(model, learning::calibrate(model));
  return out;
}

}  // namespace shingled::milter::boosting
