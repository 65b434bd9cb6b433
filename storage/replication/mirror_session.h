#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "config/base/random.h"
#include "storage/replication/message.h"
#include "storage/replication/secure_channel.h"
#include "storage/sqlite/hashes/replica_reader.h"

namespace shingled::storage::replication {

/// Gives a batch to the writer (Engine::submit_batch). The callback is called once, perhaps on
/// another thread.
using SubmitBatch = std::function<void(ReplicaBatch, UpdateDone)>;

/// The progress of a mirror with one master.
struct MasterProgress {
  bool following = false;       ///< the mirror has everything up to `committed`
  std::uint64_t committed = 0;  ///< number in the master's journal
  std::uint64_t announced = 0;  ///< last number in the master's journal, as the master says
  std::uint64_t records = 0;    ///< committed on this connection
};

/// The mirror's end of a connection from one master: bytes in, bytes out.
///
/// The name that a master says must belong to its key (StoreTable::claim); before that is checked,
/// the master learns nothing. Then the mirror tells its position in the master's journal and
/// commits the messages that follow: one transaction per message, in order, each with the new
/// position. In a comparison, records in a range that differs are deleted unless the master sends
/// them again.
///
/// An error ends the connection. A batch may still be with the writer then, so no new session with
/// the same master may begin before `is_idle`.
/// Bounds: kWindowMessages waiting.
/// Threads: one thread; the callback of a batch may come on any thread. No sockets, no clock.
class MirrorSession {
 public:
  /// `wake` is called from any thread when a batch is done.
  MirrorSession(sqlite::ReplicaReader& reader, SubmitBatch submit, SecureChannel channel,
                Random& random, std::function<void()> wake);

  /// Handles bytes from the master.
  Status receive(BytesView bytes);
  /// Does one step. Returns whether there is more to do at once.
  Result<bool> work();
  /// Sends a Committed, to show that we are alive; nothing before the master was welcomed.
  void beat();
  [[nodiscard]] Bytes& output() { return channel_.output(); }

  /// The name that the master says; nullopt before its greeting.
  [[nodiscard]] const std::optional<StoreId>& master() const { return master_; }
  /// The master's key. It is proved if `master` has a value.
  [[nodiscard]] const StoreKey& key() const { return channel_.peer(); }
  /// Checks that the name belongs to the key, then answers the greeting. To be called when no other
  /// session with that master exists.
  Status begin();
  [[nodiscard]] bool has_begun() const { return state_ != State::kGreeting; }
  /// Whether no batch is with the writer.
  [[nodiscard]] bool is_idle() const { return !in_flight_ || in_flight_->is_done.load(); }
  [[nodiscard]] const MasterProgress& progress() const { return progress_; }

 private:
  enum class State {
    kGreeting,     ///< the greeting is not answered yet
    kIntroducing,  ///< the writer checks whether the name belongs to the key
    kFollowing,    ///< receives the journal
    kSumming,      ///< walks over the parts of that master
    kSumsSaid,     ///< waits for the list of ranges that differ
    kReceiving,    ///< receives the ranges
    kSweeping,     ///< deletes parts that the master did not send
  };
  struct InFlight {
    std::atomic<bool> is_done{false};
    Status outcome;  ///< valid if is_done
  };

  [[nodiscard]] bool was_welcomed() const { return state_ > State::kIntroducing; }
  Status welcome();
  /// An empty batch from this master.
  [[nodiscard]] ReplicaBatch batch() const;
  Status handle(Message message);
  Status queue(Message message);
  /// Counts and removes the first message of the queue after its commit, and tells the master.
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
  std::deque<Message> waiting_;  ///< the first one may be with the writer
  std::shared_ptr<InFlight> in_flight_;
  bool front_sent_ = false;  ///< the first message of the queue is with the writer
  std::uint64_t messages_ = 0;
  MasterProgress progress_;

  // The state of a comparison.
  std::uint32_t mark_;
  std::optional<RangeSumTable> sums_;
  std::int64_t next_ = 0;
  RangesDiffer differ_;
};

}  // namespace shingled::storage::replication
