#include "config/keys/forms.h"
#include "config/sections/sections.h"

namespace shingled::config {

namespace {

constexpr std::array<Choice<LimitPoint>, 2> kPoints = {
    {{"rcpt", LimitPoint::kRecipient}, {"end_of_message", LimitPoint::kMessage}}};

constexpr std::array<Choice<ManyRecipients>, 2> kMany = {
    {{"first", ManyRecipients::kFirst}, {"none", ManyRecipients::kNone}}};

void load_rates(Section& section, std::string_view key, std::vector<BucketType>& out) {
  load_bucket_types(section.section(key), out);
}

}  // namespace

Key<Settings> ratelimit_section() {
  const auto start = at_start(&Settings::ratelimit);
  const auto live = at_reload(&Settings::ratelimit);
  const auto redis = start(&MailLimitOptions::redis);
  return map<Settings>(
      "ratelimit",
      {
          key("rates", live(&MailLimitOptions::rates),
              Typed<std::vector<BucketType>>{
                  "", load_rates,
                  [](const std::vector<BucketType>& /*types*/) { return std::string("{}"); }}),
          key("when", live(&MailLimitOptions::when), OneOf(kPoints),
              "rcpt = each recipient is deferred separately; end_of_message = all or none: a "
              "message with more recipients than a burst then passes if that bucket is empty, and "
              "fills it"),
          key("max_rcpts", live(&MailLimitOptions::max_rcpts), Number{1, 10'000},
              "at most this many recipients of a message count, {}, without those that are "
              "deferred or never limited; types without a recipient always count"),
          key("above_max_rcpts", live(&MailLimitOptions::above_max_rcpts), OneOf(kMany),
              "if there are more: first = the first ones count; none = none count, as in rspamd"),
          key("whitelisted_rcpts", live,
              Typed<MailLimitOptions>{
                  "list of recipients with files",
                  [](Section& section, std::string_view key, MailLimitOptions& out) {
                    load_recipients(section, key, out.whitelisted_rcpts,
                                    out.whitelisted_rcpts_files);
                  },
                  [](const MailLimitOptions& limits) {
                    return flow_list(limits.whitelisted_rcpts);
                  }},
              "never limited: local parts, user@domain, \"@domain\", files"),
          key("whitelisted_ip", live,
              Typed<MailLimitOptions>{
                  "list of networks with files",
                  [](Section& section, std::string_view key, MailLimitOptions& out) {
                    load_networks(section, key, out.whitelisted_ip, out.whitelisted_ip_files);
                  },
                  [](const MailLimitOptions& limits) {
                    return flow_networks(limits.whitelisted_ip);
                  }},
              "clients that are never limited: networks, files"),
          key("symbol", live(&MailLimitOptions::symbol),
              Typed<std::string>{"text",
                                 [](Section& section, std::string_view key, std::string& out) {
                                   load_symbol(section, key, out, "none");
                                 },
                                 [](const std::string& symbol) { return flow_scalar(symbol); }},
              "a message over the limit is not deferred but gets this symbol at its end, with the "
              "score 2 tanh(bucket / (2 burst)), 0.92 to 2; \"\" = it is deferred"),
          key("log_only", live(&MailLimitOptions::log_only), Switch{},
              "yes = only log what would be deferred"),
          key("ipv4_prefix", live(&MailLimitOptions::ipv4_prefix), Number{1, 32},
              "bits of a network, {}"),
          key("ipv6_prefix", live(&MailLimitOptions::ipv6_prefix), Number{1, 128},
              "the same for IPv6, {}, also of a client's address"),
          key("buckets_max", start(&MailLimitOptions::buckets_max), Number{100, 10'000'000},
              "buckets in memory, at most 160 bytes each, {}; above this, buckets are dropped to "
              "make room"),
          key("file", start(&MailLimitOptions::file), Path{},
              "keeps the buckets over a restart; \"\" = they are lost"),
          key("servers", redis(&RedisOptions::servers), RedisServers{},
              "Redis servers that hold the buckets of all daemons, HOST:PORT; [] = each daemon has "
              "its own"),
          start_map<Settings>(
              "redis",
              joined<Settings>(
                  {{key("cluster", redis(&RedisOptions::cluster), Switch{},
                        "yes = servers of a Redis cluster; the other members are discovered")},
                   redis_access_keys(redis, "prefix of every key, 1 to 64 characters",
                                     "longest wait for an answer, {}; without one the "
                                     "daemon's own buckets count")}),
              [](Section& section, Settings& settings) {
                check_redis_access(section, settings.ratelimit.redis);
              }),
      });
}

}  // namespace shingled::config
