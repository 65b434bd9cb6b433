#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "storage/protocol/frame.h"
#include "storage/server/request_handler.h"
#include "storage/server/worker_shared.h"

namespace shingled::storage::server {

/// What is known of one client's stream of requests, without its socket.
struct Stream {
  std::uint64_t name = 0;  ///< never given again by its worker
  Peer peer;
  protocol::FrameReader in;
  std::size_t updates = 0;  ///< that will be answered later
};

/// From the bytes of streams to their replies: frames, then what `RequestHandler` makes of them.
///
/// A question is answered at once and in order, and sees no update that came after it; an update is
/// answered after its commit, so questions behind it may be answered first. The replies do not
/// depend on how the stream was cut into reads.
///
/// No I/O.
/// Threads: one thread; each worker has its own.
/// Cost: no allocation and no lock but for an update, a new client's key, a frame in pieces, and
/// `out` when it grows.
class StreamHandler {
 public:
  StreamHandler(std::size_t worker, const WorkerShared& shared, WorkerCounters& counters);

  /// Takes over rights and keys; needed before the first bytes.
  void use(std::shared_ptr<const access::Access> access, std::size_t key_cache_size);
  /// As `RequestHandler::admits`.
  bool admits(const Peer& peer, TimePoint now) { return handler_.admits(peer, now); }

  /// As `RequestHandler::sources`.
  [[nodiscard]] const access::SourceTally& sources() const { return handler_.sources(); }

  enum class End : std::uint8_t {
    kNone,      ///< more bytes may come
    kBadFrame,  ///< of a forbidden length: nothing more can be read
    kBlocked,   ///< the source is blocked
  };
  struct Taken {
    std::size_t requests = 0;  ///< valid ones
    End end = End::kNone;
  };
  /// Handles all frames that are whole; appends the replies to be sent now to `out`, framed.
  Taken take(Stream& stream, BytesView bytes, TimePoint now, Bytes& out);
  /// Appends the reply to an update of the stream: what became of it is known now.
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
  // Looked up together.
  std::array<PendingCheck, kChecksTogether> asked_;
  std::size_t asked_count_ = 0;
  std::array<std::optional<Match>, kChecksTogether> matches_;
};

}  // namespace shingled::storage::server
