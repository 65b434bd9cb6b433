#include "config/keys/forms.h"
#include "config/sections/sections.h"

namespace shingled::config {

namespace {

constexpr std::size_t kAuthservIdsMax = 100;  // each header is compared with all of them

constexpr std::array<Choice<CounterJudge>, 2> kJudges = {
    {{"without_counters", CounterJudge::kWithoutCounters}, {"final", CounterJudge::kFinal}}};

/// Whether the text gives a value other than "", [] and null.
bool says_something(const Section& section, std::string_view key) {
  const auto& given = section.diagnostics().given();
  const auto found = given.find(section.path() + '.' + std::string(key));
  return found != given.end() && (!found->second->text.empty() || !found->second->items.empty());
}

/// null = empty.
void read_spam_from(Section& section, std::string_view key, std::optional<double>& out) {
  const auto field = section.field(key);
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

void read_authserv_ids(Section& section, std::string_view key, std::vector<std::string>& out) {
  constexpr std::string_view kAllowed =
      "a name such as mx.example.org: 1 to 255 letters, digits, '.', '-' or '_'";
  constexpr std::size_t kNameBytesMax = 255;
  const auto field = section.field(key);
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

void check_shared(const Section& section, const SharedCounterOptions& shared) {
  const bool set = shared.redis != SharedCounterOptions::without_servers();
  if (set && shared.redis.servers.empty() && !says_something(section, "servers")) {
    section.problem("redis",
                    "no server is named, so this daemon would count alone; allowed: with a setting "
                    "of counters.servers, or leave it out");
  }
}

/// There was a service of the counters alone.
void check_service(Section& section) {
  for (const std::string_view key : {"keys_file", "body_bytes_max", "connections_max", "timeout"})
    section.moved_key(key, "http." + std::string(key));
  if (section.gives("listen")) {
    section.refuse_key("listen",
                       "is a part of one service for everything now; allowed: http.listen, and for "
                       "other machines a key of `shingled key add NAME --role count`");
  } else {
    section.moved_key("listen", "http.listen");
  }
}

void check_counters(Section& section, Settings& settings) {
  CounterOptions& counters = settings.counters;
  refuse_foreign_keys(section, ForeignTo::kCounters);
  check_service(section);
  if (!section.has("journal_directory"))
    counters.shared.journal_directory = counters.embedded.directory;
  check_shared(section, counters.shared);
}

Keys<Settings> embedded_keys() {
  const auto place = at_start(&Settings::counters)(&CounterOptions::embedded);
  return {
      key("sync", place(&EmbeddedCounterOptions::sync), Time{10ms, 1min},
          "what was counted is on the disk after this time, {}; a power failure loses at most as "
          "much, a crash of the daemon nothing"),
      key("memory_max", place(&EmbeddedCounterOptions::memory_max), Size{16 * kMi, kTi},
          "for the running ten minutes, {}; if it is full, they are written out early"),
      key("disk_max", place(&EmbeddedCounterOptions::disk_max), Size{64 * kMi, 1024 * kTi},
          "of all files, {}; beyond it the oldest ten minutes are deleted first, then rare "
          "counters of the oldest days; up to as much again while files are merged"),
      key("cache_max", place(&EmbeddedCounterOptions::cache_max), Size{0, kTi},
          "memory for counters that were read lately, {}"),
  };
}

Key<Settings> pieces_section() {
  const auto place = at_reload(&Settings::counters)(&CounterOptions::pieces);
  return map<Settings>(
      "pieces",
      {
          constant("texts_max", place(&PieceOptions::texts_max), Number::write),
          constant("recipients_max", place(&PieceOptions::recipients_max), Number::write),
          constant("links_max", place(&PieceOptions::links_max), Number::write),
          constant("addresses_max", place(&PieceOptions::addresses_max), Number::write),
          constant("phones_max", place(&PieceOptions::phones_max), Number::write),
          constant("wallets_max", place(&PieceOptions::wallets_max), Number::write),
          constant("attachments_max", place(&PieceOptions::attachments_max), Number::write),
          constant("signatures_max", place(&PieceOptions::signatures_max), Number::write),
          constant("pairs_max", place(&PieceOptions::pairs_max), Number::write),
          constant("pieces_max", place(&PieceOptions::pieces_max), Number::write),
          constant("piece_bytes_max", place(&PieceOptions::piece_bytes_max), Size::write),
          map<Settings>(
              "containers",
              container_keys(place(&PieceOptions::containers), "unpacked bytes of all of them, {}"),
              {}, "files in zip, docx, jar, tar.gz are counted, too; limits as in section similar"),
      });
}

Keys<Settings> shared_keys() {
  const auto place = at_start(&Settings::counters)(&CounterOptions::shared);
  const auto redis = place(&SharedCounterOptions::redis);
  return {
      key("servers", redis(&RedisOptions::servers), RedisServers{},
          "Redis servers that hold the counters of all daemons, HOST:PORT, unix:/PATH; [] = each "
          "daemon has its own"),
      start_map<Settings>(
          "redis",
          joined<Settings>(
              {{
                   key("cluster", redis(&RedisOptions::cluster), Switch{},
                       "yes = servers of a Redis cluster; the other members are discovered"),
                   key("wait_replicas", redis(&RedisOptions::wait_replicas), Number{0, 100},
                       "replicas that must have an update before it counts as sent, {}"),
               },
               redis_access_keys(
                   redis, "prefix of every key, 1 to 64 characters",
                   "longest wait for an answer, {}; without one counters are unknown")}),
          [](Section& section, Settings& settings) {
            check_redis_access(section, settings.counters.shared.redis);
          }),
      key("flush", place(&SharedCounterOptions::flush), Time{10ms, 1min},
          "what was counted is sent after this time, {}; equal counters are added up before"),
      key("cache", place(&SharedCounterOptions::cache), Time{0ms, 1min},
          "answers are reused for this long, {}"),
      key("journal_max", place(&SharedCounterOptions::journal_max), Size{0, kTi},
          "bytes that may wait on the disk while no server accepts them, {}; 0 = they are lost"),
      key("journal_directory", place(&SharedCounterOptions::journal_directory), NeededPath{},
          "folder of what waits; not given: `directory`"),
  };
}

}  // namespace

Key<Settings> counters_section() {
  const auto start = at_start(&Settings::counters);
  const auto live = at_reload(&Settings::counters);
  const auto embedded = start(&CounterOptions::embedded);
  return map<Settings>(
      "counters",
      joined<Settings>(
          {{
               key("enabled", live(&CounterOptions::enabled), Switch{}, "no = count nothing"),
               key("directory", embedded(&EmbeddedCounterOptions::directory), NeededPath{},
                   "folder of the files; the daemon makes it, its parent must exist"),
               key("key_file", start(&CounterOptions::key_file), Path{},
                   "the key of this site, 32 hexadecimal digits, mode 0600; \"\" = the file `key` "
                   "in directory. Made at the first start. Daemons that share counters need the "
                   "same. With another one than that of the counters, mail goes on without "
                   "counters"),
           },
           embedded_keys(),
           {
               key("judge", live(&CounterOptions::judge), OneOf(kJudges),
                   "without_counters = the score without rules on counters, so that a verdict does "
                   "not confirm itself; final = the whole score"),
               key("ham_below", live(&CounterOptions::ham_below), Real{},
                   "a message with a lower score counts as ham"),
               key("spam_from", live(&CounterOptions::spam_from),
                   Typed<std::optional<double>>{"real", read_spam_from,
                                                [](const std::optional<double>& score) {
                                                  return score ? shortest_text(*score)
                                                               : std::string("null");
                                                }},
                   "a message with this score counts as spam; null = milter.actions.add_header, or "
                   "without it the lowest score of an action"),
               key("geoip", live(&CounterOptions::geoip), Path{},
                   "a MaxMind DB file (.mmdb) with the countries of addresses, to count from how "
                   "many countries a user logs in (user_country, unique_countries); \"\" = not "
                   "counted"),
               key("keep_reports", start(&CounterOptions::keep_reports), Time{24h, 24h * 365},
                   "how long it is remembered what people said of mail, {}"),
               key("names", live(&CounterOptions::names), Switch{},
                   "yes = keep the texts of frequent pieces, so that `shingled counters top` shows "
                   "them instead of hashes; these are addresses and links of people"),
               key("names_mass", live(&CounterOptions::names_mass), Number{1, 1'000'000},
                   "messages on one day from which a piece is kept, {}"),
               key("names_max", start(&CounterOptions::names_max), Number{1000, 100'000'000},
                   "pieces that are kept, {}"),
               key("authserv_ids", live(&CounterOptions::pieces)(&PieceOptions::authserv_ids),
                   Typed<std::vector<std::string>>{"list", read_authserv_ids, flow_list},
                   "such as mx.example.org; [] = no header is believed"),
               pieces_section(),
           },
           shared_keys()}),
      check_counters);
}

}  // namespace shingled::config
