#pragma once

#include <memory>
#include <vector>

#include "config/base/guarded.h"
#include "milter/http/connection_deadlines.h"
#include "milter/http/event_stream.h"
#include "milter/http/http_message.h"

struct MHD_Connection;
struct MHD_Response;

namespace shingled::milter::http {

/// The streams of events of a server, which end with it: the library wants no connection parked
/// then.
/// Threads: any thread.
class OpenStreams {
 public:
  /// A stream that begins after `end` has ended at once.
  void add(const std::shared_ptr<EventStream>& stream);
  void end();

 private:
  struct State {
    bool ending = false;
    std::vector<std::weak_ptr<EventStream>> streams;
  };
  Guarded<State> state_;
};

/// A reply that is made while it is sent: by a producer, or as events come. In pieces of the length
/// that the connection has room for. Null without memory.
///
/// The time of a connection (`deadlines`) begins again with each piece that the client took; while
/// events are awaited it does not run.
/// Threads: that of the connection.
MHD_Response* streamed_response(MHD_Connection* connection, int socket, HttpReply& reply,
                                ConnectionDeadlines& deadlines, OpenStreams& streams);

}  // namespace shingled::milter::http
