#pragma once

#include <string>

#include "milter/setup/plan.h"

namespace shingled::milter::setup {

/// What a Dovecot says of itself, and where its files are.
struct DovecotFacts {
  std::string version;        ///< `dovecot --version`: "2.3.19.1 (9b53102964)"
  std::string config;         ///< `doveconf -n`
  std::string folder;         ///< with dovecot.conf
  std::string main;           ///< the text of dovecot.conf
  std::string share;          ///< with the scripts: /usr/share/shingled/dovecot
  std::string compiled;       ///< with their compiled form: /var/cache/shingled/dovecot
  std::string junk = "Junk";  ///< the mailbox of spam, where none has that special use
  bool junk_rule = true;      ///< deliver marked mail to that mailbox
  std::string status_header = "X-Shingled-Status";  ///< milter.headers.status; empty = not added
  std::string spam_header = "X-Spam";               ///< milter.headers.spam
};

/// Reports by moves between mailboxes, with IMAPSieve, of Dovecot 2.3 and 2.4, and a rule that
/// delivers marked mail to the mailbox of spam. Other plugins, extensions and scripts stay.
/// Threads: stateless.
Plan plan_dovecot(const DovecotFacts& facts);

}  // namespace shingled::milter::setup
