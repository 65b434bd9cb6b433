#pragma once

#include <map>
#include <string>
#include <string_view>

#include "milter/setup/plan.h"

namespace shingled::milter::setup {

/// What a Dovecot says of itself, and where its files are.
struct DovecotFacts {
  std::string version;        ///< `dovecot --version`: "2.3.19.1 (9b53102964)"
  std::string config;         ///< `doveconf -n`
  std::string folder;         ///< with dovecot.conf
  std::string main;           ///< the text of dovecot.conf
  std::string share;          ///< with the scripts: /usr/share/shingled/dovecot
  std::string junk = "Junk";  ///< the mailbox of spam, where none has that special use
};

/// The settings that doveconf prints, by their path: "plugin/sieve_plugins",
/// "protocol imap/mail_plugins". Names of nameless blocks are left out,
/// and so are quotes around values.
/// Threads: stateless, as the other functions here.
std::map<std::string, std::string, std::less<>> parse_doveconf(std::string_view text);

/// Reports by moves between mailboxes, with IMAPSieve. Other plugins, extensions and scripts stay.
Plan plan_dovecot(const DovecotFacts& facts);

}  // namespace shingled::milter::setup
