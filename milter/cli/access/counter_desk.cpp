#include "milter/cli/access/counter_desk.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "config/system/connect_socket.h"
#include "milter/cli/access/counter_folder.h"

namespace shingled::milter::cli {

namespace {

constexpr unsigned kDone = 200;

ErrorCode code_of(unsigned status) {
  switch (status) {
    case 400:
      return ErrorCode::kInvalid;
    case 401:
    case 403:
      return ErrorCode::kDenied;
    case 404:
      return ErrorCode::kNotFound;
    case 414:  // what is asked, or its head, is too long: it will not become shorter
    case 431:
      return ErrorCode::kInvalid;
    case 413:
      return ErrorCode::kLimit;
    default:
      return ErrorCode::kUnavailable;
  }
}

}  // namespace

Error error_of(const http::HttpReply& reply) {
  const auto json = nlohmann::json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  const bool told = json.is_object() && json.contains("error") && json["error"].is_string();
  std::string why =
      told ? json["error"].get<std::string>() : reply.body.substr(0, reply.body.find('\n'));
  if (why.empty()) why = "HTTP status " + std::to_string(reply.status);
  return {code_of(reply.status), std::move(why)};
}

CounterDesk::CounterDesk(const Settings& settings, Clock& clock, Random& random)
    : settings_(settings), clock_(clock), random_(random) {}
CounterDesk::~CounterDesk() = default;

bool CounterDesk::has_counters() const {
  return settings_.counters.shared.enabled() ||
         CounterFolder::exists(settings_.counters.embedded.directory);
}

Status CounterDesk::send(const http::HttpCall& call, Duration patience,
                         const http::HttpTaker& take) {
  const bool opened = folder_ != nullptr;
  std::optional<Error> fault;  // of `take`, not of the daemon
  const http::HttpTaker note_and_take = [&](std::string_view piece) {
    Status taken = take(piece);
    if (!taken) fault = taken.error();
    return taken;
  };
  auto reply = opened ? ask_folder(call, take) : ask_daemon(call, patience, note_and_take);
  if (fault) return *fault;
  if (!opened && !reply && reply.error().code == ErrorCode::kUnavailable) {
    // Does not create the folder: a daemon that never ran has no counters.
    const bool exists = settings_.counters.shared.enabled() ||
                        CounterFolder::exists(settings_.counters.embedded.directory);
    if (!exists) return reply.error();
    reply = ask_folder(call, take);
  }
  if (!reply) return reply.error();
  return reply->status == kDone ? Status() : Status(error_of(*reply));
}

Result<http::HttpReply> CounterDesk::ask_daemon(const http::HttpCall& call, Duration patience,
                                                const http::HttpTaker& take) {
  if (settings_.status.listen.empty()) {
    return Error{ErrorCode::kUnavailable,
                 "no daemon can be asked, as status.listen is empty, and there is no folder " +
                     settings_.counters.embedded.directory};
  }
  const SocketSpec daemon = spec_to_connect(settings_.status.listen.front());
  auto reply = http::http_call(daemon, call, clock_, patience, take);
  // The fault is not that of the question.
  if (!reply && reply.error().code == ErrorCode::kInvalid) {
    return Error{ErrorCode::kCorrupt, reply.error().message};
  }
  return reply;
}

Result<http::HttpReply> CounterDesk::ask_folder(const http::HttpCall& call,
                                                const http::HttpTaker& take) {
  if (folder_ == nullptr) {
    auto opened = CounterFolder::open(settings_.counters, clock_, random_);
    if (!opened) return opened.error();
    folder_ = *std::move(opened);
  }
  return folder_->answer(call, take);
}

}  // namespace shingled::milter::cli
