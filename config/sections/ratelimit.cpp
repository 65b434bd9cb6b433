#include "config/sections/sections.h"

namespace shingled::config {

namespace {

constexpr std::array<Choice<LimitPoint>, 2> kPoints = {
    {{"rcpt", LimitPoint::kRecipient}, {"end_of_message", LimitPoint::kMessage}}};

constexpr std::array<Choice<ManyRecipients>, 2> kMany = {
    {{"first", ManyRecipients::kFirst}, {"none", ManyRecipients::kNone}}};

}  // namespace

void load_ratelimit(Section&& section, MailLimitOptions& out) {
  load_bucket_types(section.section("rates"), out.rates);
  section.choice<LimitPoint>("when", out.when, kPoints);
  section.number<std::uint32_t>("max_rcpts", out.max_rcpts, {1, 10'000});
  section.choice<ManyRecipients>("above_max_rcpts", out.above_max_rcpts, kMany);
  load_recipients(section, "whitelisted_rcpts", out.whitelisted_rcpts, out.whitelisted_rcpts_files);
  load_networks(section, "whitelisted_ip", out.whitelisted_ip, out.whitelisted_ip_files);
  load_symbol(section, out.symbol, "none");
  section.boolean("log_only", out.log_only);
  section.number<std::uint32_t>("ipv4_prefix", out.ipv4_prefix, {1, 32});
  section.number<std::uint32_t>("ipv6_prefix", out.ipv6_prefix, {1, 128});
  section.number<std::uint32_t>("buckets_max", out.buckets_max, {100, 10'000'000});
  section.path_or_empty("file", out.file);
  load_redis_servers(section, "servers", out.redis.servers);
  Section redis = section.section("redis");
  redis.boolean("cluster", out.redis.cluster);
  load_redis_access(redis, out.redis);
}

}  // namespace shingled::config
