#include <limits>

#include "config/sections/sections.h"

namespace shingled::config {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint64_t kKibibyte = std::uint64_t{1} << 10;
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;
constexpr std::uint64_t kTebibyte = std::uint64_t{1} << 40;
constexpr std::uint16_t kCounterPort = 11341;
constexpr std::size_t kAuthservIdsMax = 100;  // each header is compared with all of them
constexpr double kAnyScore = std::numeric_limits<double>::max();

constexpr std::array<Choice<CounterJudge>, 2> kJudges = {
    {{"without_counters", CounterJudge::kWithoutCounters}, {"final", CounterJudge::kFinal}}};

/// Whether the text gives a value other than "", [] and null.
bool says_something(const Section& section, std::string_view key) {
  const auto& given = section.diagnostics().given();
  const auto found = given.find(section.path() + '.' + std::string(key));
  return found != given.end() && (!found->second->text.empty() || !found->second->items.empty());
}

void read_folder(Section& section, std::string_view key, std::string& out) {
  Section::absolute_path(section.field(key), "the absolute path of a folder", out);
}

/// null = empty.
void read_spam_from(Section& section, std::optional<double>& out) {
  const auto field = section.field("spam_from");
  if (!field || field->is_null()) return;
  constexpr std::string_view kAllowed =
      "a number such as 4.5, or null for the score of milter.actions.add_header";
  const auto text = field->scalar(kAllowed);
  if (!text) return;
  if (const auto score = parse_real(*text)) {
    out = score;
  } else {
    field->refuse("not a number", kAllowed);
  }
}

void read_authserv_ids(Section& section, std::vector<std::string>& out) {
  constexpr std::string_view kAllowed =
      "a name such as mx.example.org: 1 to 255 letters, digits, '.', '-' or '_'";
  constexpr std::size_t kNameBytesMax = 255;
  const auto field = section.field("authserv_ids");
  if (!field) return;
  out.clear();
  for (const auto& [item, word] : field->words(kAllowed)) {
    if (out.size() == kAuthservIdsMax) {
      item.problem("exceeds the limit", "at most " + std::to_string(kAuthservIdsMax));
      return;
    }
    if (ascii::is_word(word, kNameBytesMax, ".-_")) {
      out.push_back(word);
    } else {
      item.refuse(word, "not the name of a server", kAllowed);
    }
  }
}

void load_embedded(Section& section, EmbeddedCounterOptions& out) {
  read_folder(section, "directory", out.directory);
  section.duration<milliseconds>("sync", out.sync, {milliseconds(10), minutes(1)});
  section.size("memory_max", out.memory_max, {16 * kMebibyte, kTebibyte});
  section.size("disk_max", out.disk_max, {64 * kMebibyte, 1024 * kTebibyte});
  section.size("cache_max", out.cache_max, {0, kTebibyte});
}

void load_pieces(Section&& section, PieceOptions& out) {
  constexpr Range<std::uint32_t> kEach = {1, 1000};
  section.number<std::uint32_t>("texts_max", out.texts_max, kEach);
  section.number<std::uint32_t>("recipients_max", out.recipients_max, kEach);
  section.number<std::uint32_t>("links_max", out.links_max, kEach);
  section.number<std::uint32_t>("addresses_max", out.addresses_max, kEach);
  section.number<std::uint32_t>("phones_max", out.phones_max, kEach);
  section.number<std::uint32_t>("wallets_max", out.wallets_max, kEach);
  section.number<std::uint32_t>("attachments_max", out.attachments_max, kEach);
  section.number<std::uint32_t>("signatures_max", out.signatures_max, {1, 100});
  section.number<std::uint32_t>("pairs_max", out.pairs_max, {1, 10'000});
  section.number<std::uint32_t>("pieces_max", out.pieces_max, {1, 3'000});
  std::uint64_t bytes = out.piece_bytes_max;
  section.size("piece_bytes_max", bytes, {16, 64 * kKibibyte});
  out.piece_bytes_max = static_cast<std::uint32_t>(bytes);
  load_containers(section.section("containers"), out.containers);
}

void load_shared(Section& section, const std::string& directory, SharedCounterOptions& out) {
  load_redis_servers(section, "servers", out.redis.servers);
  {
    Section redis = section.section("redis");
    redis.boolean("cluster", out.redis.cluster);
    redis.number<std::uint32_t>("wait_replicas", out.redis.wait_replicas, {0, 100});
    load_redis_access(redis, out.redis);
  }
  section.duration<milliseconds>("flush", out.flush, {milliseconds(10), minutes(1)});
  section.duration<milliseconds>("cache", out.cache, {milliseconds(0), minutes(1)});
  section.size("journal_max", out.journal_max, {0, kTebibyte});
  out.journal_directory = directory;
  read_folder(section, "journal_directory", out.journal_directory);
  const bool set = out.redis != SharedCounterOptions::without_servers();
  if (set && out.redis.servers.empty() && !says_something(section, "servers")) {
    section.problem("redis",
                    "no server is named, so this daemon would count alone; allowed: with a setting "
                    "of counters.servers, or leave it out");
  }
}

void load_service(Section& section, CounterServiceOptions& out) {
  load_http_sockets(section, "listen", kCounterPort, out.listen);
  section.path_or_empty("keys_file", out.keys_file);
  section.number<std::uint32_t>("connections_max", out.connections_max, {2, 10'000});
  section.duration<seconds>("timeout", out.timeout, {seconds(1), hours(1)});
  section.size("body_bytes_max", out.body_bytes_max, {4 * kKibibyte, kGibibyte});
  if (!out.keys_file.empty() || says_something(section, "keys_file")) return;
  for (const SocketSpec& spec : out.listen) {
    if (spec.kind == SocketSpec::Kind::kUnix) continue;
    section.problem("listen", spec.to_string() +
                                  " is a network address, which is open to everybody; allowed: "
                                  "with a setting of keys_file, or unix:/PATH");
    return;
  }
}

}  // namespace

void load_counters(Section&& section, CounterOptions& out) {
  refuse_foreign_keys(section, ForeignTo::kCounters);
  section.boolean("enabled", out.enabled);
  load_embedded(section, out.embedded);
  section.path_or_empty("key_file", out.key_file);
  section.path_or_empty("geoip", out.geoip);
  section.duration<std::chrono::seconds>("keep_reports", out.keep_reports,
                                         {std::chrono::days(1), std::chrono::days(365)});
  section.choice<CounterJudge>("judge", out.judge, kJudges);
  section.real("ham_below", out.ham_below, {-kAnyScore, kAnyScore});
  read_spam_from(section, out.spam_from);
  section.boolean("names", out.names);
  section.number<std::uint32_t>("names_mass", out.names_mass, {1, 1'000'000});
  section.number<std::uint32_t>("names_max", out.names_max, {1000, 100'000'000});
  read_authserv_ids(section, out.pieces.authserv_ids);
  load_pieces(section.section("pieces"), out.pieces);
  load_shared(section, out.embedded.directory, out.shared);
  load_service(section, out.service);
  if (!out.key_file.empty() && out.key_file == out.service.keys_file) {
    section.problem("keys_file",
                    "is also key_file, so clients would have the key of all shingles; allowed: "
                    "another file");
  }
}

}  // namespace shingled::config
