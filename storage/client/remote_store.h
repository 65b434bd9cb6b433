#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/options/rule_options.h"
#include "storage/client/name_lookup.h"
#include "storage/client/upstreams.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage::client {

/// One request to a remote server.
struct RemoteRequest {
  enum class Kind : std::uint8_t {
    kCheck,
    kAdd,
    kDelete,          ///< from all lists
    kDeleteFromList,  ///< from list `flag` alone; only for servers whose STAT announces it
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
  /// kAdd: a digest that is deleted together with this one; only for servers whose STAT announces
  /// companions.
  std::optional<Digest> companion = std::nullopt;
  /// Whether the companion has the number that it had first. A server that knows only this one
  /// would ignore the other.
  bool old_companion = false;
};

/// The outcome of one request on one server.
struct RemoteAnswer {
  enum class Outcome : std::uint8_t {
    kHit,          ///< CHECK: `match` is set
    kMiss,         ///< CHECK: the server does not know the hash
    kDone,         ///< WRITE, DEL, PING accepted; STAT: `count` is set
    kRefused,      ///< the server refused: `status` is 401, 403, 415, 503, 504 or another code
    kTimeout,      ///< no answer within the deadline
    kUnreachable,  ///< the system could not send: `error` says why
  };
  Outcome outcome = Outcome::kTimeout;
  std::string server;  ///< "192.0.2.1:11335"
  std::int32_t status = 0;
  float probability = 0;           ///< as the server sent it
  std::optional<Match> match;      ///< slots = probability * 32; with v2 replies all flags
  std::uint64_t count = 0;         ///< STAT: stored hashes
  bool deletes_from_list = false;  ///< STAT: the server is a shingled that knows kDeleteFromList
  bool knows_companions = false;   ///< STAT: the server is a shingled that knows companions
  bool old_companions = false;     ///< STAT: it knows them only by their first number
  std::chrono::microseconds time{0};
  std::string error;
};

/// One remote fuzzy service: the servers that are asked and those that are taught, their health,
/// and our key pairs for them. Knows the wire protocol, not the rules.
///
/// Back-off: a server that failed `errors_max` times in a row is not asked for `revive_time`, and
/// for twice as long the next time. The version byte is remembered per server (PROTOCOL.md 9.2).
/// Threads: any thread.
class RemoteStore {
 public:
  /// Opens the service and looks up the names of its servers.
  /// Errors: kInvalid (no server), kNotFound or kUnavailable (no address).
  static Result<std::unique_ptr<RemoteStore>> open(const RemoteOptions& options, Clock& clock,
                                                   Random& random);
  static Result<std::unique_ptr<RemoteStore>> open(const RemoteOptions& options, Clock& clock,
                                                   Random& random, NameLookup& lookup);
  /// The same without a look-up: a server that is given by its address is available at once; any
  /// other cannot be reached until `look_up` has found its name. For a daemon, whose start and mail
  /// must not wait for a name server.
  /// Errors: kInvalid (no server, no key).
  static Result<std::unique_ptr<RemoteStore>> open_by_address(const RemoteOptions& options,
                                                              Clock& clock, Random& random);
  ~RemoteStore();
  RemoteStore(const RemoteStore&) = delete;
  RemoteStore& operator=(const RemoteStore&) = delete;
  RemoteStore(RemoteStore&&) = delete;
  RemoteStore& operator=(RemoteStore&&) = delete;

  /// The result of looking up the name of one server.
  struct NameFound {
    std::string server;  ///< as configured
    Status status;
    bool has_address = false;  ///< a new one, or the one it had before
  };
  /// Looks up the names again, until `stop`. A name that is not found keeps the addresses it had.
  /// Returns one result for each server; a server in both lists of servers has two.
  /// Cost: may block for some seconds per name.
  std::vector<NameFound> look_up(NameLookup& lookup, const std::stop_token& stop = {});
  /// Whether a server has no address yet.
  [[nodiscard]] bool lacks_addresses() const;
  /// Sends a CHECK of a random digest to each resting server that is due for a probe. This is safe
  /// on every server and also tests its storage (PROTOCOL.md 9.3). A server that answers
  /// is healthy again.
  /// Cost: waits for the answers, at most one round of transmissions.
  void probe();
  [[nodiscard]] const RemoteOptions& options() const;
  /// The statistics per address: first the servers that are asked, then the others that are taught.
  [[nodiscard]] std::vector<ServerStatistics> statistics() const;

  class Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  explicit RemoteStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The requests to one service in a call of `ask`.
struct RemoteBatch {
  RemoteStore* store = nullptr;
  std::span<const RemoteRequest> requests;
};

/// Sends all batches at the same time, each through a window, and waits for all answers with one
/// deadline. `answers[b][r]` belongs to `batches[b].requests[r]`. CHECK, STAT and PING go to one
/// server of the service, which the rotation chooses. WRITE and DEL go to all its servers, and the
/// answer is the worst one (`ask_each` returns all of them). A request that was not sent before the
/// deadline is answered with kTimeout. A requested `stop` has the effect of the deadline.
/// Cost: one socket per batch and server.
/// Errors: only inside the answers.
std::vector<std::vector<RemoteAnswer>> ask(std::span<const RemoteBatch> batches, TimePoint deadline,
                                           const std::stop_token& stop = {});

/// Returns one answer per server, in the order of the configuration, as the commands `stat`,
/// `ping`, `add` and `del` show them.
std::vector<RemoteAnswer> ask_each(RemoteStore& store, const RemoteRequest& request,
                                   TimePoint deadline);

}  // namespace shingled::storage::client
