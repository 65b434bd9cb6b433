#include "milter/desk/counters/counter_desk.h"

#include <optional>

#include "milter/api/reply.h"
#include "milter/desk/counters/counter_folder.h"
#include "milter/desk/daemon_choice.h"

namespace shingled::milter::desk {

namespace {
constexpr unsigned kDone = 200;
}  // namespace

CounterDesk::CounterDesk(const Settings& settings, Clock& clock, Random& random)
    : settings_(settings), clock_(clock), random_(random) {}
CounterDesk::~CounterDesk() = default;

bool CounterDesk::has_counters() const {
  return settings_.counters.shared.enabled() ||
         CounterFolder::exists(settings_.counters.embedded.directory);
}

Status CounterDesk::send(const http::HttpCall& call, Duration patience,
                         const http::HttpTaker& take) {
  if (folder_ != nullptr) return ask_folder(call, take);
  std::optional<Error> fault;  // of `take`, not of the daemon
  const auto reply = daemon_of(settings_, clock_).ask(call, patience, [&](std::string_view piece) {
    Status taken = take(piece);
    if (!taken) fault = taken.error();
    return taken;
  });
  if (fault) return *fault;
  if (reply) return reply->status == kDone ? Status() : Status(api::error_of(*reply));
  // Does not create the folder: a daemon that never ran has no counters.
  const bool nobody = reply.error().code == ErrorCode::kUnavailable;
  return nobody && has_counters() && !asks_another_machine(settings_) ? ask_folder(call, take)
                                                                      : Status(reply.error());
}

Status CounterDesk::ask_folder(const http::HttpCall& call, const http::HttpTaker& take) {
  if (folder_ == nullptr) {
    auto opened = CounterFolder::open(settings_.counters, clock_, random_);
    if (!opened) return opened.error();
    folder_ = *std::move(opened);
  }
  return folder_->answer(call, take);
}

}  // namespace shingled::milter::desk
