#pragma once

#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/options/settings.h"

namespace shingled::milter::desk {

/// The servers that a command talks to, as the user names them: --server, --key, --rule.
struct ServerArguments {
  std::vector<std::string> servers = {};  ///< HOST[:PORT], standard port 11335
  std::string key = {};                   ///< the servers' public key: z-base-32 or hexadecimal
  std::string rule = {};                  ///< a rule of the configuration
  std::string tcp = {};                   ///< "yes", "no", "auto"; "" = the rule's
  std::string protocol = {};  ///< the version byte: "3", "4", "5", "0x14"; "" = the rule's
};

/// One rule and the servers to ask for it.
struct Destination {
  const RuleOptions* rule = nullptr;  ///< makes the hashes, names the flags; part of the Settings
  RemoteOptions remote;               ///< never without a server
  bool local = false;                 ///< the daemon of these very settings
};

/// How to make hashes for those servers: as the rule says, but without our robust form if a rule
/// for the embedded storage is used for --server, which may not know that form.
HashOptions hash_options(const Destination& destination);

/// The rule of that name; an empty name means `local`, else the first rule.
/// Errors: kInvalid with the names of the rules.
Result<const RuleOptions*> find_rule(const Settings& settings, const std::string& name);

/// The servers to ask: those of every rule, or of the named rule, or --server with the hashes of
/// the rule that `find_rule` gives. A rule without servers means the local daemon.
/// Errors: kInvalid (unknown rule, bad address or key), kUnavailable (a rule means the local
/// daemon, which has no fuzzy service in these settings).
Result<std::vector<Destination>> choose_destinations(const ServerArguments& arguments,
                                                     const Settings& settings);

/// The servers to teach, for one rule: the named one, else `local`, else the first that means the
/// local daemon, else the first that is not read-only. Training stays on this machine by default: a
/// read-only `local` is an error and is not sent to other servers.
Result<Destination> choose_destination(const ServerArguments& arguments, const Settings& settings);

/// The fuzzy service of the daemon that runs with these settings: its first listening address, with
/// loopback in place of a wildcard; encrypted with its own key if it accepts only sealed requests.
Result<RemoteOptions> local_service(const StorageOptions& storage);

}  // namespace shingled::milter::desk
