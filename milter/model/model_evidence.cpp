#include "milter/model/model_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "milter/rules/verdict.h"

namespace shingled::milter::model {

namespace {

constexpr std::size_t kShownMax = 6;
/// As the parts of a score: so sums stay exact (evaluator.h).
constexpr double kStep = 4294967296.0;
constexpr double kBelow = 0.01;
/// How much of `score_max` may speak for a message. Senders of mail that nobody reports, to
/// mailboxes of their own, too, teach that their mail is wanted: with all of it, they would buy
/// themselves free of what people report later.
constexpr double kForShare = 0.5;

double rounded_down(double value) { return std::floor(value * kStep) / kStep; }
double rounded_up(double value) { return std::ceil(value * kStep) / kStep; }

std::string value_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "unknown";
}

std::string contribution_text(const rules::ModelWord::Contribution& item) {
  if (item.feature == "base" || item.feature == "limit")
    return fmt::format("{} ({:+.2f})", item.feature, item.score);
  return fmt::format("{} {} ({:+.2f})", item.feature, value_text(item.value), item.score);
}

rules::Explanation explanation_of(const rules::ModelWord& word) {
  rules::Explanation out;
  out.log = word_text(word);
  out.header = out.log;
  out.arithmetic = (word.shadow ? "in shadow, does not count: " : "") + out.log;
  out.details = {{"symbol", std::string(kModelSymbol)},
                 {"score", word.score},
                 {"shadow", word.shadow},
                 {"id", word.id},
                 {"why", out.log}};
  out.rows = {{"model", fmt::format("{:+.2f}{}", word.score, word.shadow ? ", in shadow" : "")}};
  for (std::size_t i = 0; i < std::min(word.contributions.size(), 2 * kShownMax); ++i) {
    const auto& item = word.contributions[i];
    out.rows.emplace_back(std::string(item.feature),
                          fmt::format("{} ({:+.2f})", value_text(item.value), item.score));
  }
  return out;
}

}  // namespace

double most_of(double score_of_others, double score_max, const ActionOptions& actions) {
  if (actions.add_header && score_of_others >= *actions.add_header) return score_max;
  double most = score_max;
  for (const auto& threshold :
       {actions.tempfail, actions.quarantine, actions.reject, actions.discard}) {
    // What others reach by themselves is not the model's doing.
    if (threshold && *threshold > score_of_others)
      most = std::min(most, *threshold - score_of_others - kBelow);
  }
  return std::max(most, 0.0);
}

double least_of(double score_of_others, double score_max, const ActionOptions& actions) {
  double least = -kForShare * score_max;
  if (actions.add_header && score_of_others >= *actions.add_header)
    least = std::max(least, *actions.add_header - score_of_others);
  return std::min(least, 0.0);
}

rules::ModelWord word_of(const ModelInForce& in_force, const Vector& vector, double score_of_others,
                         const ActionOptions& actions) {
  const Explained found = in_force.trees.explain(vector);
  rules::ModelWord out;
  out.shadow = !in_force.live;
  out.id = in_force.model.id;
  out.contributions.reserve(found.shares.size() + 2);
  for (const Share& share : found.shares) {
    auto& item = out.contributions.emplace_back();
    item.feature = columns()[share.column].name;
    if (!std::isnan(vector[share.column])) item.value = vector[share.column];
    item.score = share.score;
  }
  if (found.base != 0) out.contributions.push_back({"base", {}, found.base});
  const double least = rounded_up(least_of(score_of_others, in_force.score_max, actions));
  const double most = rounded_down(most_of(score_of_others, in_force.score_max, actions));
  out.score = std::clamp(found.score, least, most);
  if (out.score != found.score) out.contributions.push_back({"limit", {}, out.score - found.score});
  std::ranges::stable_sort(out.contributions, std::greater<>(),
                           [](const auto& item) { return std::abs(item.score); });
  return out;
}

rules::ModelWord word_of(const ModelInForce& in_force, const history::MessageRecord& record,
                         const ActionOptions& actions) {
  return word_of(in_force, vector_of(record), score_of_others(record), actions);
}

std::string word_text(const rules::ModelWord& word) {
  std::string out = fmt::format("{} {:+.2f}", kModelSymbol, word.score);
  std::size_t shown = 0;
  for (const auto& item : word.contributions) {
    if (shown == kShownMax) break;
    out += (shown++ == 0 ? ": " : ", ") + contribution_text(item);
  }
  if (word.contributions.size() > shown)
    out += fmt::format(", {} more", word.contributions.size() - shown);
  return out;
}

rules::Findings model_findings(const ModelInForce& in_force, const ActionOptions& actions,
                               rules::Facts& facts) {
  const double others = rules::score_of(facts);
  const auto word = std::make_shared<const rules::ModelWord>(
      word_of(in_force, vector_of(facts), others, actions));
  facts.model = word;
  rules::Findings out;
  out.source = &kModelSource;
  out.asked = in_force.model.trees.size();
  rules::Evidence& item = out.evidence.emplace_back();
  item.symbol = kModelSymbol;
  item.score = word->score;
  if (word->shadow) item.effect = rules::Evidence::Effect::kTried;
  item.explanation = [word] { return explanation_of(*word); };
  return out;
}

}  // namespace shingled::milter::model
