#include "milter/api/system/event_resource.h"

#include "milter/api/reply.h"

namespace shingled::milter::api {

http::HttpReply EventResource::listen(const Call& call) const {
  http::HttpReply reply;
  reply.type = "text/event-stream";
  // A proxy would otherwise collect events until it has many.
  reply.headers.emplace_back("X-Accel-Buffering", "no");
  if (call.request.head) return reply;
  const std::string off = messages_off_();
  auto stream = hub_.listen(call.request.caller, off.empty() ? "messages come as they are judged"
                                                             : "no messages: " + off);
  if (!stream) return problem(stream.error());
  reply.events = *std::move(stream);
  return reply;
}

std::vector<Route> EventResource::routes() const {
  return {{http::HttpMethod::kGet,
           "/api/1/events",
           http::Right::kRead,
           Route::Pace::kAtOnce,
           "Messages as they are judged and changes of the state: server-sent events.",
           {},
           "",
           "",
           [this](const Call& call) { return listen(call); },
           "text/event-stream"}};
}

}  // namespace shingled::milter::api
