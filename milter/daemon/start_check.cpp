#include "milter/daemon/start_check.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/system/os_error.h"
#include "config/system/whole_file.h"
#include "milter/backup/restore.h"
#include "milter/counters/country_file.h"
#include "milter/daemon/name_check.h"
#include "milter/daemon/peer_check.h"
#include "milter/http/access.h"
#include "milter/http/endpoint.h"
#include "milter/http/tls_identity.h"
#include "milter/names/list_files.h"
#include "milter/policy/policy_rules.h"
#include "milter/process/privileges.h"
#include "milter/ratelimit/limit_reloader.h"
#include "milter/reports/alias_table.h"
#include "milter/reports/mailbox_names.h"
#include "storage/access/access_reloader.h"
#include "storage/client/remote_store.h"
#include "storage/counters/counter_key.h"
#include "storage/crypto/keypair.h"
#include "storage/similar/sample_library.h"

namespace shingled::milter::daemon {

namespace {

using config::Places;
using config::Problem;

/// Collects problems.
class Findings {
 public:
  explicit Findings(const Places& places) : places_(places) {}

  void error(std::string_view key, std::string_view what) {
    found_.push_back(places_.problem(key, what));
  }
  void add(std::vector<Problem> problems) {
    found_.insert(found_.end(), problems.begin(), problems.end());
  }
  void warning(std::string_view key, std::string_view what) {
    found_.push_back(places_.problem(key, what, Problem::Severity::kWarning));
  }
  void fault(std::string_view key, std::string_view what) {
    found_.push_back(places_.problem(key, what, Problem::Severity::kFault));
  }
  [[nodiscard]] std::vector<Problem> take() { return std::move(found_); }

