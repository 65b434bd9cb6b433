#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "storage/protocol/codec.h"
#include "storage/server/request_handler.h"
#include "storage/server/worker_shared.h"

namespace shingled::storage::server {

/// The state of one client's stream of requests, without its socket.
struct Stream {
  std::uint64_t name = 0;  ///< the worker never uses a name again
  Peer peer;
  protocol::FrameReader in;
  std::size_t updates = 0;  ///< updates that wait for their reply
};

/// Turns the bytes of a stream into replies: cuts them into frames and gives each frame to
/// `RequestHandler`.
///
/// A CHECK is answered at once and in order, and does not see an update that came after it. An
/// update is answered after its commit, so later checks may be answered first. The replies do not
/// depend on how the stream was cut into reads.
///
/// No I/O.
/// Threads: one thread; each worker has its own handler.
/// Cost: allocates and locks only for an update, for the key of a new client, for a frame that comes
/// in pieces, and when `out` grows.
class StreamHandler {
 public:
  StreamHandler(std::size_t worker, const WorkerShared& shared, WorkerCounters& counters);

  /// Sets the access rights and keys. To be called before the first bytes.
  void use(std::shared_ptr<const access::Access> access, std::size_t key_cache_size);
  /// As `RequestHandler::admits`.
  bool admits(const Peer& peer, TimePoint now) { return handler_.admits(peer, now); }

  /// As `RequestHandler::sources`.
  [[nodiscard]] const access::SourceTally& sources() const { return handler_.sources(); }

  enum class End : std::uint8_t {
    kNone,      ///< more bytes may come
    kBadFrame,  ///< a length that is not allowed: the rest cannot be read
    kBlocked,   ///< the source is blocked
  };
  struct Taken {
    std::size_t requests = 0;  ///< valid requests
    End end = End::kNone;
  };
  /// Handles all complete frames. Appends the replies that can be sent now to `out`, as frames.
  Taken take(Stream& stream, BytesView bytes, TimePoint now, Bytes& out);
  /// Appends the reply to a finished update of the stream to `out`.
  void finish(Stream& stream, const FinishedUpdate& finished, Bytes& out);

 private:
  static constexpr std::size_t kChecksTogether = 64;
  using ReplyBytes = std::array<std::uint8_t, kSealedReplyBytesMax>;

  void submit(Stream& stream, const PendingUpdate& pending, TimePoint now, Bytes& out);
  void answer_checks(WallTime now, Bytes& out);

  std::size_t worker_;
  WorkerShared shared_;
  WorkerCounters& counters_;
  RequestHandler handler_;
  ReplyBytes reply_{};
  // Checks that are looked up together, and their results.
  std::array<PendingCheck, kChecksTogether> asked_;
  std::size_t asked_count_ = 0;
  std::array<std::optional<Match>, kChecksTogether> matches_;
};

}  // namespace shingled::storage::server
