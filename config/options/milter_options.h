#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/system/socket_address.h"

namespace shingled {

/// What happens to a message that could not be judged.
enum class FailurePolicy : std::uint8_t { kAccept, kTempfail, kReject };

/// The failure policy by class of sender.
struct FailureOptions {
  FailurePolicy local = FailurePolicy::kAccept;          ///< from `local_networks` or a local pipe
  FailurePolicy authenticated = FailurePolicy::kAccept;  ///< after SMTP AUTH
  FailurePolicy other = FailurePolicy::kAccept;

  friend bool operator==(const FailureOptions&, const FailureOptions&) = default;
};

/// Scores from which an action is taken. The strongest action whose score is reached wins:
/// discard > reject > quarantine > tempfail > add_header. Without a score an action is never
/// taken; a score is any finite number.
struct ActionOptions {
  std::optional<double> discard;
  std::optional<double> reject = 10.0;
  std::optional<double> quarantine;
  std::optional<double> tempfail;
  std::optional<double> add_header = 4.0;

  friend bool operator==(const ActionOptions&, const ActionOptions&) = default;
};

/// Names of the headers that we add: RFC 5322 field names of at most 64 bytes, all different, and
/// none that mail has itself. Empty = not added.
struct HeaderOptions {
  /// "Yes", from the add_header threshold on: other filters and Sieve rules use it, too.
  std::string spam = "X-Spam";
  std::string score = "X-Shingled-Score";
  std::string status = "X-Shingled-Status";
  std::string result = "X-Shingled-Result";  ///< one for each hit, at most 32
  /// Inbound headers with these names are removed first. Default: the names of `score`, `status`
  /// and `result`, which only we write. At most 100.
  std::vector<std::string> remove = {score, status, result};

  friend bool operator==(const HeaderOptions&, const HeaderOptions&) = default;
};

/// Section `milter`: the mail side.
struct MilterOptions {
  bool enabled = true;
  SocketSpec socket = {SocketSpec::Kind::kInet, "127.0.0.1", 11339, ""};
  std::uint32_t socket_mode = 0660;         ///< of a unix socket, 0600 to 0777
  std::string socket_group;                 ///< of a unix socket; empty = the process's
  std::chrono::milliseconds timeout{5000};  ///< for all look-ups of one message, 100ms to 10m
  /// Look-ups of one message and rule, the most useful first, 1 to 1000000; everything beyond is
  /// unknown, as after a failure.
  std::uint32_t lookups_max = 1000;
  std::chrono::seconds mta_timeout{7210};  ///< libmilter's wait for the MTA; not in the file
  /// The rest of a message is not judged, 1K to 2G.
  std::uint64_t message_bytes_max = 50UL * 1024 * 1024;
  /// For all messages in progress, with their analysis: 16M to 1T, with room for one of
  /// `message_bytes_max` (message_memory.h). A message that finds none waits or is deferred.
  std::uint64_t memory_max = 1024UL * 1024 * 1024;
  std::vector<Network> local_networks = {*Network::parse("127.0.0.0/8"), *Network::parse("::1")};
  bool skip_local = false;          ///< pass mail of local senders unchecked
  bool skip_authenticated = false;  ///< pass mail of authenticated senders unchecked
  bool dry_run = false;             ///< log verdicts, change nothing
  FailureOptions on_failure;
  ActionOptions actions;
  HeaderOptions headers;
  /// After "5.7.1", 1 to 450 ASCII characters; neutral, without the name of a rule.
  std::string reject_text = "Message rejected as spam";
  std::chrono::seconds drain_time{30};  ///< at SIGTERM, for messages in progress, 0 to 1h

  friend bool operator==(const MilterOptions&, const MilterOptions&) = default;
};

}  // namespace shingled