 private:
  const Places& places_;
  std::vector<Problem> found_;
};

constexpr const char* kFolderForm =
    "; allowed: a folder that exists (mkdir) and belongs to the daemon (chown)";

/// The user and group of the daemon. If one does not exist, this is an error, and the present one
/// is used.
process::Identity check_identity(const DaemonOptions& options, Findings& found) {
  process::Identity out;
  DaemonOptions user_only = options;
  user_only.group.clear();
  if (const auto identity = process::daemon_identity(user_only)) {
    out = *identity;
  } else {
    found.error("daemon.user", "'" + options.user +
                                   "' is not a user of this system; allowed: an existing user, or "
                                   "\"\" for the user who starts the daemon");
  }
  DaemonOptions group_only = options;
  group_only.user.clear();
  if (const auto identity = process::daemon_identity(group_only); !identity) {
    found.error("daemon.group", "'" + options.group +
                                    "' is not a group of this system; allowed: an existing group, "
                                    "or \"\" for the group of the user");
  } else if (!options.group.empty()) {
    out.group = identity->group;
  }
  return out;
}

/// Why the daemon cannot create `file`, or read and write it, or its folder.
std::optional<std::string> fault_of(const std::string& file) {
  const auto parent = std::filesystem::path(file).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0)
    return file + ": its folder cannot be used: " + os_reason(errno) + kFolderForm;
  if (!S_ISDIR(info.st_mode)) return file + ": " + folder + " is not a folder" + kFolderForm;
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return file + ": the daemon may not write to its folder: " + os_reason(errno) + kFolderForm;
  if (::faccessat(AT_FDCWD, file.c_str(), F_OK, AT_EACCESS) == 0 &&
      ::faccessat(AT_FDCWD, file.c_str(), R_OK | W_OK, AT_EACCESS) != 0)
    return file + ": the daemon may not read and write it: " + os_reason(errno) +
           "; allowed: a file that belongs to the daemon (chown --reference=" + folder + " " +
           file + "; a restored copy belongs to the user who copied it)";
  return std::nullopt;
}

void check_folder(std::string_view key, const std::string& file, Findings& found) {
  if (file.empty()) return;
  if (const auto fault = fault_of(file)) found.error(key, *fault);
}

/// As check_folder, for a file without which mail is served. If nobody chose its place, this is no
/// error.
void check_spare_file(std::string_view key, const std::string& file, const std::string& built_in,
                      Findings& found) {
  const auto fault = fault_of(file);
  if (!fault) return;
  if (file == built_in) return found.warning(key, *fault + "; mail goes on without it");
  found.error(key, *fault);
}

/// Checks that the daemon can use or make the folder of the counters. If it cannot, mail is served
/// without them, so this is no error.
void check_counter_folder(std::string_view key, const std::string& folder, Findings& found) {
  const auto warn = [&](const std::string& why) {
    found.warning(key,
                  folder + ": " + why + "; nothing is counted until it can be used" + kFolderForm);
  };
  const std::filesystem::path path(folder);
  struct stat info {};
  const bool exists = ::stat(folder.c_str(), &info) == 0;
  if (exists && !S_ISDIR(info.st_mode)) return warn("this is not a folder");
  const std::string place = exists ? folder : path.parent_path().string();
  if (::faccessat(AT_FDCWD, place.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    warn(std::string(exists ? "the daemon may not write to it: " : "it cannot be made: ") +
         os_reason(errno));
  }
}

void check_counters(const CounterOptions& options, Findings& found) {
  if (!options.enabled) return;
  if (!options.shared.enabled()) {
    check_counter_folder("counters.directory", options.embedded.directory, found);
  } else if (options.shared.journal_max > 0) {
    check_counter_folder("counters.journal_directory", options.shared.journal_directory, found);
  }
  if (!options.geoip.empty()) {
    const auto countries = counters::CountryFile::open(options.geoip);
    if (!countries)
      found.warning("counters.geoip", countries.error().message + "; countries are not counted");
  }
  // It is made at the first start.
  const std::string catalogue = options.embedded.directory + "/counters.db";
  if (::access(options.key_path().c_str(), F_OK) != 0 &&
      (options.shared.enabled() || ::access(catalogue.c_str(), F_OK) != 0))
    return;
  SystemRandom random;
  const auto key = storage::counters::site_key(options, random);
  Status right = key ? Status() : Status(key.error());
  if (key && !options.shared.enabled())
    right = storage::counters::check_key_mark(options.embedded.directory,
                                              storage::counters::key_mark(*key));
  if (right) return;
  // Mail is filtered without counters rather than not at all.
  found.fault(options.key_file.empty() ? "counters.directory" : "counters.key_file",
              right.error().message + "; nothing is counted until it can be used");
}

/// Checks only that the folder of the log exists. The rights are checked when the log is opened.
void check_log(const std::string& file, Findings& found) {
  if (file.empty()) return;
  struct stat info {};
  const std::string folder = std::filesystem::path(file).parent_path().string();
  if (::stat(folder.c_str(), &info) == 0) return;
  found.error("daemon.log_file",
              file + ": its folder cannot be used: " + os_reason(errno) + kFolderForm);
}

void check_syslog(SyslogFacility facility, Findings& found) {
  constexpr const char* kSocket = "/dev/log";
  if (facility == SyslogFacility::kNone || ::access(kSocket, F_OK) == 0) return;
  found.warning("daemon.syslog", std::string(kSocket) + ": " + os_reason(errno) +
                                     "; lines are lost until there is a syslog daemon");
}

void check_own_keys(const std::vector<Keypair>& pairs, std::string_view key, Findings& found) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (storage::crypto::public_key_of(pairs[i].secret_key) == pairs[i].public_key) continue;
    const std::string which = pairs.size() == 1 ? "" : '[' + std::to_string(i) + ']';
    found.error(std::string(key) + which,
                "the private key does not belong to the public key beside it; allowed: a pair as "
                "`shingled keypair` prints it");
  }
}

void check_lists(const ServerOptions& options, Findings& found) {
  check_own_keys(options.keypair, "storage.keypair", found);
  NullLogger silent;
  storage::access::ListReader lists(silent);
  const auto whole = lists.read(options);
  for (const storage::access::ListFault& fault : lists.faults())
    found.error(fault.option, fault.error.message);
  if (!whole) return;
  const bool fit = storage::crypto::Keyring::make(options.keypair).has_value();
  const auto ring = storage::crypto::Keyring::make(whole->keypair, whole->dynamic_keypair);
  if (fit && !ring) found.error("storage.keypair", ring.error().message);
}

