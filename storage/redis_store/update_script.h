#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/model/fuzzy_store.h"
#include "storage/redis/command_list.h"

namespace shingled::storage::redis_store {

/// The Lua program that makes one change to a record as one step: rspamd's rules
/// (PROTOCOL.md 5.5, 5.6), rspamd's layout, and a marker with the change's name, so that the
/// same change made again does nothing. It gives 0 = done, 1 = was done before.
///
/// What is wrong in the database (a key of another type) is found before anything is written.
std::string_view update_script();

/// A marker lives so long, for a server may come back that did what it could not say any more.
inline constexpr std::uint32_t kMarkerSeconds = 7 * 24 * 3600;
/// Once the answer has been read only a client may still repeat the change.
inline constexpr std::uint32_t kMarkerDoneSeconds = 2 * kRepeatSeconds;

/// What the calls of one storage have in common.
struct ScriptContext {
  std::string sha;           ///< what SCRIPT LOAD answered
  std::string prefix;        ///< of all keys
  std::uint32_t expire = 0;  ///< seconds; 0 = never
};

/// The key that says an update was made: P_done_<name in hexadecimal>.
std::string marker_key(std::string_view prefix, const UpdateName& name);
/// The same for a cluster, in the slot of another key: P_done_{<tag>}_<name><ending>.
std::string marker_beside(std::string_view prefix, std::string_view key, const UpdateName& name,
                          std::string_view ending = {});

/// Changes a counter once. KEYS: the counter, a marker beside it. ARGV: how much, seconds the
/// marker lives.
std::string_view count_script();

/// An update; it must have a name.   `now` in Unix seconds: a new record's creation.
void append_update(redis::CommandList& commands, const ScriptContext& context, const Update& update,
                   std::uint32_t now);
/// The same for the record and the marker alone: what a cluster can do in one step.
void append_record_update(redis::CommandList& commands, const ScriptContext& context,
                          const Update& update, std::uint32_t now, std::string_view marker,
                          std::uint16_t slot);
/// A hit makes a record live as long as a new one, and its slots as far as they are still its own.
/// Where the record does not know its slots those of the question (or none) stand in.
void append_refresh(redis::CommandList& commands, const ScriptContext& context,
                    const Fingerprint& what);

}  // namespace shingled::storage::redis_store
