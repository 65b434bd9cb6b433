#include "storage/server/source_limits.h"

#include <algorithm>
#include <cstring>

namespace shingled::storage {

namespace {

bool is_link_local(const IpAddress& ip) {
  if (ip.family == IpAddress::Family::kV4) return ip.bytes[0] == 169 && ip.bytes[1] == 254;
  return ip.bytes[0] == 0xfe && (ip.bytes[1] & 0xc0) == 0x80;
}

std::vector<Network> joined(std::vector<Network> some, const std::vector<Network>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

/// Both halves of a product, folded: every bit of it depends on every bit of both.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

SourceLimits::SourceLimits(const RateLimitOptions& options, LimitState& state,
                           const std::vector<Network>& trusted)
    : key_(state.key),
      law_{LeakRate(options.rate, options.burst), options.bucket_ttl},
      whitelist_(joined(options.whitelist, trusted)),
      bits_v4_(static_cast<int>(options.network_mask)),
      bits_v6_(std::clamp(4 * static_cast<int>(options.network_mask), 64, 128)),
      log_only_(options.log_only),
      counts_sealed_(options.encrypted) {
  if (!options.enabled()) {
    state.table.reset();
    return;
  }
  if (state.table == nullptr || state.buckets != options.max_buckets ||
      state.network_mask != options.network_mask) {
    state.table = std::make_shared<LimitTable>(options.max_buckets);
    state.buckets = options.max_buckets;
    state.network_mask = options.network_mask;
  }
  table_ = state.table;
  report_ = state.report;
}

SourceLimits::Admission SourceLimits::admit(const IpAddress& ip, TimePoint now) const {
  if (table_ == nullptr || is_exempt(ip)) return {};
  const Network network = network_of(ip);
  const LimitTable::Verdict verdict = table_->add(name_of(network), law_, now);
  if (verdict == LimitTable::Verdict::kPass) return {.in = true, .counted = true};
  if (report_ != nullptr)
    report_->note(network, verdict == LimitTable::Verdict::kNowBanned, log_only_, now);
  return {.in = log_only_, .counted = false};
}

void SourceLimits::take_back(const IpAddress& ip, TimePoint now) const {
  if (table_ == nullptr || is_exempt(ip)) return;
  table_->take_back(name_of(network_of(ip)), law_, now);
}

void SourceLimits::report(MetricReport& report) const {
  report.counter({"shingled_server_ratelimit_bans", "Times a source was banned."},
                 report_ == nullptr ? 0 : report_->bans());
  report.counter({"shingled_server_ratelimit_evictions",
                  "Sources whose count was lost, for there were too many of them."},
                 table_ == nullptr ? 0 : table_->evictions());
}

bool SourceLimits::is_exempt(const IpAddress& ip) const {
  return ip.is_loopback() || is_link_local(ip) || whitelist_.contains(ip);
}

Network SourceLimits::network_of(const IpAddress& ip) const {
  return Network::of(ip, ip.family == IpAddress::Family::kV4 ? bits_v4_ : bits_v6_);
}

std::uint64_t SourceLimits::name_of(const Network& network) const {
  std::array<std::uint64_t, 2> words{};
  static_assert(sizeof words == sizeof network.address.bytes);
  std::memcpy(words.data(), network.address.bytes.data(), sizeof words);
  const auto family = static_cast<std::uint64_t>(network.address.family);
  const std::uint64_t name = mix(mix(words[0] ^ key_[0], words[1] ^ key_[1]) ^ family, key_[2] | 1);
  return std::max<std::uint64_t>(name, 1);  // 0 is nobody
}

}  // namespace shingled::storage