void check_limits(const MailLimitOptions& options, Findings& found) {
  NullLogger silent;
  ratelimit::LimitLists lists(silent);
  static_cast<void>(lists.read(options));
  for (const ratelimit::LimitLists::Fault& fault : lists.faults())
    found.error(fault.option, fault.error.message);
  if (options.enabled() && !options.shared()) check_folder("ratelimit.file", options.file, found);
}

void check_similar(const SimilarOptions& options, Findings& found) {
  if (!options.enabled) return;
  check_folder("similar.file", options.file, found);
  std::unique_ptr<storage::similar::SampleLibrary> library;
  if (::access(options.file.c_str(), F_OK) == 0) {
    auto opened = storage::similar::SampleLibrary::open({.file = options.file,
                                                         .part_block_size = options.part_block_size,
                                                         .parts = options.parts,
                                                         .index = false,
                                                         .read_only = true});
    if (!opened) return found.error("similar.file", opened.error().message);
    library = *std::move(opened);
  }
  for (std::size_t i = 0; i < options.lists.size(); ++i) {
    const std::string& name = options.lists[i].name;
    bool any = false;
    const auto see = [&](const storage::Sample&) {
      any = true;
      return false;
    };
    if (library != nullptr && (!library->each(name, see) || any)) continue;
    std::string problem = "the library has no sample of list '" + name;
    problem += "'; add some with `shingled similar add --list " + name + " FILE`";
    found.warning("similar.lists[" + std::to_string(i) + "].name", problem);
  }
}

/// Who may use the API, and what it shows to prove that it is itself.
void check_http(const HttpOptions& options, Findings& found) {
  if (options.listen.empty()) return;
  SystemClock clock;
  SystemRandom random;
  const auto check = [&](const char* key, const http::AccessOptions& files) {
    const auto access = http::Access::open(files, clock, random);
    if (!access) found.error(key, access.error().message);
  };
  check("http.keys_file", {http::Role::kOff, options.keys_file, ""});
  check("http.users_file", {http::Role::kOff, "", options.users_file});
  if (options.certificate.empty()) return;
  const auto identity = http::TlsIdentity::read({options.certificate, options.key});
  if (!identity) return found.error("http.tls", identity.error().message);
  if ((*identity)->expires() < unix_seconds(clock.wall()))
    found.warning("http.tls.certificate", options.certificate + ": has expired");
}

/// What commands read of it is checked by them: they run as other users.
void check_client(const ClientOptions& options, Findings& found) {
  if (options.server.empty()) return;
  const auto server = http::parse_endpoint(options.server);
  if (!server) found.error("client.server", server.error().message);
}

void check_milter(const MilterOptions& options, Findings& found) {
  if (options.socket.kind != SocketSpec::Kind::kUnix) return;
  check_folder("milter.socket", options.socket.path, found);
  if (!options.socket_group.empty() && ::getgrnam(options.socket_group.c_str()) == nullptr) {
    found.error("milter.socket_group", "'" + options.socket_group +
                                           "' is not a group of this system; allowed: an existing "
                                           "group, or \"\" for the group of the process");
  }
}

/// The same checks as when the scanner opens the remote stores.
void check_rules(const std::vector<RuleOptions>& rules, Findings& found) {
  SystemClock clock;
  SystemRandom random;
  for (const RuleOptions& rule : rules) {
    if (!rule.remote.is_remote()) continue;
    const auto store = storage::client::RemoteStore::open_by_address(rule.remote, clock, random);
    if (!store) found.error("rules." + rule.name + ".encryption_key", store.error().message);
  }
}

/// `aliases`: the text of the file.
void check_bare_names(const ReportOptions& options, std::string_view aliases, Findings& found) {
  const std::string machine = reports::mail_domain_of_machine();
  for (const reports::BareName& bare : reports::bare_names(options, machine, aliases))
    found.warning(bare.key, reports::why_bare(bare, machine));
}

