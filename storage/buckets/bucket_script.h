#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "storage/buckets/bucket_store.h"
#include "storage/redis/command_list.h"
#include "storage/redis/redis_reply.h"

namespace shingled::storage {

// The buckets in Redis (storage/SCHEMA.md, "Buckets in Redis"): one script, its calls and replies.
// Pure functions.

/// The Lua program: takes, gives back or sets any number of buckets as one step, by the server's
/// clock, in whole nanoseconds (times beyond 104 days to 512 of them).
std::string_view bucket_script();

/// How a call names the script: EVALSHA and its name, or EVAL and its text.
struct ScriptName {
  std::string_view verb;
  std::string_view script;
};

/// Numbers of the demands that one call is about. In a cluster they have one slot.
using DemandNumbers = std::span<const std::size_t>;

/// "P:KEY"; a key that is too long is cut.
std::string redis_bucket_key(std::string_view prefix, std::string_view key);

void append_take(CommandList& commands, const ScriptName& name, std::string_view prefix,
                 std::span<const BucketDemand> demands, DemandNumbers numbers);
void append_give_back(CommandList& commands, const ScriptName& name, std::string_view prefix,
                      std::span<const BucketDemand> demands, const BucketAnswer& answer,
                      DemandNumbers numbers);
void append_set(CommandList& commands, const ScriptName& name, std::string_view prefix,
                std::string_view key, const LeakRate& rate, double drops);

/// Puts the reply of a take into `answer`, which has a level for each demand: of several calls the
/// refusals and the longest wait count. Nothing for a reply that is none; else whether this one
/// took its demands.
std::optional<bool> read_taken(const RedisReply& reply, std::span<const BucketDemand> demands,
                               DemandNumbers numbers, BucketAnswer& answer);

/// From the replies to TIME and GET. Nothing for an empty bucket, or what is none.
std::optional<BucketState> read_bucket(std::string_view key, const RedisReply& time,
                                       const RedisReply& value);

}  // namespace shingled::storage
