#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/buckets/bucket_store.h"
#include "storage/redis/command_list.h"
#include "storage/redis/redis_reply.h"

namespace shingled::storage::buckets {

// The buckets in Redis (storage/SCHEMA.md, "Buckets in Redis"): one script, its calls and replies.
// Pure functions.

/// The Lua program: any number of calls of one kind, each of which takes from, gives back to or
/// sets some buckets. All are made one after the other as one step, by the server's clock, in
/// whole nanoseconds (times beyond 104 days to 512 of them). Its reply has one for each call.
std::string_view bucket_script();

/// How a command names the script: EVALSHA and its name, or EVAL and its text.
struct ScriptName {
  std::string_view verb;
  std::string_view script;
};

/// One call, as the script wants it. A value.
struct ScriptCall {
  enum class Verb : std::uint8_t { kTake, kGiveBack, kSet };
  Verb verb = Verb::kTake;
  std::int64_t at = 0;               ///< of kGiveBack: when they were taken
  std::vector<std::string> keys{};   ///< one at least; in a cluster all of one slot
  std::vector<std::string> words{};  ///< what is to be done with each, packed
};

/// Numbers of the demands that one call is about. In a cluster they have one slot.
using DemandNumbers = std::span<const std::size_t>;

/// "P:KEY"; a key that is too long is cut.
std::string redis_bucket_key(std::string_view prefix, std::string_view key);

ScriptCall take_call(std::string_view prefix, std::span<const BucketDemand> demands,
                     DemandNumbers numbers);
ScriptCall give_back_call(std::string_view prefix, std::span<const BucketDemand> demands,
                          const BucketAnswer& answer, DemandNumbers numbers);
ScriptCall set_call(std::string_view prefix, std::string_view key, const LeakRate& rate,
                    double drops);

/// Calls of one verb (in a cluster, of one slot) as one command; one at least.
void append_calls(redis::CommandList& commands, const ScriptName& name,
                  std::span<const ScriptCall* const> together);

/// Puts the reply to a take into `answer`, which has a level for each demand: of several calls the
/// refusals and the longest wait count. Nothing for a reply that is none; else whether this one
/// took its demands.
std::optional<bool> read_taken(const redis::RedisReply& reply,
                               std::span<const BucketDemand> demands, DemandNumbers numbers,
                               BucketAnswer& answer);

/// From the replies to TIME and GET. Nothing for an empty bucket, or what is none.
std::optional<BucketState> read_bucket(std::string_view key, const redis::RedisReply& time,
                                       const redis::RedisReply& value);

}  // namespace shingled::storage::buckets