void check_reports(const ReportOptions& options, Findings& found) {
  check_spare_file("reports.file", options.file, ReportOptions().file, found);
  if (options.aliases.empty()) return check_bare_names(options, "", found);
  const auto text = read_whole_file(options.aliases, reports::MailboxNames::kFileBytesMax);
  check_bare_names(options, text ? text->text : std::string(), found);
  // Reports work without it: each address is a mailbox.
  if (!text) return found.fault("reports.aliases", text.error().message);
  std::optional<reports::AliasTable::Mistake> mistake;
  static_cast<void>(reports::AliasTable::parse(text->text, options.domain, mistake));
  if (mistake)
    found.warning("reports.aliases", options.aliases + ": line " + std::to_string(mistake->line) +
                                         " " + mistake->what + "; the rest of the file counts");
}

/// A reload reads them with the rights of the daemon.
void check_readable(const std::string& file, const Settings& settings, Findings& found) {
  const auto look = [&](std::string_view key, const std::string& path) {
    if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0 || !is_refusal(errno)) return;
    found.fault(key, path + ": the daemon may not read it, so it could not be reloaded: " +
                         os_reason(errno) + "; allowed: a file that its group may read (chgrp, " +
                         "chmod 640), in a folder that it may enter");
  };
  if (!file.empty()) look("", file);
  for (const std::string& rules : settings.policy.files) look("policy.files", rules);
}

/// Checks what the daemon uses after it has become daemon.user.
void check_as_daemon(const Settings& settings, Findings& found) {
  if (settings.storage.enabled) {
    const Backend backend = settings.storage.backend;
    const bool journal = backend == Backend::kRedis && settings.storage.redis.journal_max > 0;
    if (backend == Backend::kEmbedded || journal)
      check_folder("storage.hashfile", settings.storage.engine.hashfile, found);
    check_lists(settings.storage.server, found);
    check_own_keys(settings.storage.replication.sync_keypair, "storage.sync_keypair", found);
  }
  check_counters(settings.counters, found);
  if (settings.milter.enabled) {
    check_limits(settings.ratelimit, found);
    check_similar(settings.similar, found);
    check_rules(settings.rules, found);
    if (settings.history.enabled)
      check_spare_file("history.file", settings.history.file, HistoryOptions().file, found);
  }
  if (settings.reports.enabled) check_reports(settings.reports, found);
  check_http(settings.http, found);
  check_client(settings.client, found);
  for (const PeerFault& fault : find_peer_faults(settings)) {
    if (fault.is_mistake) found.error(fault.key, fault.why);
    if (!fault.is_mistake) found.fault(fault.key, fault.why);
  }
}

}  // namespace

std::string checked_as(const Settings& settings) {
  if (::geteuid() != 0) return "";
  if (!settings.daemon.user.empty()) return settings.daemon.user;
  const auto owner = process::owner_of_files(settings);
  return owner ? process::user_name(owner->user) : "";
}

std::vector<Problem> check_start(const Settings& settings, const Places& places, OtherNames names,
                                 const std::string& file) {
  Findings found(places);
  process::Identity identity = check_identity(settings.daemon, found);
  // The start knows who it is.
  if (names == OtherNames::kLookUp) identity = process::owner_of_files(settings).value_or(identity);
  if (const std::string why = backup::unfinished_restore(settings); !why.empty())
    found.error("storage.hashfile", why);
  check_folder("daemon.pid_file", settings.daemon.pid_file, found);
  check_log(settings.daemon.log_file, found);
  check_syslog(settings.daemon.syslog, found);
  if (settings.milter.enabled) check_milter(settings.milter, found);
  const policy::PolicyRules policy = policy::policy_rules(settings);
  found.add(policy.problems);
  const auto rest = [&] {
    check_readable(file, settings, found);
    check_as_daemon(settings, found);
    if (settings.milter.enabled && policy.rules != nullptr)
      found.add(names::list_problems(policy::list_files_of(settings.policy, *policy.rules)));
  };
  const bool becomes_another = ::geteuid() == 0 && identity.user != 0;
  if (!becomes_another || !process::with_rights_of(identity, rest)) rest();
  for (const LostName& lost : find_lost_names(settings, names == OtherNames::kLookUp)) {
    if (lost.is_own) {
      found.error(lost.key, lost.why + "; allowed: an address of this machine");
    } else {
      found.warning(lost.key, lost.why + "; the daemon starts without it and tries again");
    }
  }
  return found.take();
}

}  // namespace shingled::milter::daemon
