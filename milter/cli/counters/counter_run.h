#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/counters/counter_commands.h"
#include "milter/desk/counters/counter_client.h"
#include "milter/desk/counters/counter_desk.h"

namespace shingled::milter::cli {

using storage::counters::Direction;

/// What the commands on counters have in common: the settings, the counters, words about failures.
/// Threads: one thread.
class CounterRun {
 public:
  explicit CounterRun(Console& console) : console_(console) {}

  /// Loads the settings; EX_OK, or EX_CONFIG with the reasons told.
  int open(const CounterArguments& arguments);
  [[nodiscard]] const Settings& settings() const { return *settings_; }
  [[nodiscard]] desk::CounterClient& client() { return *client_; }
  [[nodiscard]] Console& console() { return console_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }

  /// Says why a command failed and gives its exit code: of the counters,
  int failed(const Error& error);
  /// and of the command line.
  int wrong_usage(std::string_view what, std::string_view why);

  /// The directions that "", "in" and "out" mean.
  static std::vector<Direction> directions_of(const std::string& name);

  /// Calls `work` with the pieces that the words name, which have a type in front, or with those of
  /// each message that they name. Notes are printed before. Returns the worst exit code.
  using PieceWork =
      std::function<int(const std::string& title, const std::vector<pieces::ChosenPiece>& pieces)>;
  int for_each_choice(PieceArguments& arguments, const PieceWork& work);

 private:
  Console& console_;
  SystemClock clock_;
  SystemRandom random_;
  std::shared_ptr<const Settings> settings_;
  std::unique_ptr<desk::CounterDesk> desk_;
  std::unique_ptr<desk::CounterClient> client_;
};

}  // namespace shingled::milter::cli
