#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "config/base/random.h"
#include "storage/replication/message.h"
#include "storage/replication/range_sums.h"
#include "storage/replication/secure_channel.h"
#include "storage/sqlite/replica_reader.h"

namespace shingled::storage::replication {

/// How far a mirror is, as its master sees it.
struct MirrorProgress {
  bool following = false;         ///< it has everything up to `committed`
  std::uint64_t committed = 0;    ///< of the journal
  std::uint64_t messages = 0;     ///< it has committed on this connection
  std::uint64_t comparisons = 0;  ///< times all ranges were compared
  std::uint64_t records_sent = 0;
};

/// The master's end of a connection to one mirror: bytes in, bytes out.
///
/// It asks the mirror how far it has come and sends what the journal says since. Where the journal
/// does not reach back so far, it notes where the journal ends, has the mirror sum up what it has
/// of us, sends what differs as it is by then, and goes on with the journal from the noted place;
/// so what changes meanwhile is sent as well. A journal that was outrun begins a new comparison.
///
/// An error ends the connection; the mirror knows where to go on.
/// Bounds: kWindowMessages under way, kOutputBytesMax and one message of output.
/// Threads: one thread. Reads the file in slices of a few milliseconds; no sockets, no clock.
class MasterSession {
 public:
  MasterSession(const StoreId& self, sqlite::ReplicaReader& reader, SecureChannel channel,
                Random& random);

  /// What came from the mirror.
  Status receive(BytesView bytes);
  /// One step of what is to be done. True: there is more to do at once.
  Result<bool> work();
  /// Says that we are still there, once the mirror has been greeted.
  Status beat();
  [[nodiscard]] Bytes& output() { return channel_.output(); }
  [[nodiscard]] const MirrorProgress& progress() const { return progress_; }

 private:
  enum class State {
    kHello,
    kResume,     ///< the mirror is to say how far it is
    kSumming,    ///< walks over its own records
    kWaiting,    ///< for the mirror's sums
    kSending,    ///< walks again and sends
    kTakebacks,  ///< sends what it has asked and not got
    kFollowing,  ///< sends the journal
  };

  Status handle(const Message& message);
  Status handle_resume(const Resume& resume);
  Status handle_sums(const RangeSums& sums);
  Status handle_committed(const Committed& committed);
  Status begin_comparison();
  Result<bool> sum_step();
  Result<bool> send_step();
  Result<bool> takeback_step();
  Result<bool> follow_step();
  void send(const Message& message) { channel_.send(encode_message(message)); }
  /// A message that the mirror commits; `number` is where it stands in the journal then.
  void send_records(const Message& message, std::optional<std::uint64_t> number);
  [[nodiscard]] bool may_send();

  const StoreId self_;
  sqlite::ReplicaReader& reader_;
  SecureChannel channel_;
  Random& random_;
  State state_ = State::kHello;
  JournalPosition sent_;                                ///< in the journal
  std::deque<std::optional<std::uint64_t>> under_way_;  ///< of the messages not committed
  std::uint64_t messages_committed_ = 0;
  MirrorProgress progress_;

  // Of a comparison.
  struct Comparison {
    explicit Comparison(const RangeKey& key) : ours(key), theirs(key) {}
    RangeSumTable ours;
    RangeSumTable theirs;
    std::size_t heard = 0;  ///< sums of theirs
    std::int64_t next = 0;  ///< of the walk
    RangesDiffer differ;
    std::vector<ReplicaRecord> gathered;
  };
  std::unique_ptr<Comparison> comparison_;
};

}  // namespace shingled::storage::replication
