#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace shingled {

/// Which names of a message the history has in clear.
enum class HistoryNames : std::uint8_t {
  kOff,
  kEnvelope,  ///< sender and recipients
  kSubject,   ///< also the subject
};

/// Section `history`: what each message looked like when it was judged.
struct HistoryOptions {
  bool enabled = true;
  std::string file = "/var/lib/shingled/history.db";
  std::chrono::seconds keep = std::chrono::hours(24 * 14);  ///< 1h to 365d; older messages go
  /// How long a message can be reported by its queue id, as what a report needs of it is kept: 0 to
  /// 365d, 0 = never. Some 2 to 4 KB for a message.
  std::chrono::seconds act_for = std::chrono::hours(24 * 7);
  HistoryNames names = HistoryNames::kEnvelope;
  /// Of the file, 1M to 1P. Beyond it goes what is kept for reports of
  /// messages that are older than a day, and then the oldest messages.
  std::uint64_t bytes_max = 1ULL << 30U;
  /// Daemons whose messages are found here, too: URLs as in ClientOptions, at most 16.
  std::vector<std::string> peers;
  std::string peers_key_file;  ///< a key of the role read of each of them; empty = none
  std::string peers_ca_file;   ///< certificates to trust, PEM; empty = those of the system
  /// For which windows the counters of a message are asked, for rules that are tried later: 10m to
  /// 24h in steps of ten minutes, 1d to 14d. Empty: only what the rules in force need.
  std::vector<std::string> windows = {"10m", "1h", "1d", "14d"};

  friend bool operator==(const HistoryOptions&, const HistoryOptions&) = default;
};

}  // namespace shingled
