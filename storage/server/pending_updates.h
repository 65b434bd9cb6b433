#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <variant>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/options/storage_options.h"
#include "config/system/wake_event.h"
#include "storage/model/update_queue.h"
#include "storage/server/recent_seals.h"
#include "storage/server/udp_socket.h"

namespace shingled::storage::server {

/// Where the reply to a datagram goes.
struct DatagramRoute {
  std::size_t socket = 0;  ///< number of the socket within its worker
  ReplyRoute reply;
};

/// Where the reply to a request on a stream goes, if the stream still exists.
struct StreamRoute {
  std::uint64_t stream = 0;  ///< name of the stream; the worker never uses a name again
};

/// An update whose client waits for its reply.
struct WaitingUpdate {
  std::size_t worker = 0;  ///< received the update and will answer it
  std::variant<DatagramRoute, StreamRoute> route;
  UpdateTicket ticket;
};

/// The result of an update.
struct FinishedUpdate {
  WaitingUpdate waiting;
  bool stored = false;
};

/// The finished updates of one worker.
/// Threads: any thread.
class Mailbox {
 public:
  void put(FinishedUpdate finished);
  /// Returns the updates that were put since the last call.
  std::vector<FinishedUpdate> take();
  void wake() const { event_.wake(); }
  [[nodiscard]] int fd() const { return event_.fd(); }  ///< readable if there is something to take

 private:
  WakeEvent event_;
  Guarded<std::vector<FinishedUpdate>> finished_;
};

/// Gives each update to the store once, even if its client repeats it, and gives each result to the
/// worker that received the request. An update is refused if there is no memory for it.
///
/// A repeat gets the answer of the first request, after its commit. Repeats are recognized until
/// kRepeatWindow after the commit. A sealed update is also recognized by its seal, for the time in
/// RepeatOptions, so that nobody can send a recorded one again. After a refusal the next request
/// tries again. At most kWaitersMax requests wait for one update; further ones get no answer.
/// The callbacks given to the store keep this object alive, so its owner may release it earlier.
/// Threads: any thread; one worker's calls of `submit` must not overlap.
class PendingUpdates : public std::enable_shared_from_this<PendingUpdates> {
 public:
  static constexpr Duration kRepeatWindow = std::chrono::seconds(kRepeatSeconds);
  static constexpr std::size_t kRepeatsMax = 131'072;  // 5 s of 25 000 updates per second
  static constexpr std::size_t kWaitersMax = 8;

  PendingUpdates(std::size_t workers, Clock& clock, const RepeatOptions& repeats = {});
  /// Notes updates and seals that are done already, so that their repeats do not count again.
  void remember(std::span<const UpdateId> done, std::span<const std::uint64_t> seals);

  enum class Taken : std::uint8_t {
    kFirst,      ///< given to the store; the result comes through the mailbox
    kRepeat,     ///< in progress already; the result comes through the mailbox
    kUnheard,    ///< in progress already, and too many requests wait: no answer
    kKnownDone,  ///< done before; to be answered at once
  };
  Taken submit(FuzzyStore& store, const PendingUpdate& pending, WaitingUpdate waiting,
               TimePoint now);

  [[nodiscard]] Mailbox& mailbox(std::size_t worker) { return *mailboxes_[worker]; }
  /// Whether the results of all updates are in the mailboxes.
  [[nodiscard]] bool idle();

 private:
  void finish(const UpdateId& name, std::uint64_t seal, bool stored);

  struct State {
    explicit State(const RepeatOptions& repeats) : seals(repeats.window, repeats.most) {}

    std::unordered_map<UpdateId, std::vector<WaitingUpdate>, UpdateIdHash> waiting;
    std::size_t unfinished = 0;  // updates whose results are not in the mailboxes yet
    RecentIds done{kRepeatWindow, kRepeatsMax};
    RecentSet<SealSet> seals;  // of finished updates
  };
  Clock& clock_;
  std::vector<std::unique_ptr<Mailbox>> mailboxes_;  // constant after construction
  Guarded<State> state_;
};

}  // namespace shingled::storage::server
