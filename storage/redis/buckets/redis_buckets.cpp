#include "storage/redis/buckets/redis_buckets.h"

#include <algorithm>
#include <map>
#include <utility>

#include "config/base/best.h"
#include "config/metrics/metric_report.h"
#include "storage/redis/route/open_route.h"
#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {

namespace {

Error senseless(const RedisReply& reply) {
  return {ErrorCode::kCorrupt,
          reply.is_error() ? reply.text : "unexpected reply from the bucket script"};
}

}  // namespace

RedisBuckets::RedisBuckets(const RedisOptions& options,
                           std::unique_ptr<buckets::EmbeddedBuckets> local, Clock& clock,
                           Logger& logger)
    : options_(options),
      local_(std::move(local)),
      clock_(clock),
      reachability_(options.cluster,
                    {"ratelimit_redis_away", "ratelimit_redis_back", "local buckets"}, clock,
                    logger) {
  route_ = open_route(options_, options_.write_servers, RedisServers::Turn::kInOrder, clock,
                      silent_logger())
               .route;
  batcher_ = std::make_unique<ScriptBatcher>(*route_, clock);
}

RedisBuckets::~RedisBuckets() = default;

buckets::BucketAnswer RedisBuckets::take(std::span<const buckets::BucketDemand> demands,
                                         TimePoint deadline) {
  buckets::BucketAnswer answer;
  if (demands.empty()) return answer;
  answer.levels.resize(demands.size());
  const Reachability::Moment begun = reachability_.begin();
  const Groups groups = groups_of(demands);
  std::vector<ScriptCall> calls;
  calls.reserve(groups.size());
  for (const auto& group : groups) calls.push_back(take_call(options_.prefix, demands, group));
  const Replies replies = batcher_->run(std::move(calls), until(deadline));
  Status outcome = replies ? Status() : Status(replies.error());
  Groups taken;
  for (std::size_t i = 0; replies && i < groups.size(); ++i) {
    const auto took = read_taken((*replies)[i], demands, groups[i], answer);
    if (!took) outcome = senseless((*replies)[i]);
    if (took.value_or(false)) taken.push_back(groups[i]);
  }
  reachability_.record(begun, Reachability::Kind::kWrite, outcome);
  if (!taken.empty() && (!outcome || !answer.taken))
    give_back_groups(demands, answer, taken, until(deadline));
  if (outcome) return answer;
  fallbacks_.add();
  answer = local_->take(demands, deadline);
  answer.fallback = true;
  return answer;
}

void RedisBuckets::give_back(std::span<const buckets::BucketDemand> demands,
                             const buckets::BucketAnswer& answer, TimePoint deadline) {
  if (!answer.taken || demands.empty() || answer.levels.size() != demands.size()) return;
  if (answer.fallback) return local_->give_back(demands, answer, deadline);
  give_back_groups(demands, answer, groups_of(demands), until(deadline));
}

void RedisBuckets::give_back_groups(std::span<const buckets::BucketDemand> demands,
                                    const buckets::BucketAnswer& answer, const Groups& groups,
                                    TimePoint deadline) {
  const Reachability::Moment begun = reachability_.begin();
  std::vector<ScriptCall> calls;
  calls.reserve(groups.size());
  for (const auto& group : groups)
    calls.push_back(give_back_call(options_.prefix, demands, answer, group));
  const Replies replies = batcher_->run(std::move(calls), deadline);
  Status outcome = replies ? Status() : Status(replies.error());
  if (replies) {
    for (const RedisReply& reply : *replies)
      if (reply.is_error()) outcome = senseless(reply);
  }
  reachability_.record(begun, Reachability::Kind::kWrite, outcome);
}

/// The numbers of the demands, grouped by slot in a cluster, else in one group.
RedisBuckets::Groups RedisBuckets::groups_of(std::span<const buckets::BucketDemand> demands) const {
  std::map<std::uint16_t, std::vector<std::size_t>> by_slot;
  for (std::size_t i = 0; i < demands.size(); ++i) {
    const bool splits = route_->splits_keys();
    by_slot[splits ? key_slot(redis_bucket_key(options_.prefix, demands[i].key)) : 0].push_back(i);
  }
  Groups groups;
  for (auto& [slot, numbers] : by_slot) groups.push_back(std::move(numbers));
  return groups;
}

