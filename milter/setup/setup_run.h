#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "milter/setup/machine.h"
#include "milter/setup/plan.h"
#include "milter/setup/postfix_setup.h"
#include "milter/setup/rspamd_setup.h"

namespace shingled::milter::setup {

/// A program, or what people report to this one.
enum class Peer : std::uint8_t { kPostfix, kSendmail, kDovecot, kRspamd, kReports };

/// What another program has to know of this one.
struct OwnFacts {
  SocketSpec milter;
  bool has_milter = true;         ///< milter.enabled
  std::string socket_group;       ///< milter.socket_group
  SocketSpec storage;             ///< the fuzzy port; port 0 = there is none
  std::string storage_key;        ///< its public key, if it refuses what is not encrypted
  std::vector<RspamdList> lists;  ///< of the rule with the local storage
  std::string share;              ///< folder with what belongs to Dovecot
  std::string compiled;           ///< folder for the compiled form of its scripts
  bool junk_rule = true;          ///< Dovecot delivers marked mail to the mailbox of spam
  std::string status_header;      ///< milter.headers.status
  std::string spam_header;        ///< milter.headers.spam
  std::string settings_file;      ///< our own; empty = there is none
  std::string residents;          ///< the answer for reports.residents; empty = none was given
};

/// Looks at the configuration of a mail program, and changes it.
/// Threads: one thread; waits.
class SetupRun {
 public:
  /// `folder`: of the configuration of the peer; empty = where it is by default. `machine` must
  /// outlive it.
  SetupRun(Peer peer, std::string folder, OwnFacts own, Machine& machine);

  /// What takes this filter out of that program again. What other programs may use by now stays,
  /// and a note names it. Changes nothing.
  /// Errors: as `look`.
  Result<Plan> look_for_removal();
  /// Changes nothing.
  /// Errors: kNotFound (the peer, or its configuration, is not there), those of Machine.
  Result<Plan> look();

  /// The files and settings that `apply` changed, and the copies that it kept.
  struct Applied {
    std::vector<std::string> lines;
  };
  /// Makes the changes of a plan. `stamp`: for the names of copies, "20261123221000".
  /// Errors: those of Machine. What was changed before stays; its copy is there.
  Result<Applied> apply(const Plan& plan, const std::string& stamp);

 private:
  Result<PostfixFacts> ask_postfix();
  Result<Plan> look_at_postfix();
  Result<Plan> look_at_sendmail();
  Result<Plan> look_at_dovecot();
  Result<Plan> look_at_rspamd();
  Result<Plan> look_at_reports();
  /// The file that sievec makes of a script. Nothing is written to /usr at run time.
  [[nodiscard]] std::string compiled_form(const std::string& script) const;
  Result<Applied> apply_to_postfix(const Plan& plan, const std::string& stamp);
  /// Makes a copy of a file that is there.
  Status keep(const std::string& path, const std::string& stamp, Applied& applied);
  /// The file, or nothing if there is none.
  Result<std::string> read_if_there(const std::string& path);

  Peer peer_;
  std::string folder_;
  OwnFacts own_;
  Machine& machine_;
};

}  // namespace shingled::milter::setup
