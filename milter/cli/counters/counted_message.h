#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "config/options/counter_options.h"
#include "config/options/settings.h"
#include "milter/counters/message_pieces.h"

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
  /// The options of the settings, and the servers named on the command line.
  [[nodiscard]] PieceOptions piece_options(const PieceOptions& configured) const;
};

/// The pieces of a message as the milter counts them, and how many met a bound. `options`: those of
/// the settings, maybe with more servers.
/// Threads: stateless.
counters::MessagePieces pieces_of(std::string_view bytes, const counters::Envelope& envelope,
                                  const PieceOptions& options, const Settings& settings);

}  // namespace shingled::milter::cli