Result<std::vector<buckets::BucketState>> RedisBuckets::list(std::string_view part,
                                                             std::size_t most, TimePoint deadline) {
  if (Status decided = decides(deadline); !decided) return decided.error();
  std::map<std::string, buckets::BucketState> found;  // a scan may return a key twice
  const auto holders = key_holders(options_, places(), deadline, clock_, silent_logger());
  if (holders.empty()) return Error{ErrorCode::kUnavailable, "no server of the cluster answers"};
  for (const auto& holder : holders) {
    const Status read = scan_keys(
        *holder, glob_of(redis_bucket_key(options_.prefix, ""), "*"), [&] { return deadline; },
        [&](const std::vector<RedisReply>& keys) {
          std::vector<buckets::BucketState> step;
          Status done = read_step(*holder, keys, part, deadline, step);
          for (buckets::BucketState& state : step) {
            std::string name = state.key;
            found.insert_or_assign(std::move(name), std::move(state));
          }
          return done;
        });
    if (!read) return read.error();
  }
  std::vector<buckets::BucketState> out;
  out.reserve(found.size());
  for (auto& [key, state] : found) out.push_back(std::move(state));
  keep_best(out, most, buckets::IsFuller{});
  return out;
}

/// Appends the buckets of one step of a scan.
Status RedisBuckets::read_step(RedisRoute& holder, const std::vector<RedisReply>& keys,
                               std::string_view part, TimePoint deadline,
                               std::vector<buckets::BucketState>& out) const {
  CommandList commands;
  commands.add({"TIME"});
  std::vector<std::string_view> names;
  for (const RedisReply& key : keys) {
    const std::string_view name = std::string_view(key.text).substr(options_.prefix.size() + 1);
    if (name.find(part) == std::string_view::npos) continue;
    names.push_back(name);
    commands.add({"GET", key.text});
  }
  if (names.empty()) return {};
  const Replies replies = holder.ask(commands, deadline);
  if (!replies) return replies.error();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (auto state = read_bucket(names[i], replies->front(), (*replies)[i + 1]))
      out.push_back(*std::move(state));
  }
  return {};
}

/// While only replicas answer, the daemon decides by its own buckets, and what a replica holds says
/// nothing about them. So the server must take a write; this one changes nothing, because no bucket
/// has that name. In a cluster a route leads to masters only.
Status RedisBuckets::decides(TimePoint deadline) const {
  if (route_->splits_keys()) return {};
  CommandList commands;
  commands.add({"DEL", redis_bucket_key(options_.prefix, "~")});
  const Replies replies = route_->ask(commands, until(deadline));
  if (replies && !replies->front().is_error()) return {};
  return Error{ErrorCode::kUnavailable,
               "Redis is away, each daemon decides by its own buckets: " +
                   (replies ? replies->front().text : replies.error().message)};
}

Result<std::optional<buckets::BucketState>> RedisBuckets::show(std::string_view key,
                                                               TimePoint deadline) {
  if (Status decided = decides(deadline); !decided) return decided.error();
  const std::string name = redis_bucket_key(options_.prefix, key);
  CommandList commands;
  commands.add({"TIME"}, key_slot(name));
  commands.add({"GET", name}, key_slot(name));
  const Replies replies = route_->ask(commands, until(deadline));
  if (!replies) return replies.error();
  for (const RedisReply& reply : *replies)
    if (reply.is_error()) return senseless(reply);
  return read_bucket(key, (*replies)[0], (*replies)[1]);
}

Result<bool> RedisBuckets::reset(std::string_view key, TimePoint deadline) {
  const std::string name = redis_bucket_key(options_.prefix, key);
  CommandList commands;
  commands.add({"DEL", name}, key_slot(name));
  const Replies replies = route_->ask(commands, until(deadline));
  if (!replies) return replies.error();
  if (replies->front().is_error()) return senseless(replies->front());
  return replies->front().integer > 0;
}

Status RedisBuckets::set(std::string_view key, const LeakRate& rate, double drops,
                         TimePoint deadline) {
  const Replies replies =
      batcher_->run({set_call(options_.prefix, key, rate, drops)}, until(deadline));
  if (!replies) return replies.error();
  if (replies->front().is_error()) return senseless(replies->front());
  return {};
}

void RedisBuckets::report(MetricReport& report) const {
  local_->report(report);
  report.counter({"shingled_buckets_store_errors", "Calls of Redis that failed."},
                 reachability_.failures());
  report.counter({"shingled_buckets_exchanges",
                  "Round trips to Redis; the decisions of several messages share one."},
                 batcher_->exchanges());
  report.counter({"shingled_buckets_fallbacks", "Decisions of the local table instead of Redis."},
                 fallbacks_.read());
  report.gauge({"shingled_buckets_shared", "Whether Redis decides: 1, or 0 while it is away."},
               std::uint64_t{reachability_.is_away() ? 0U : 1U});
}

TimePoint RedisBuckets::until(TimePoint deadline) const {
  return std::min(deadline, clock_.now() + options_.timeout);
}

const std::vector<SocketSpec>& RedisBuckets::places() const {
  return options_.write_servers.empty() ? options_.servers : options_.write_servers;
}

}  // namespace shingled::storage::redis
