#include "milter/learning/model_keeper.h"

#include <sys/wait.h>

#include <condition_variable>
#include <utility>

#include "config/metrics/metric_report.h"
#include "milter/model/model_file.h"

namespace shingled::milter::learning {

namespace {

constexpr pid_t kStarting = -1;

/// Waits as long as the work since the last call asks for.
void rest(const Clock& clock, TimePoint& since, const std::stop_token& stop) {
  const Duration pause = (clock.now() - since) * ModelKeeper::kRestFactor;
  if (pause > Duration::zero()) {
    Mutex nobody_else;
    MutexLock lock(nobody_else);
    std::condition_variable_any stopped;
    stopped.wait_for(lock.as_lock(), stop, pause, [] { return false; });
  }
  since = clock.now();
}

}  // namespace

void ModelKeeper::use(std::shared_ptr<const Settings> settings) {
  {
    auto state = state_.lock();
    state->settings = std::move(settings);
    state->surveyed.reset();
  }
  read(true);
}

void ModelKeeper::start() {
  task_.emplace("model", kLook, [this](const std::stop_token& stop) { look(stop); });
}

void ModelKeeper::look(const std::stop_token& stop) {
  reap();
  read(false);
  survey(stop);
}

void ModelKeeper::read(bool anew) {
  const std::shared_ptr<const Settings> settings = state_.lock()->settings;
  if (settings == nullptr) return;
  const FileStamp model = stamp_of(settings->model.file);
  const FileStamp decision = stamp_of(model::decision_file(settings->model));
  {
    auto state = state_.lock();
    if (!anew && model == state->model && decision == state->decision) return;
    state->model = model;
    state->decision = decision;
  }
  auto opened = model::open_model(settings->model, settings->policy);
  const std::string problem = opened ? "" : opened.error().message;
  state_.lock()->unreadable = problem;
  if (!opened) {
    logger_.error(LogLine("model_unreadable")
                      .field("problem", problem)
                      .field("model", current_->get() == nullptr ? "none" : "unchanged"));
    return;
  }
  const auto before = current_->get();
  current_->set(*opened);
  if (*opened != nullptr && (before == nullptr || before->model.id != (*opened)->model.id ||
                             before->live != (*opened)->live)) {
    logger_.info(LogLine("model_in_force")
                     .field("id", (*opened)->model.id)
                     .field("trees", (*opened)->model.trees.size())
                     .field("mode", (*opened)->live ? "score" : "shadow"));
    state_.lock()->surveyed.reset();
  } else if (*opened == nullptr && before != nullptr) {
    logger_.info(LogLine("model_gone").field("file", settings->model.file));
  }
}

void ModelKeeper::reap() {
  auto state = state_.lock();
  if (state->child == 0 || state->child == kStarting) return;
  int code = 0;
  if (::waitpid(state->child, &code, WNOHANG) == 0) return;
  state->child = 0;
}

void ModelKeeper::survey(const std::stop_token& stop) {
  std::shared_ptr<const Settings> settings;
  {
    auto state = state_.lock();
    settings = state->settings;
    const auto& last = state->surveyed;
    if (settings == nullptr || !settings->history.enabled) return;
    if (last && clock_.now() - *last < kSurveyEvery) return;
    state->surveyed = clock_.now();
  }
  const auto in_force = current_->get();
  const model::ModelDecision decision = model::read_decision(settings->model);
  const bool live = in_force != nullptr && in_force->live;
  TimePoint since = clock_.now();
  auto found = survey_history(*settings, in_force.get(), live ? decision.since : 0, clock_.wall(),
                              [&](const storage::WorkDone&) {
                                rest(clock_, since, stop);
                                return !stop.stop_requested();
                              });
  if (!found) return;
  const model::ModelDecision next = decide(decision, *found, settings->policy, clock_.wall());
  state_.lock()->survey = *std::move(found);
  if (next == decision || in_force == nullptr) return;
  if (Status kept = model::write_decision(settings->model, next); !kept) {
    logger_.error(LogLine("model_promote_failed").field("problem", kept.error().message));
    return;
  }
  logger_.info(LogLine("model_promote").field("state", to_string(next.stage)));
}

ModelStatus ModelKeeper::status() const {
  std::shared_ptr<const Settings> settings;
  ModelStatus out;
  {
    auto state = state_.lock();
    settings = state->settings;
    out.survey = state->survey;
    out.unreadable = state->unreadable;
    out.running = state->child != 0;
  }
  out.settings = settings;
  out.in_force = current_->get();
  out.decision = model::read_decision(settings->model);
  out.last = read_result(settings->model.file);
  out.can_train = !training_program().empty();
  if (const auto before = model::read_model(model::file_before(settings->model.file)))
    out.before = ModelStatus::Before{before->id, before->trained};
  return out;
}

Status ModelKeeper::train() {
  {
    auto state = state_.lock();
    if (state->child != 0) return Error{ErrorCode::kDenied, "a training runs already"};
    state->child = kStarting;
  }
  const auto child = start_training(origin_.file, origin_.overrides);
  state_.lock()->child = child ? *child : 0;
  return child ? Status() : Status(child.error());
}

Status ModelKeeper::roll_back() {
  const std::string file = state_.lock()->settings->model.file;
  auto lock = model::ModelLock::take(file);
  if (!lock) return lock.error();
  if (Status done = model::roll_back(file); !done) return done;
  read(true);
  return {};
}

Status ModelKeeper::set_live(bool live) {
  const auto settings = state_.lock()->settings;
  if (current_->get() == nullptr) return Error{ErrorCode::kNotFound, "there is no model"};
  const model::ModelDecision decision = {
      model::ModelDecision::By::kPerson,
      live ? model::ModelDecision::Stage::kLive : model::ModelDecision::Stage::kShadow,
      clock_.wall().time_since_epoch().count()};
  if (Status kept = model::write_decision(settings->model, decision); !kept) return kept;
  read(true);
  return {};
}

void ModelKeeper::report(MetricReport& report) const {
  const auto in_force = current_->get();
  report.gauge(
      {"shingled_model_trained_timestamp_seconds",
       "When the model in force was trained, in Unix time; 0 = there is none."},
      std::uint64_t{in_force == nullptr ? 0 : static_cast<std::uint64_t>(in_force->model.trained)});
  report.gauge({"shingled_model_live", "Whether the word of the model counts."},
               std::uint64_t{in_force != nullptr && in_force->live ? 1U : 0U});
}

}  // namespace shingled::milter::learning
