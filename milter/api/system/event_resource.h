#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "milter/api/route.h"
#include "milter/api/system/event_hub.h"

namespace shingled::milter::api {

/// The stream of events (API.md, "Events").
///
///   GET /api/1/events    server-sent events, until the reader goes
///
/// Threads: any thread.
class EventResource {
 public:
  /// `messages_off`: why no messages come; "" if they do. `hub` must outlive it.
  EventResource(EventHub& hub, std::function<std::string()> messages_off)
      : hub_(hub), messages_off_(std::move(messages_off)) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  [[nodiscard]] http::HttpReply listen(const Call& call) const;

  EventHub& hub_;
  const std::function<std::string()> messages_off_;
};

}  // namespace shingled::milter::api
