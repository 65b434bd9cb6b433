#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/options/rule_options.h"
#include "storage/client/name_lookup.h"
#include "storage/client/server_statistics.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage::client {

/// What to ask a remote server.
struct RemoteRequest {
  enum class Kind : std::uint8_t {
    kCheck,
    kAdd,
    kDelete,          ///< from all lists
    kDeleteFromList,  ///< from `flag` alone: for servers whose STAT says that they know it
    kStat,
    kPing,
  };
  static constexpr bool is_update(Kind kind) {
    return kind == Kind::kAdd || kind == Kind::kDelete || kind == Kind::kDeleteFromList;
  }
  Kind kind = Kind::kCheck;
  std::uint32_t flag = 0;
  std::int32_t value = 0;
  Fingerprint fingerprint;
  /// kAdd: a digest to be deleted with this one, for servers whose STAT says that they know it.
  std::optional<Digest> companion = std::nullopt;
};

/// What became of one request on one server.
struct RemoteAnswer {
  enum class Outcome : std::uint8_t {
    kHit,          ///< CHECK: `match` is set
    kMiss,         ///< CHECK: unknown there
    kDone,         ///< WRITE, DEL, PING accepted; STAT: `count` is set
    kRefused,      ///< the server said no: `status` is 401, 403, 415, 503, 504 or another code
    kTimeout,      ///< no answer within the deadline
    kUnreachable,  ///< the system would not send: `error`
  };
  Outcome outcome = Outcome::kTimeout;
  std::string server;  ///< "192.0.2.1:11335"
  std::int32_t status = 0;
  float probability = 0;           ///< as the server sent it
  std::optional<Match> match;      ///< slots = probability * 32; with v2 replies all flags
  std::uint64_t count = 0;         ///< STAT: stored hashes
  bool deletes_from_list = false;  ///< STAT: it is a shingled, and knows kDeleteFromList
  bool knows_companions = false;   ///< STAT: likewise, and RemoteRequest::companion
  std::chrono::microseconds time{0};
  std::string error;
};

/// One remote fuzzy service: the servers it asks and those it teaches, their health, our key pairs
/// towards them. Knows the wire, not the rules.
///
/// Back-off: a server that failed `errors_max` times in a row is left alone for `revive_time`,
/// twice as long the next time. The version byte is remembered per server (PROTOCOL.md 9.2).
/// Threads: any thread.
class RemoteStore {
 public:
  /// Looks the servers' names up.
  /// Errors: kInvalid (no server), kNotFound or kUnavailable (no address).
  static Result<std::unique_ptr<RemoteStore>> open(const RemoteOptions& options, Clock& clock,
                                                   Random& random);
  static Result<std::unique_ptr<RemoteStore>> open(const RemoteOptions& options, Clock& clock,
                                                   Random& random, NameLookup& lookup);
  /// The same without a look-up: a server that is given by its address is there at once, any other
  /// cannot be reached until `look_up` has found its name. For a daemon, whose mail and start wait
  /// for no name server.
  /// Errors: kInvalid (no server, no key).
  static Result<std::unique_ptr<RemoteStore>> open_by_address(const RemoteOptions& options,
                                                              Clock& clock, Random& random);
  ~RemoteStore();
  RemoteStore(const RemoteStore&) = delete;
  RemoteStore& operator=(const RemoteStore&) = delete;
  RemoteStore(RemoteStore&&) = delete;
  RemoteStore& operator=(RemoteStore&&) = delete;

  /// What became of the look-up of one server's name.
  struct NameFound {
    std::string server;  ///< as configured
    Status status;
    bool has_address = false;  ///< of now, or as it was before
  };
  /// Looks the names up again, until `stop`. A name that is not found keeps the addresses it had.
  /// One for each server, which both lists of servers may have.
  /// Cost: may block for some seconds a name.
  std::vector<NameFound> look_up(NameLookup& lookup, const std::stop_token& stop = {});
  /// Whether a server has no address yet.
  [[nodiscard]] bool lacks_addresses() const;
  /// Sends those that rest and are worth it a CHECK of a random digest: safe on every server, and
  /// proves the storage behind it too (PROTOCOL.md 9.3). Who answers is well again.
  /// Cost: waits for the answers, at most one round of transmissions.
  void probe();
  [[nodiscard]] const RemoteOptions& options() const;
  /// Per address, those that are asked first, then others that are taught.
  [[nodiscard]] std::vector<ServerStatistics> statistics() const;

  class Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  explicit RemoteStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Requests for one service in a common wait.
struct RemoteBatch {
  RemoteStore* store = nullptr;
  std::span<const RemoteRequest> requests;
};

/// Sends everything to everyone, a window of each batch at a time, and waits for all answers with
/// one deadline: `answers[b][r]` belongs to `batches[b].requests[r]`. CHECK, STAT and PING go to
/// one server of the service as its rotation has it; WRITE and DEL go to all of them, and then the
/// answer is the worst one (`ask_each` gives them all). What the deadline left unasked has timed
/// out.
/// Cost: one socket per batch and server.
/// Errors: only inside the answers. `stop`: from then on as at the deadline.
std::vector<std::vector<RemoteAnswer>> ask(std::span<const RemoteBatch> batches, TimePoint deadline,
                                           const std::stop_token& stop = {});

/// One answer per server, in the order of the configuration: what `stat`, `ping`, `add` and `del`
/// show a person.
std::vector<RemoteAnswer> ask_each(RemoteStore& store, const RemoteRequest& request,
                                   TimePoint deadline);

}  // namespace shingled::storage::client
