#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "config/base/random.h"
#include "storage/replication/message.h"
#include "storage/replication/secure_channel.h"
#include "storage/sqlite/hashes/replica_reader.h"

namespace shingled::storage::replication {

/// The progress of a mirror, as its master sees it.
struct MirrorProgress {
  bool following = false;         ///< the mirror has everything up to `committed`
  std::uint64_t committed = 0;    ///< number in the journal
  std::uint64_t messages = 0;     ///< committed on this connection
  std::uint64_t comparisons = 0;  ///< number of comparisons of all ranges
  std::uint64_t records_sent = 0;
};

/// The master's end of a connection to one mirror: bytes in, bytes out.
///
/// The mirror tells its position in our journal, and the session sends the later entries. If the
/// journal does not reach back to that position, the session compares all ranges: it notes the end
/// of the journal, gets the mirror's sums of our records, sends the ranges that differ in their
/// present state, and continues with the journal from the noted end. So changes during the
/// comparison are sent as well. If the journal loses entries before they are sent, a new comparison
/// begins.
///
/// An error ends the connection; the mirror remembers its position.
/// Bounds: kWindowMessages sent and not committed; kOutputBytesMax and one message of output.
/// Threads: one thread. Reads the file in slices of a few milliseconds; no sockets, no clock.
class MasterSession {
 public:
  MasterSession(const StoreId& self, sqlite::ReplicaReader& reader, SecureChannel channel,
                Random& random);

  /// Handles bytes from the mirror.
  Status receive(BytesView bytes);
  /// Does one step. Returns whether there is more to do at once.
  Result<bool> work();
  /// Sends a Beat, to show that we are alive; nothing before the greeting was sent.
  Status beat();
  [[nodiscard]] Bytes& output() { return channel_.output(); }
  [[nodiscard]] const MirrorProgress& progress() const { return progress_; }

 private:
  enum class State {
    kHello,
    kResume,     ///< waits for the position of the mirror
    kSumming,    ///< walks over its records and adds up the sums
    kWaiting,    ///< waits for the mirror's sums
    kSending,    ///< walks again and sends the ranges that differ
    kTakebacks,  ///< sends its takebacks that are not answered yet
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
  /// Sends a message that the mirror commits. `number`: the mirror's position in the journal after
  /// the commit.
  void send_records(const Message& message, std::optional<std::uint64_t> number);
  [[nodiscard]] bool may_send();

  const StoreId self_;
  sqlite::ReplicaReader& reader_;
  SecureChannel channel_;
  Random& random_;
  State state_ = State::kHello;
  JournalPosition sent_;  ///< position in the journal
  std::deque<std::optional<std::uint64_t>>
      under_way_;  ///< numbers of the messages sent and not committed
  std::uint64_t messages_committed_ = 0;
  MirrorProgress progress_;

  // The state of a comparison.
  struct Comparison {
    explicit Comparison(const RangeKey& key) : ours(key), theirs(key) {}
    RangeSumTable ours;
    RangeSumTable theirs;
    std::size_t heard = 0;  ///< number of sums received from the mirror
    std::int64_t next = 0;  ///< next row of the walk
    RangesDiffer differ;
    std::vector<ReplicaRecord> gathered;
  };
  std::unique_ptr<Comparison> comparison_;
};

}  // namespace shingled::storage::replication
