#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "storage/model/fuzzy_store.h"
#include "storage/redis/route/redis_route.h"
#include "storage/redis/route/scripts.h"

namespace shingled::storage::redis {

/// The Lua program that makes one change to a record in one step, by rspamd's rules (PROTOCOL.md
/// 5.5, 5.6) and in rspamd's layout. A marker with the name of the change makes a repeated change
/// do nothing. It returns 0 if the change was made, 1 if it had been made before.
///
/// Errors in the database (a key of another type) are found before anything is written.
std::string_view update_script();

/// How long a marker lives. A server may make a change, go away before it can reply, and come back
/// much later.
inline constexpr std::uint32_t kMarkerSeconds = 7 * 24 * 3600;
/// How long it still lives after the reply was read: from then on only a client may repeat the
/// change.
inline constexpr std::uint32_t kMarkerDoneSeconds = 2 * kRepeatSeconds;

/// What all calls of one storage have in common.
struct ScriptContext {
  std::string prefix;        ///< of all keys
  std::uint32_t expire = 0;  ///< seconds; 0 = never
};

/// The key of the marker of an update that was made: P_done_<name in hexadecimal>.
std::string marker_key(std::string_view prefix, const UpdateId& name);
/// The same for a cluster, with the slot of another key: P_done_{<tag>}_<name><ending>.
std::string marker_beside(std::string_view prefix, std::string_view key, const UpdateId& name,
                          std::string_view ending = {});

/// The Lua program that changes a counter once. KEYS: the counter, a marker in the same slot.
/// ARGV: the change, the life of the marker in seconds.
std::string_view count_script();

// `script` is the name of `update_script` (scripts.h).

/// Appends the call for an update, which must have a name. `now`: Unix seconds, the creation time
/// of a new record.
void append_update(CommandList& commands, const std::string& script, const ScriptContext& context,
                   const Update& update, std::uint32_t now);
/// The same for the record and the marker only, which is all that a cluster can do in one step.
void append_record_update(CommandList& commands, const std::string& script,
                          const ScriptContext& context, const Update& update, std::uint32_t now,
                          std::string_view marker, std::uint16_t slot);
/// Appends the call after a hit: the record, and the slots that it still owns, live as long as new
/// ones again. Its slots that have expired are claimed again if the question has them. If the
/// record has no field S, the slots of the question are used, if it has any.
void append_refresh(CommandList& commands, const std::string& script, const ScriptContext& context,
                    const Fingerprint& what);

/// Makes updates in a Redis database. An update that is sent several times is made once.
/// Errors: those of the route. Some updates may have been made then; sending all of them again is
/// safe.
/// Threads: one thread.
class UpdateSender {
 public:
  virtual ~UpdateSender() = default;
  /// Returns the outcome of each update, in order: success, or kCorrupt if the database cannot
  /// accept it. Each must have a name; its time is the creation time of a new record.
  virtual Result<std::vector<Status>> send(std::span<const TimedUpdate> updates,
                                           TimePoint deadline) = 0;
  /// These updates will not be sent again, so their markers need not live long any more.
  virtual void settle(std::span<const TimedUpdate> updates) = 0;
  /// Prolongs the life of records that were found. A lost refresh does no harm.
  virtual Status refresh(std::span<const Fingerprint> found, TimePoint deadline) = 0;
  /// Adds minus deletes.
  virtual Result<std::uint64_t> count(TimePoint deadline) = 0;
};

/// The sender for servers that hold all keys: each update is one call of the script, so one step;
/// all calls share one round trip.
class ScriptSender final : public UpdateSender {
 public:
  ScriptSender(RedisRoute& route, ScriptContext context, ReplicaWait wait);

  Result<std::vector<Status>> send(std::span<const TimedUpdate> updates,
                                   TimePoint deadline) override;
  void settle(std::span<const TimedUpdate> updates) override;
  Status refresh(std::span<const Fingerprint> found, TimePoint deadline) override;
  Result<std::uint64_t> count(TimePoint deadline) override;

 private:
  using Write = std::function<void(CommandList&, const std::string& script)>;
  Result<std::vector<RedisReply>> run(const Write& write, TimePoint deadline);

  RedisRoute& route_;
  const ScriptContext context_;
  const ReplicaWait wait_;
  Scripts script_;
  std::vector<std::string> settled_;  ///< markers whose life the next `send` shortens
};

/// Success, or kCorrupt with the error text of the server.
Status outcome_of(const RedisReply& reply);
/// The count in the reply to GET of the counter; 0 if it is absent, negative or not a number.
std::uint64_t count_in(const RedisReply& reply);

}  // namespace shingled::storage::redis
