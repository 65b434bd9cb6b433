#include "storage/access/source_limits.h"

#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>

#include "config/base/byte_reader.h"
#include "config/system/byte_transfer.h"
#include "config/system/os_error.h"
#include "config/system/whole_file.h"
#include "storage/formats/new_file.h"

namespace shingled::storage::access {

namespace {

bool is_link_local(const IpAddress& ip) {
  if (ip.family == IpAddress::Family::kV4) return ip.bytes[0] == 169 && ip.bytes[1] == 254;
  return ip.bytes[0] == 0xfe && (ip.bytes[1] & 0xc0) == 0x80;
}

std::vector<Network> joined(std::vector<Network> some, const std::vector<Network>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

/// Multiplies, and folds both halves of the product: each bit depends on each bit of `a` and `b`.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Keeps the table if it fits; else makes a new one, or none if it is not wanted.
void keep_table(std::shared_ptr<LimitTable>& table, bool wanted, bool fits, std::size_t buckets) {
  if (!wanted) {
    table.reset();
  } else if (table == nullptr || !fits) {
    table = std::make_shared<LimitTable>(buckets);
  }
}

bool is_on(const RateOptions& rate) { return rate.rate > 0 && rate.burst > 0; }

LimitLaw law_of(const RateOptions& rate) { return {LeakRate(rate.rate, rate.burst), Duration{}}; }

}  // namespace

SourceLimits::SourceLimits(const RateLimitOptions& options, LimitState& state,
                           const std::vector<Network>& trusted, const RateOptions& agreements)
    : key_(state.key),
      law_{LeakRate(options.rate, options.burst), options.bucket_ttl},
      sealed_law_(law_of(options.sealed)),
      agreement_law_(law_of(agreements)),
      whitelist_(joined(options.whitelist, trusted)),
      bits_v4_(static_cast<int>(options.network_mask)),
      log_only_(options.log_only),
      counts_sealed_(options.encrypted) {
  const bool fits =
      state.buckets == options.max_buckets && state.network_mask == options.network_mask;
  keep_table(state.table, options.enabled(), fits, options.max_buckets);
  keep_table(state.sealed, options.enabled() && is_on(options.sealed), fits, options.max_buckets);
  keep_table(state.agreements, is_on(agreements), fits, options.max_buckets);
  state.buckets = options.max_buckets;
  state.network_mask = options.network_mask;
  table_ = state.table;
  sealed_ = state.sealed;
  agreements_ = state.agreements;
  report_ = state.report;
}

SourceLimits::Admission SourceLimits::admit(const IpAddress& ip, TimePoint now) const {
  if (table_ == nullptr || is_exempt(ip)) return {};
  const Network network = network_of(ip);
  const LimitTable::Decision verdict = table_->add(name_of(network), law_, now);
  if (verdict == LimitTable::Decision::kPass) return {.in = true, .counted = true};
  return {.in = serves_refused(network, verdict, now), .counted = false};
}

bool SourceLimits::admit_sealed(const IpAddress& ip, TimePoint now) const {
  if (sealed_ == nullptr || is_exempt(ip)) return true;
  const Network network = network_of(ip);
  const auto verdict = sealed_->add(name_of(network), sealed_law_, now);
  return verdict == LimitTable::Decision::kPass || serves_refused(network, verdict, now);
}

bool SourceLimits::admit_agreement(const IpAddress& ip, Way way, TimePoint now) const {
  if (agreements_ == nullptr || is_exempt(ip)) return true;
  const Network network = network_of(ip);
  const std::uint64_t name = name_of(network);
  // The name is not 0, also after the rotation.
  const auto verdict =
      agreements_->add(way == Way::kStream ? std::rotl(name, 32) : name, agreement_law_, now);
  return verdict == LimitTable::Decision::kPass || serves_refused(network, verdict, now);
}

bool SourceLimits::serves_refused(const Network& network, LimitTable::Decision verdict,
                                  TimePoint now) const {
  if (report_ != nullptr)
    report_->record(network, verdict == LimitTable::Decision::kNowBanned, log_only_, now);
  return log_only_;
}

void SourceLimits::take_back(const IpAddress& ip, TimePoint now) const {
  if (table_ == nullptr || is_exempt(ip)) return;
  table_->take_back(name_of(network_of(ip)), law_, now);
}

void SourceLimits::report(MetricReport& report) const {
  report.counter({"shingled_server_ratelimit_bans", "Times a source was banned."},
                 report_ == nullptr ? 0 : report_->bans());
  report.counter({"shingled_server_ratelimit_evictions",
                  "Sources whose count was lost because the table was full."},
                 table_ == nullptr ? 0 : table_->evictions());
}

bool SourceLimits::is_exempt(const IpAddress& ip) const {
  return ip.is_loopback() || is_link_local(ip) || whitelist_.contains(ip);
}

Network SourceLimits::network_of(const IpAddress& ip) const {
  return Network::of(ip, ip.family == IpAddress::Family::kV4 ? bits_v4_ : kBitsV6);
}

std::uint64_t SourceLimits::name_of(const Network& network) const {
  std::array<std::uint64_t, 2> words{};
  static_assert(sizeof words == sizeof network.address.bytes);
  std::memcpy(words.data(), network.address.bytes.data(), sizeof words);
  const auto family = static_cast<std::uint64_t>(network.address.family);
  const std::uint64_t name = mix(mix(words[0] ^ key_[0], words[1] ^ key_[1]) ^ family, key_[2] | 1);
  return std::max<std::uint64_t>(name, 1);  // 0 marks a free place
}

void LimitReport::record(const Network& network, bool banned, bool log_only, TimePoint now) {
  refused_.fetch_add(1, std::memory_order_relaxed);
  if (banned) bans_.fetch_add(1, std::memory_order_relaxed);
  if (!line_.pass(now)) return;
  logger_.warning(LogLine("fuzzy_ratelimited")
                      .field("network", network.to_string())
                      .field("banned", banned)
                      .field("log_only", log_only)
                      .field("requests_in_all", refused())
                      .field("bans_in_all", bans()));
}

namespace {

// The format, all little-endian: magic u64, network mask u32, number of entries u32, saved i64
// (Unix seconds), key 3 * u64; then for each entry: source u64, empty_in u64 and ban u64
// (milliseconds).
constexpr std::uint64_t kMagic = 0x31'6d'69'6c'6c'68'73'2e;  // ".shllim1"
constexpr std::size_t kHeaderBytes = 48;
constexpr std::size_t kEntryBytes = 24;
constexpr std::size_t kEntriesMax = 4'000'000;
constexpr std::chrono::milliseconds kLongest{std::chrono::hours(24 * 36500)};

std::uint64_t to_milliseconds(Duration time) {
  return static_cast<std::uint64_t>(
      std::chrono::ceil<std::chrono::milliseconds>(std::max(time, Duration::zero())).count());
}

/// The rest of a time after `passed`. A longer time than kLongest (in a damaged file) is cut to it.
Duration left_of(std::uint64_t milliseconds, std::chrono::seconds passed) {
  const auto most = static_cast<std::uint64_t>(kLongest.count());
  const std::chrono::milliseconds time(std::min(milliseconds, most));
  return std::max<Duration>(time - std::min<std::chrono::milliseconds>(passed, kLongest),
                            Duration::zero());
}

std::optional<SavedLimits> decode(BytesView bytes, WallTime now) {
  ByteReader reader(bytes);
  SavedLimits limits;
  if (reader.u64() != kMagic) return std::nullopt;
  limits.network_mask = reader.u32();
  const std::size_t count = reader.u32();
  const auto saved = static_cast<std::int64_t>(reader.u64());
  for (std::uint64_t& word : limits.key) word = reader.u64();
  if (!reader.ok() || count > kEntriesMax || reader.left() != count * kEntryBytes || saved < 0)
    return std::nullopt;
  limits.saved = WallTime(std::chrono::seconds(saved));
  const auto passed = std::max(now - limits.saved, std::chrono::seconds(0));
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t source = reader.u64();
    const Duration empty_in = left_of(reader.u64(), passed);
    const Duration ban = left_of(reader.u64(), passed);
    if (source != 0 && empty_in > Duration::zero())
      limits.entries.push_back({source, empty_in, ban});
  }
  return limits;
}

Bytes encode(const SavedLimits& limits) {
  const std::size_t count = std::min(limits.entries.size(), kEntriesMax);
  Bytes out(kHeaderBytes + count * kEntryBytes);
  ByteWriter writer(out);
  writer.u64(kMagic);
  writer.u32(limits.network_mask);
  writer.u32(static_cast<std::uint32_t>(count));
  writer.u64(unix_seconds(limits.saved));
  for (const std::uint64_t word : limits.key) writer.u64(word);
  for (std::size_t i = 0; i < count; ++i) {
    writer.u64(limits.entries[i].source);
    writer.u64(to_milliseconds(limits.entries[i].empty_in));
    writer.u64(to_milliseconds(limits.entries[i].ban));
  }
  return out;
}

}  // namespace

Status save_limits(const std::string& path, const SavedLimits& limits) {
  auto file = formats::NewFile::create(path, formats::NewFile::Existing::kReplace);
  if (!file) return file.error();
  if (::fchmod(file->fd(), S_IRUSR | S_IWUSR) != 0)
    return os_error(ErrorCode::kUnavailable, errno, file->part());
  if (Status written = write_all(file->fd(), encode(limits)); !written)
    return written.error().in(file->part());
  return file->commit();
}

Result<SavedLimits> load_limits(const std::string& path, WallTime now) {
  auto file = read_whole_file(path, kHeaderBytes + kEntriesMax * kEntryBytes);
  if (!file) return file.error();
  auto limits = decode(as_bytes(file->text), now);
  if (!limits) return Error{ErrorCode::kCorrupt, path + ": is not a valid file of rate limits"};
  return *std::move(limits);
}

}  // namespace shingled::storage::access
