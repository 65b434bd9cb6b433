#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "config/base/random.h"
#include "storage/replication/message.h"
#include "storage/replication/range_sums.h"
#include "storage/replication/secure_channel.h"
#include "storage/sqlite/replica_reader.h"

namespace shingled::storage::replication {

/// Hands a batch to the writer; `done` comes once, perhaps on another thread
/// (Engine::submit_batch).
using SubmitBatch = std::function<void(ReplicaBatch, UpdateDone)>;

/// How far a mirror is with one master.
struct MasterProgress {
  bool following = false;       ///< it has everything up to `committed`
  std::uint64_t committed = 0;  ///< of the master's journal
  std::uint64_t announced = 0;  ///< how far the master says its journal goes
  std::uint64_t records = 0;    ///< committed on this connection
};

/// The mirror's end of a connection from one master: bytes in, bytes out.
///
/// The name a master says must be that of its key (StoreTable::claim); only then does it hear
/// anything of us. The mirror tells it where it stands, and commits what comes then, one message a
/// transaction and one after the other, with the place in the journal it brings us to. When the
/// ranges are compared, what the master does not send of a range that differs is gone.
///
/// An error ends the connection. A batch may be under way then: nothing of the same master may
/// begin before `is_idle`.
/// Bounds: kWindowMessages waiting.
/// Threads: one thread; `done` of a batch from any. No sockets, no clock.
class MirrorSession {
 public:
  /// `wake` is called from any thread when a batch is done.
  MirrorSession(sqlite::ReplicaReader& reader, SubmitBatch submit, SecureChannel channel,
                Random& random, std::function<void()> wake);

  /// What came from the master.
  Status receive(BytesView bytes);
  /// One step of what is to be done. True: there is more to do at once.
  Result<bool> work();
  /// Says that we are still there.
  void beat();
  [[nodiscard]] Bytes& output() { return channel_.output(); }

  /// Who the master says it is; nothing before its greeting.
  [[nodiscard]] const std::optional<StoreId>& master() const { return master_; }
  /// The key it came under; proved once there is a `master`.
  [[nodiscard]] const StoreKey& key() const { return channel_.peer(); }
  /// Answers the greeting, once the name is seen to be the key's; to be called when no other
  /// session has that master.
  Status begin();
  [[nodiscard]] bool has_begun() const { return state_ != State::kGreeting; }
  /// No batch is with the writer.
  [[nodiscard]] bool is_idle() const { return !in_flight_ || in_flight_->is_done.load(); }
  [[nodiscard]] const MasterProgress& progress() const { return progress_; }

 private:
  enum class State {
    kGreeting,     ///< not answered
    kIntroducing,  ///< the writer decides whether the name is this key's
    kFollowing,    ///< the journal comes
    kSumming,      ///< walks over what it has of that master
    kSumsSaid,     ///< waits for what differs
    kReceiving,    ///< ranges come
    kSweeping,     ///< forgets what did not come
  };
  struct InFlight {
    std::atomic<bool> is_done{false};
    Status outcome;  ///< once it is done
  };

  [[nodiscard]] bool was_welcomed() const { return state_ > State::kIntroducing; }
  Status welcome();
  /// From this master, with nothing in it.
  [[nodiscard]] ReplicaBatch batch() const;
  Status handle(Message message);
  Status queue(Message message);
  /// What the queue begins with is dealt with.
  void committed();
  Result<bool> front_step();
  Result<bool> sum_step();
  Result<bool> sweep_step();
  void submit(ReplicaBatch batch);
  void send(const Message& message) { channel_.send(encode_message(message)); }

  sqlite::ReplicaReader& reader_;
  SubmitBatch submit_;
  SecureChannel channel_;
  std::function<void()> wake_;
  State state_ = State::kGreeting;
  std::optional<StoreId> master_;
  std::deque<Message> waiting_;  ///< the first one may be under way
  std::shared_ptr<InFlight> in_flight_;
  bool front_sent_ = false;  ///< what the queue begins with is with the writer
  std::uint64_t messages_ = 0;
  MasterProgress progress_;

  // Of a comparison.
  std::uint32_t mark_;
  std::optional<RangeSumTable> sums_;
  std::int64_t next_ = 0;
  RangesDiffer differ_;
};

}  // namespace shingled::storage::replication
