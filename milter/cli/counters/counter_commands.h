#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/counters/envelope_arguments.h"
#include "milter/desk/counters/counter_client.h"
#include "milter/pieces/piece_choice.h"

namespace shingled::milter::cli {

using storage::counters::Amounts;

// The commands on counters. Each returns its exit code.

struct CounterArguments {
  std::shared_ptr<SettingsArguments> settings;
  bool json = false;
};

/// Which counters: TYPE PIECE..., or the pieces of messages.
struct PieceArguments : CounterArguments {
  pieces::PieceWords words;
  std::string direction;  ///< "in", "out"; empty: both, or "in" where one is needed
  EnvelopeArguments envelope;
};

struct PiecesArguments : CounterArguments {
  MessageArguments messages;
  EnvelopeArguments envelope;
};

/// Prints the pieces of messages, without counters.
int run_counter_pieces(PiecesArguments& arguments, Console& console);

struct ShowArguments : PieceArguments {
  bool names = false;  ///< print each number with its name
};

/// Prints what is counted of pieces or messages. EX_UNAVAILABLE if a counter is not known.
int run_counter_show(ShowArguments& arguments, Console& console);

struct TopArguments : CounterArguments {
  std::string direction;
  std::string type;
  std::string measure = "mass";
  std::string window = "1d";
  bool rising = false;
  std::size_t limit = 20;
};

int run_counter_top(TopArguments& arguments, Console& console);

struct CounterAddArguments : PieceArguments {
  Amounts amounts;
};

int run_counter_add(CounterAddArguments& arguments, Console& console);

struct ForgetArguments : PieceArguments {
  bool dry_run = false;
};

int run_counter_forget(ForgetArguments& arguments, Console& console);

struct CounterExportArguments : CounterArguments {
  std::string file = "-";
  bool force = false;
};

int run_counter_export(CounterExportArguments& arguments, Console& console);

struct CounterImportArguments : CounterArguments {
  std::string file = "-";
  std::uint64_t from_line = 1;
};

int run_counter_import(CounterImportArguments& arguments, Console& console);

struct LearnArguments : CounterArguments {
  std::vector<std::string> spam;
  std::vector<std::string> ham;
  std::string since = "14d";
  std::string direction = "in";
  bool dry_run = false;
};

int run_counter_learn(LearnArguments& arguments, Console& console);

struct CounterVerifyArguments : CounterArguments {
  bool repair = false;
};

int run_counter_verify(CounterVerifyArguments& arguments, Console& console);
int run_counter_stat(CounterArguments& arguments, Console& console);

}  // namespace shingled::milter::cli
