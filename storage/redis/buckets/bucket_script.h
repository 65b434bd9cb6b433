#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/buckets/bucket_store.h"
#include "storage/redis/route/redis_route.h"

namespace shingled::storage::redis {

// The buckets in Redis (storage/SCHEMA.md, "Buckets in Redis"): one script, its calls and replies.
// Pure functions.

/// The Lua program. It makes any number of calls of one kind; each call takes drops into some
/// buckets, gives them back, or sets the buckets. All calls are made in order and as one atomic
/// step, by the server's clock, in whole nanoseconds (beyond 104 days in steps of up to 512 ns).
/// Its reply has one element per call.
std::string_view bucket_script();

/// How a command names the script: EVALSHA and its hash, or EVAL and its text.
struct ScriptName {
  std::string_view verb;
  std::string_view script;
};

/// One call in the form that the script reads. A value.
struct ScriptCall {
  enum class Verb : std::uint8_t { kTake, kGiveBack, kSet };
  Verb verb = Verb::kTake;
  std::int64_t at = 0;               ///< for kGiveBack: when the drops were taken
  std::vector<std::string> keys{};   ///< at least one; in a cluster all of one slot
  std::vector<std::string> words{};  ///< for each key: the packed numbers of the change
};

/// Numbers of the demands of one call. In a cluster the keys of these demands have one slot.
using DemandNumbers = std::span<const std::size_t>;

/// Returns "PREFIX:KEY"; the key is cut to buckets::kBucketKeyMax bytes.
std::string redis_bucket_key(std::string_view prefix, std::string_view key);

ScriptCall take_call(std::string_view prefix, std::span<const buckets::BucketDemand> demands,
                     DemandNumbers numbers);
ScriptCall give_back_call(std::string_view prefix, std::span<const buckets::BucketDemand> demands,
                          const buckets::BucketAnswer& answer, DemandNumbers numbers);
ScriptCall set_call(std::string_view prefix, std::string_view key, const LeakRate& rate,
                    double drops);

/// Appends one command that makes all calls of `together`: at least one, all of one verb, in a
/// cluster all of one slot.
void append_calls(CommandList& commands, const ScriptName& name,
                  std::span<const ScriptCall* const> together);

/// Puts the reply to a take into `answer`, which must have a level for each demand. If a message
/// needs several calls, `answer` keeps the refusals and the longest wait of all of them. Returns
/// whether this call took its demands; nullopt if the reply is malformed.
std::optional<bool> read_taken(const RedisReply& reply,
                               std::span<const buckets::BucketDemand> demands,
                               DemandNumbers numbers, buckets::BucketAnswer& answer);

/// Reads a bucket from the replies to TIME and GET. Returns nullopt if the bucket is empty or the
/// value is malformed.
std::optional<buckets::BucketState> read_bucket(std::string_view key, const RedisReply& time,
                                                const RedisReply& value);

}  // namespace shingled::storage::redis
