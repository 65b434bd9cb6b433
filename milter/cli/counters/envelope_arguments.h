#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/counters/envelope.h"
#include "milter/judge/message/message_view.h"

namespace shingled::milter::cli {

/// The envelope of messages in files, as the options of a command give it.
struct EnvelopeArguments {
  counters::Envelope envelope;
  std::string client;
  std::vector<std::string> authserv_ids;

  void add_to(CLI::App& command);
  /// Reads --client into the envelope.
  /// Errors: kInvalid; wrong usage.
  Status finish();
  /// The settings, which also believe the servers that the command line names.
  [[nodiscard]] Settings believing(const Settings& settings) const;
  /// How messages are read for the counters by these.
  [[nodiscard]] judge::ViewPlan plan_of(const Settings& settings) const;
};

}  // namespace shingled::milter::cli
