#pragma once

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
#include "storage/model/recent_names.h"
#include "storage/server/recent_seals.h"
#include "storage/server/udp_socket.h"

namespace shingled::storage::server {

/// The way back of a reply that a datagram asked for.
struct DatagramRoute {
  std::size_t socket = 0;  ///< of the worker
  ReplyRoute reply;
};

/// The way back of a reply on a stream, if it is still there.
struct StreamRoute {
  std::uint64_t stream = 0;  ///< its name, which the worker never gives again
};

/// An update whose client waits for its reply.
struct WaitingUpdate {
  std::size_t worker = 0;  ///< who received it and will answer
  std::variant<DatagramRoute, StreamRoute> route;
  UpdateTicket ticket;
};

/// What became of it.
struct FinishedUpdate {
  WaitingUpdate waiting;
  bool stored = false;
};

/// Where a worker finds the updates that are finished.
/// Threads: any thread.
class Mailbox {
 public:
  void put(FinishedUpdate finished);
  /// Everything since the last call.
  std::vector<FinishedUpdate> take();
  void wake() const { event_.wake(); }
  [[nodiscard]] int fd() const { return event_.fd(); }  ///< readable when there is something

 private:
  WakeEvent event_;
  Guarded<std::vector<FinishedUpdate>> finished_;
};

/// Hands each update to the store once, however often its client repeats it, and each answer to the
/// worker that received the request. An update there is no memory for is refused.
///
/// A repeat within the window, which begins with the commit, gets the answer of the first one,
/// after its commit. One that came sealed is known by its seal for as long as RepeatOptions say, so
/// that nobody can send a recorded one again. After a refusal the next request tries again. Beyond
/// kWaitersMax requests for one update the others get no answer. Callbacks of the store keep the
/// object alive: it may be destroyed before they come.
/// Threads: any thread; `submit` of one worker at a time.
class PendingUpdates : public std::enable_shared_from_this<PendingUpdates> {
 public:
  static constexpr Duration kRepeatWindow = std::chrono::seconds(kRepeatSeconds);
  static constexpr std::size_t kRepeatsMax = 131'072;  // remembered: 5 s of 25 000 updates a second
  static constexpr std::size_t kWaitersMax = 8;

  PendingUpdates(std::size_t workers, Clock& clock, const RepeatOptions& repeats = {});
  /// These were done before: their repeats count once.
  void remember(std::span<const UpdateName> done, std::span<const std::uint64_t> seals);

  enum class Taken : std::uint8_t {
    kFirst,      ///< given to the store; the answer comes by mailbox
    kRepeat,     ///< under way already; the answer comes by mailbox
    kUnheard,    ///< under way already, and too many wait for it: there will be no answer
    kKnownDone,  ///< done before: answer at once
  };
  Taken submit(FuzzyStore& store, const PendingUpdate& pending, WaitingUpdate waiting,
               TimePoint now);

  [[nodiscard]] Mailbox& mailbox(std::size_t worker) { return *mailboxes_[worker]; }
  /// Every answer is in a mailbox.
  [[nodiscard]] bool idle();

 private:
  void finish(const UpdateName& name, std::uint64_t seal, bool stored);

  struct State {
    explicit State(const RepeatOptions& repeats) : seals(repeats.window, repeats.most) {}

    std::unordered_map<UpdateName, std::vector<WaitingUpdate>, UpdateNameHash> waiting;
    std::size_t unfinished = 0;  // updates whose answers are not in the mailboxes yet
    RecentNames done{kRepeatWindow, kRepeatsMax};
    RecentSet<SealSet> seals;  // of updates that are done
  };
  Clock& clock_;
  std::vector<std::unique_ptr<Mailbox>> mailboxes_;  // constant after construction
  Guarded<State> state_;
};

}  // namespace shingled::storage::server
