#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/periodic_task.h"
#include "config/base/result.h"
#include "config/options/settings.h"
#include "config/system/whole_file.h"
#include "milter/learning/model_status.h"
#include "milter/learning/survey.h"
#include "milter/model/model_evidence.h"

namespace shingled {
class MetricReport;  // config/metrics/metric_report.h
}

namespace shingled::milter::learning {

/// Where the settings of this daemon come from, for the program that trains.
struct SettingsOrigin {
  std::string file;
  std::vector<std::string> overrides;
};

/// The model of a daemon: takes in a new file by itself, looks once an hour what the history says
/// of it, and starts trainings that somebody wants. A file that cannot be used is logged once and
/// changes nothing: the model before stays.
/// Threads: any thread; one inside after `start`, "model".
/// Cost:    two stat(2) a second; once an hour a pass over two weeks of the history, with rests.
class ModelKeeper {
 public:
  static constexpr std::chrono::seconds kLook{1};
  static constexpr std::chrono::minutes kSurveyEvery{60};
  /// It rests so many times as long as it reads.
  static constexpr int kRestFactor = 3;

  ModelKeeper(const Clock& clock, Logger& logger, SettingsOrigin origin)
      : clock_(clock), logger_(logger), origin_(std::move(origin)) {}
  ~ModelKeeper() { close(); }
  ModelKeeper(const ModelKeeper&) = delete;
  ModelKeeper& operator=(const ModelKeeper&) = delete;
  ModelKeeper(ModelKeeper&&) = delete;
  ModelKeeper& operator=(ModelKeeper&&) = delete;

  /// In force from now on; reads the model.
  void use(std::shared_ptr<const Settings> settings);
  void start();
  /// Ends the thread. A training under way continues.
  void close() { task_.reset(); }
  /// For scanners.
  [[nodiscard]] std::shared_ptr<const model::CurrentModel> current() const { return current_; }

  [[nodiscard]] ModelStatus status() const;
  /// Errors:  kDenied: one runs already; kUnavailable: there is no program, or no file of settings.
  Status train();
  /// Errors:  kNotFound: there is no model before; those of model::roll_back.
  Status roll_back();
  /// A person decides whether the word of the model counts.
  /// Errors:  kNotFound: there is no model; those of model::write_decision.
  Status set_live(bool live);
  void report(MetricReport& report) const;

  /// What the thread does.
  void look(const std::stop_token& stop);

 private:
  struct State {
    std::shared_ptr<const Settings> settings;
    FileStamp model;     ///< of the file that was read
    FileStamp decision;  ///< likewise
    std::string unreadable;
    Survey survey;
    std::optional<TimePoint> surveyed;
    pid_t child = 0;  ///< that trains; 0 = none
  };
  void read(bool anew);
  void reap();
  void survey(const std::stop_token& stop);

  const Clock& clock_;
  Logger& logger_;
  const SettingsOrigin origin_;
  const std::shared_ptr<model::CurrentModel> current_ = std::make_shared<model::CurrentModel>();
  mutable Guarded<State> state_;
  std::optional<PeriodicTask> task_;  ///< last: it uses all of the above
};

}  // namespace shingled::milter::learning
