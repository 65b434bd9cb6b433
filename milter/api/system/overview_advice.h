#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/metrics/metric_report.h"
#include "config/options/settings.h"
#include "config/promotions/decision_file.h"
#include "config/promotions/judgement_file.h"

namespace shingled::milter::api {

/// What a site is like at one moment, as far as advice depends on it.
struct SiteFacts {
  const Settings& settings;
  const MetricReport& metrics;
  const config::Judgements& judgements;
  const config::RuleDecisions& decisions;
  bool settings_good = true;             ///< those that were read last are in force
  bool takes_updates = true;             ///< of the storage
  std::string counters_off = {};         ///< why there are none though they are enabled
  std::string history_off = {};          ///< why there is none
  bool has_people = false;               ///< somebody can sign in
  std::uint64_t open_cases = 0;          ///< that mark or reject mail
  std::vector<std::string> errors = {};  ///< the last lines that a person must look at
};

/// Something that a person should look at.
struct Attention {
  std::string what;  ///< "rule" "case" "disk" "settings" "counters" "history" "error"
  std::string text;
  std::string link = {};  ///< below /api/1; "" = none
  friend bool operator==(const Attention&, const Attention&) = default;
};

/// The gravest first; at most kAttentionMost.
/// Threads: stateless.
std::vector<Attention> attention_of(const SiteFacts& facts);
inline constexpr std::size_t kAttentionMost = 20;

/// A step of the first start.
struct SetupStep {
  std::string step;  ///< "mail" "hashes" "counters" "history" "reports" "people" "live"
  bool done = false;
  std::string command;  ///< that does it; "" = none
  std::string text;     ///< what it is for
};

/// All steps, in the order in which they are useful.
/// Threads: stateless.
std::vector<SetupStep> setup_of(const SiteFacts& facts);

}  // namespace shingled::milter::api
