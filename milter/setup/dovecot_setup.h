#pragma once

#include <functional>
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

/// What takes all of it out again. `path`: the file of this filter in conf.d. Nothing to remove = a
/// plan without differences.
/// Threads: stateless.
Plan plan_dovecot_removal(const std::string& path, std::string_view text);

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

/// What one version of Dovecot needs.
struct DovecotChange {
  Plan plan;         ///< without edits
  std::string junk;  ///< the mailbox of spam, as users see it
  std::string file;  ///< the settings of our own file, in the syntax of that version
};

DovecotChange change_dovecot23(const DovecotFacts& facts);
DovecotChange change_dovecot24(const DovecotFacts& facts);

inline constexpr std::string_view kSpamScript = "/report-spam.sieve";
inline constexpr std::string_view kHamScript = "/report-ham.sieve";
inline constexpr std::string_view kJunkScript = "/marked-to-junk.sieve";

/// Why the rule of marked mail is taken out.
inline constexpr std::string_view kNoRule = "marked mail is delivered as all other mail";

/// What to say where programs for scripts are in a folder of the administrator.
inline std::string link_note(const std::string& programs, const std::string& ours) {
  return "sieve_pipe_bin_dir is " + programs + ", so there has to be a link: ln -s " + ours +
         "/shingled-report " + programs;
}

}  // namespace shingled::milter::setup
