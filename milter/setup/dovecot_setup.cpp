#include "milter/setup/dovecot_setup.h"

#include <string_view>
#include <utility>

#include "milter/setup/dovecot_change.h"

namespace shingled::milter::setup {

namespace {

constexpr std::string_view kOwnFile = "conf.d/95-shingled.conf";

/// Whether dovecot.conf reads the folder, as Debian's does.
bool reads_folder(std::string_view main) {
  for (const std::string_view line : {"!include conf.d/*.conf", "!include_try conf.d/*.conf"}) {
    if (main.starts_with(line) || main.find("\n" + std::string(line)) != std::string_view::npos)
      return true;
  }
  return false;
}

}  // namespace

Plan plan_dovecot(const DovecotFacts& given) {
  DovecotFacts facts = given;
  facts.junk_rule = given.junk_rule && !given.status_header.empty();
  const bool is_23 = facts.version.starts_with("2.3.");
  if (!is_23 && !facts.version.starts_with("2.4.")) {
    Plan plan;
    plan.problems.push_back("this is Dovecot " + facts.version.substr(0, facts.version.find(' ')) +
                            "; only the settings of 2.3 and 2.4 are known");
    return plan;
  }
  DovecotChange change = is_23 ? change_dovecot23(facts) : change_dovecot24(facts);
  Plan plan = std::move(change.plan);
  if (given.junk_rule && !facts.junk_rule) {
    plan.notes.emplace_back(
        "milter.headers.status is empty, so delivery cannot see what is marked, and marked mail "
        "does not go to " +
        change.junk);
  }
  if (plan.differences.empty()) return plan;
  const std::string own = facts.folder + "/" + std::string(kOwnFile);
  plan.edits.push_back({own, "# Reports by moves into and out of " + change.junk +
                                 "; made by: shingled setup dovecot --apply\n" + change.file});
  const std::string include = "!include " + std::string(kOwnFile) + "\n";
  if (!reads_folder(facts.main) && facts.main.find(include) == std::string::npos) {
    const bool ends = facts.main.empty() || facts.main.ends_with('\n');
    plan.edits.push_back(
        {facts.folder + "/dovecot.conf", facts.main + (ends ? "" : "\n") + include});
  }
  plan.notes.emplace_back("Dovecot reads it after: doveadm reload");
  return plan;
}

}  // namespace shingled::milter::setup
