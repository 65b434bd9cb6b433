#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace shingled::milter::setup {

/// The settings of a Dovecot by their paths: "plugin/sieve_plugins", "protocol imap/mail_plugins",
/// "namespace inbox/mailbox Sent Messages/special_use". Names of nameless blocks are left out;
/// quotes around names and values, too.
using DoveSettings = std::map<std::string, std::string, std::less<>>;

/// Reads what `doveconf -n` prints, of 2.3 and 2.4.
/// Threads: stateless, as the other functions here.
DoveSettings parse_doveconf(std::string_view text);

/// A setting's value; empty if it is not there.
std::string setting_of(const DoveSettings& settings, std::string_view name);

/// The mailbox of a special use.
struct DoveMailbox {
  std::string prefix;  ///< of its namespace: "INBOX."
  std::string name;    ///< without the prefix

  /// As users see it.
  [[nodiscard]] std::string whole() const { return prefix + name; }
};

/// The mailbox with this special use ("\\Junk"); `fallback` if none has it.
DoveMailbox mailbox_for(const DoveSettings& settings, std::string_view use,
                        const std::string& fallback);

}  // namespace shingled::milter::setup
