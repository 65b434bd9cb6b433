#pragma once

#include <string>
#include <string_view>

#include "config/system/socket_address.h"
#include "milter/setup/plan.h"
#include "milter/setup/postfix_setup.h"

namespace shingled::milter::setup {

// What takes this filter out of another program again: the opposite of plan_postfix and of the
// plans of the others (Sendmail: sendmail_setup.h). Only what those add is removed; nothing to
// remove = a plan without differences.
// Threads: stateless.

Plan plan_postfix_removal(const PostfixFacts& facts, const SocketSpec& milter);
Plan plan_rspamd_removal(const std::string& path, std::string_view text);
/// `path`: the file of this filter in conf.d.
Plan plan_dovecot_removal(const std::string& path, std::string_view text);

}  // namespace shingled::milter::setup
