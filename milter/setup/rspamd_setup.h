#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/system/socket_address.h"
#include "milter/setup/plan.h"

namespace shingled::milter::setup {

/// A list of the storage that rspamd shall know.
struct RspamdList {
  std::string symbol;  ///< "FUZZY_DENIED"
  std::uint32_t flag = 0;
  double hits_limit = 0;  ///< the stored value at which the score saturates
};

/// `path`: of local.d/fuzzy_check.conf, `text`: what it has. Adds a rule that asks `storage`; other
/// rules stay. `key`: the public key of the storage if it refuses what is not encrypted.
/// Threads: stateless.
Plan plan_rspamd(const std::string& path, std::string_view text, const SocketSpec& storage,
                 const std::string& key, const std::vector<RspamdList>& lists);

/// What takes the rule out again; nothing else is removed. Nothing to remove = a plan without
/// differences.
/// Threads: stateless.
Plan plan_rspamd_removal(const std::string& path, std::string_view text);

}  // namespace shingled::milter::setup
