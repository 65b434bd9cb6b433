#pragma once

#include <string>
#include <string_view>

#include "milter/setup/doveconf.h"
#include "milter/setup/dovecot_setup.h"
#include "milter/setup/plan.h"

namespace shingled::milter::setup {

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
