#pragma once

#include <memory>
#include <string>
#include <utility>

#include "config/base/current.h"
#include "config/options/milter_options.h"
#include "config/options/policy_options.h"
#include "milter/history/message_record.h"
#include "milter/model/evaluator.h"
#include "milter/model/model.h"
#include "milter/rules/evidence.h"
#include "milter/rules/facts.h"
#include "milter/rules/model_word.h"

namespace shingled::milter::model {

/// Its evidence depends on counters, so that a verdict does not feed itself.
inline constexpr rules::Source kModelSource = {
    .key = "model", .title = "model", .from_counters = true};

/// A model in force.
/// Threads: immutable.
struct ModelInForce {
  ModelInForce(Model given, const PolicyModelOptions& options, bool is_live)
      : model(std::move(given)),
        score_max(options.score_max),
        live(is_live),
        trees(model, Scale::of(model, options.score_max)) {}

  Model model;
  double score_max;
  bool live;
  Evaluator trees;
};
/// Null: no model has a word.
using CurrentModel = Current<const ModelInForce>;

/// How far a model may go with a message that others give this score: at most `score_max`, and it
/// never makes more of a message than a mark which would not be marked without it. Never negative.
double most_of(double score_of_others, double score_max, const ActionOptions& actions);

/// How far it may speak for such a message: at most half of `score_max`, and it takes back no mark
/// that others make. Never positive.
double least_of(double score_of_others, double score_max, const ActionOptions& actions);

/// What the model says of a message: no more than most_of(), no less than least_of().
rules::ModelWord word_of(const ModelInForce& in_force, const Vector& vector, double score_of_others,
                         const ActionOptions& actions);
/// Of a row of the history.
rules::ModelWord word_of(const ModelInForce& in_force, const history::MessageRecord& record,
                         const ActionOptions& actions);

/// "MODEL +2.31: phrase.complainers in 14d 2 (+1.20), ...": the strongest contributions.
std::string word_text(const rules::ModelWord& word);

/// Lets the model have its word on a message, after everybody else. Sets `facts.model`.
/// Cost: some 20 us.
rules::Findings model_findings(const ModelInForce& in_force, const ActionOptions& actions,
                               rules::Facts& facts);

}  // namespace shingled::milter::model
