#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/model/fuzzy_store.h"
#include "storage/redis/route/command_list.h"

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

}  // namespace shingled::storage::redis
