#include "milter/http/streamed_response.h"

#include <microhttpd.h>
#include <poll.h>
#include <sys/types.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace shingled::milter::http {

namespace {

constexpr std::size_t kPieceBytes = 64UL * 1024;

/// What is sent next.
class Stream {
 public:
  Stream(HttpProducer more, std::string first, MHD_Connection* connection, int socket,
         ConnectionDeadlines& deadlines)
      : more_(std::move(more)),
        piece_(std::move(first)),
        connection_(connection),
        socket_(socket),
        deadlines_(deadlines) {}
  ~Stream() {
    if (events_ != nullptr) events_->detach();
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Stream(Stream&&) = delete;
  Stream& operator=(Stream&&) = delete;

  void read_events(std::shared_ptr<EventStream> events) {
    events_ = std::move(events);
    events_->attach(
        [this] {
          deadlines_.opened(socket_);
          MHD_resume_connection(connection_);
        },
        [this] {
          pollfd closed{.fd = socket_, .events = POLLRDHUP, .revents = 0};
          return ::poll(&closed, 1, 0) > 0;
        });
  }

  ssize_t read(char* out, std::size_t most) {
    deadlines_.renewed(socket_);  // the client took what came before
    if (sent_ == piece_.size()) {
      auto next = events_ != nullptr ? next_event() : next_piece();
      if (!next) return end_;
      if (next->empty()) return 0;  // parked
      piece_ = *std::move(next);
      sent_ = 0;
    }
    const std::size_t bytes = std::min(most, piece_.size() - sent_);
    std::memcpy(out, piece_.data() + sent_, bytes);
    sent_ += bytes;
    return static_cast<ssize_t>(bytes);
  }

 private:
  std::optional<std::string> next_piece() {
    auto next = more_();
    end_ = next ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
    if (!next || next->empty()) return std::nullopt;
    return *std::move(next);
  }
  std::optional<std::string> next_event() {
    return events_->take([this] {
      deadlines_.closed(socket_);
      MHD_suspend_connection(connection_);
    });
  }

  HttpProducer more_;
  std::shared_ptr<EventStream> events_;
  std::string piece_;
  std::size_t sent_ = 0;  ///< bytes of `piece_`
  ssize_t end_ = MHD_CONTENT_READER_END_OF_STREAM;
  MHD_Connection* connection_;
  int socket_;
  ConnectionDeadlines& deadlines_;
};

ssize_t read_stream(void* stream, std::uint64_t /*position*/, char* out,
                    std::size_t most) noexcept {
  try {
    return static_cast<Stream*>(stream)->read(out, most);
  } catch (...) {
    return MHD_CONTENT_READER_END_WITH_ERROR;
  }
}

void end_stream(void* stream) noexcept { delete static_cast<Stream*>(stream); }

}  // namespace

void OpenStreams::add(const std::shared_ptr<EventStream>& stream) {
  auto state = state_.lock();
  std::erase_if(state->streams, [](const auto& one) { return one.expired(); });
  state->streams.push_back(stream);
  if (state->ending) stream->end();
}

void OpenStreams::end() {
  std::vector<std::weak_ptr<EventStream>> open;
  {
    auto state = state_.lock();
    state->ending = true;
    open = state->streams;
  }
  for (const auto& one : open)
    if (const auto stream = one.lock()) stream->end();
}

MHD_Response* streamed_response(MHD_Connection* connection, int socket, HttpReply& reply,
                                ConnectionDeadlines& deadlines, OpenStreams& streams) {
  auto stream = std::make_unique<Stream>(std::move(reply.more), std::move(reply.body), connection,
                                         socket, deadlines);
  MHD_Response* response = MHD_create_response_from_callback(
      MHD_SIZE_UNKNOWN, kPieceBytes, &read_stream, stream.get(), &end_stream);
  if (response == nullptr) return nullptr;
  Stream* const given = stream.release();  // `end_stream` has it now
  if (reply.events != nullptr) {
    given->read_events(reply.events);
    streams.add(reply.events);
  }
  // Chunks even if the connection is closed afterwards: they show where the reply ends.
  MHD_add_response_header(response, MHD_HTTP_HEADER_TRANSFER_ENCODING, "chunked");
  return response;
}

}  // namespace shingled::milter::http
