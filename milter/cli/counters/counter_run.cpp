#include "milter/cli/counters/counter_run.h"

#include <fmt/format.h>
#include <sysexits.h>
#include <unistd.h>

#include <algorithm>

#include "milter/cli/access/printing.h"
#include "milter/judge/message/message_view.h"

namespace shingled::milter::cli {

int CounterRun::open(const CounterArguments& arguments) {
  settings_ = arguments.settings->load(console_);
  if (settings_ == nullptr) return EX_CONFIG;
  desk_ = std::make_unique<desk::CounterDesk>(*settings_, clock_, random_);
  client_ = std::make_unique<desk::CounterClient>(*desk_);
  return EX_OK;
}

int CounterRun::failed(const Error& error) {
  console_.error("counters", error.message);
  return service_exit_code(error);
}

int CounterRun::wrong_usage(std::string_view what, std::string_view why) {
  console_.error(what, why);
  return EX_USAGE;
}

std::vector<Direction> CounterRun::directions_of(const std::string& name) {
  if (name.empty()) return {Direction::kIn, Direction::kOut};
  return {name == to_string(Direction::kOut) ? Direction::kOut : Direction::kIn};
}

int CounterRun::for_each_choice(PieceArguments& arguments, const PieceWork& work) {
  if (Status ready = arguments.envelope.finish(); !ready) {
    return wrong_usage("--client", ready.error().message);
  }
  auto& words = arguments.words.words;
  if (pieces::names_type(arguments.words)) {
    const auto choice = pieces::choose_pieces(arguments.words);
    if (!choice) return wrong_usage("counters", choice.error().message);
    for (const std::string& note : choice->notes) console_.note(terminal_safe(note));
    return work("", choice->pieces);
  }
  if (!arguments.words.shingle.empty()) {
    return wrong_usage("--shingle", "needs a type in front: TYPE --shingle HEX");
  }
  for (const std::string& word : words) {
    if (word == "-" || ::access(word.c_str(), F_OK) == 0) continue;
    console_.error(word, "neither a type of pieces nor a file" + pieces::meant_type(word));
    return EX_NOINPUT;
  }
  const judge::ViewPlan plan = arguments.envelope.plan_of(*settings_);
  return for_each_message(
      {.names = words}, {.message_bytes_max = settings_->milter.message_bytes_max}, console_,
      [&](const input::SourceMessage& message) {
        const auto found = judge::pieces_of(message.bytes, plan, arguments.envelope.envelope);
        return work(message.name, pieces::with_uniques(found.pieces));
      });
}

}  // namespace shingled::milter::cli
