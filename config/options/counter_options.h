#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/options/milter_options.h"
#include "config/options/redis_options.h"
#include "config/options/similar_options.h"

namespace shingled {

/// Limits on containers of which only the files are named: they are opened for every message.
inline ContainerOptions counted_containers() {
  ContainerOptions options;
  options.depth_max = 2;
  options.entries_max = 100;
  options.unpacked_max = std::uint64_t{8} << 20;
  return options;
}

/// Section `counters.pieces`: which pieces of a message are counted. What exceeds a limit is not
/// counted.
struct PieceOptions {
  /// Servers whose Authentication-Results are believed, by the name that they write. The first
  /// server of ours must remove such headers that came from outside (RFC 8601 section 5).
  std::vector<std::string> authserv_ids = {};

  // These bounds are not in the file.
  std::uint32_t texts_max = 8;  ///< texts of a message that are searched
  std::uint32_t recipients_max = 50;
  std::uint32_t links_max = 50;      ///< also of hosts, of domains, of paths, of pictures
  std::uint32_t addresses_max = 20;  ///< mail addresses in texts
  std::uint32_t phones_max = 20;     ///< telephone numbers in texts
  std::uint32_t wallets_max = 20;
  std::uint32_t attachments_max = 50;    ///< also images, files in containers, names
  std::uint32_t signatures_max = 8;      ///< domains of DKIM signatures
  std::uint32_t pairs_max = 100;         ///< of each type of pairs
  std::uint32_t pieces_max = 500;        ///< of all types together
  std::uint32_t piece_bytes_max = 1024;  ///< of a piece; the rest is cut off
  ContainerOptions containers = counted_containers();

  friend bool operator==(const PieceOptions&, const PieceOptions&) = default;
};

/// The counters of this machine.
struct EmbeddedCounterOptions {
  /// Folder of the files. The daemon makes it; one process at a time may use it.
  std::string directory = "/var/lib/shingled/counters";
  /// What was counted is on the disk after this time at the latest, 10ms to 1m. A power failure
  /// loses at most as much; the end of the process loses nothing.
  std::chrono::milliseconds sync{1000};
  /// Of the running ten minutes, 16M to 1T. If it is full, they are written out early.
  std::uint64_t memory_max = 256ULL << 20U;
  /// Of all files, 64M to 1P. Beyond it the oldest ten minutes go, then rare counters of old days.
  std::uint64_t disk_max = 8ULL << 30U;
  /// Of the log of the running ten minutes, not in the file: they are written out early beyond it,
  /// so that a start has little to read.
  std::uint64_t log_max = 64ULL << 20U;
  std::uint64_t cache_max = 32ULL << 20U;  ///< memory of recently read series, 0 to 1T

  friend bool operator==(const EmbeddedCounterOptions&, const EmbeddedCounterOptions&) = default;
};

/// The counters that several daemons share in Redis.
struct SharedCounterOptions {
  RedisOptions redis = without_servers();  ///< no servers = the embedded counters are used
  /// What was counted is sent after this time, 10ms to 1m; equal counters meet before.
  std::chrono::milliseconds flush{1000};
  std::chrono::milliseconds cache{2000};  ///< answers are reused for this long, 0 to 1m
  /// Bytes that may wait on disk while no server accepts them, 0 to 1T; 0 = they are lost.
  std::uint64_t journal_max = 1ULL << 30U;
  /// Folder of what waits. Where only `directory` is given, it is that.
  std::string journal_directory = "/var/lib/shingled/counters";

  [[nodiscard]] bool enabled() const { return !redis.servers.empty(); }
  friend bool operator==(const SharedCounterOptions&, const SharedCounterOptions&) = default;

  static RedisOptions without_servers() {
    RedisOptions out;
    out.servers.clear();
    out.prefix = "counters";
    return out;
  }
};

/// By what score a message counts as spam or ham.
enum class CounterJudge : std::uint8_t {
  kWithoutCounters,  ///< without rules on counters
  kFinal,            ///< the whole verdict
};

/// Section `counters`: how many messages had the same pieces.
struct CounterOptions {
  bool enabled = true;
  /// The site's key, 32 hexadecimal digits; empty = the file `key` in `directory`. Made at the
  /// first start. Daemons that share counters need the same key.
  std::string key_file;
  CounterJudge judge = CounterJudge::kWithoutCounters;
  /// A message with a lower score counts as ham; any finite number.
  double ham_below = 1;
  /// A message with this score counts as spam; empty = the threshold `milter.actions.add_header`,
  /// or without one the lowest of an action.
  std::optional<double> spam_from;
  bool names = false;                   ///< keep the texts of pieces, so that `top` can show them
  std::uint32_t names_mass = 10;        ///< mass of a day from which a piece is kept, 1 to 1000000
  std::uint32_t names_max = 1'000'000;  ///< pieces kept, 1000 to 100000000

  /// How long it is remembered what people said of mail, 1d to 365d.
  std::chrono::seconds keep_reports{365 * 24 * 3600};

  /// A MaxMind DB file with the country of each address, for user_country and unique_countries;
  /// empty = they are not counted.
  std::string geoip;

  PieceOptions pieces;
  EmbeddedCounterOptions embedded;
  SharedCounterOptions shared;

  /// The file of the texts.
  [[nodiscard]] std::string names_path() const { return embedded.directory + "/names.db"; }
  /// The file of what people said.
  [[nodiscard]] std::string people_path() const { return embedded.directory + "/people.db"; }
  /// The file of the key.
  [[nodiscard]] std::string key_path() const {
    return key_file.empty() ? embedded.directory + "/key" : key_file;
  }
  /// The score from which a message counts as spam; nullopt = none does.
  [[nodiscard]] std::optional<double> spam_score(const ActionOptions& actions) const {
    if (spam_from) return spam_from;
    if (actions.add_header) return actions.add_header;
    std::optional<double> least;
    for (const auto& score :
         {actions.discard, actions.reject, actions.quarantine, actions.tempfail}) {
      if (score && (!least || *score < *least)) least = score;
    }
    return least;
  }
  friend bool operator==(const CounterOptions&, const CounterOptions&) = default;
};

}  // namespace shingled
