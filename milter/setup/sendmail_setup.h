#pragma once

#include <string>
#include <string_view>

#include "config/system/socket_address.h"
#include "milter/setup/plan.h"

namespace shingled::milter::setup {

/// The milter as Sendmail names it: "inet:11339@127.0.0.1", "unix:/run/shingled/milter.sock".
/// Threads: stateless, as the other function here.
std::string sendmail_endpoint(const SocketSpec& milter);

/// `path`: of sendmail.mc, `text`: what it has. Other filters stay; ours is called after them.
Plan plan_sendmail(const std::string& path, std::string_view text, const SocketSpec& milter);

/// What takes this filter out of sendmail.mc again.
Plan plan_sendmail_removal(const std::string& path, std::string_view text);

}  // namespace shingled::milter::setup
