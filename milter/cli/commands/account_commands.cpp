#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <termios.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/base/random.h"
#include "config/system/unique_fd.h"
#include "config/system/whole_file.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/http/accounts/key_file.h"
#include "milter/http/accounts/user_file.h"
#include "milter/names/list_editor.h"
#include "storage/crypto/password.h"

namespace shingled::milter::cli {

namespace {

struct AccountArguments {
  std::shared_ptr<SettingsArguments> settings = std::make_shared<SettingsArguments>();
  std::string name;
  std::string role = "read";
  bool remove = false;
  bool json = false;
};

int refused(std::string_view what, const Error& error, Console& console) {
  console.error(what, error.message);
  return error.code == ErrorCode::kInvalid ? EX_DATAERR : exit_code(error.code);
}

/// Lets the daemon read a file that root has just made: the group that may read the settings.
void share_with_daemon(const std::string& path, const SettingsArguments& choice) {
  struct stat of_settings {};
  const std::string file = choice.chosen_file();
  if (::geteuid() != 0 || file.empty() || ::stat(file.c_str(), &of_settings) != 0) return;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || info.st_gid != 0) return;
  // Without it the daemon says that it may not read the file.
  static_cast<void>(::fchown(fd.get(), static_cast<uid_t>(-1), of_settings.st_gid) == 0);
}

/// Changes the file of keys, or of people.
template <typename Entry>
Status edit(const std::string& path, const char* option,
            Result<std::vector<Entry>> (*parse)(std::string_view, const std::string&),
            std::string (*print)(std::span<const Entry>),
            const std::function<Status(std::vector<Entry>&)>& change) {
  if (path.empty()) return Error{ErrorCode::kInvalid, std::string(option) + " is empty"};
  return names::edit_list(path, [&](const std::string& text) -> Result<std::string> {
    auto entries = parse(text, path);
    if (!entries) return entries.error();
    if (Status changed = change(*entries); !changed) return changed.error();
    return print(*entries);
  });
}

Status check_name(const std::string& name) {
  if (http::is_account_name(name)) return {};
  return Error{ErrorCode::kInvalid, "a name has 1 to 64 letters, digits, - _ . @"};
}

int run_key_add(const AccountArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  const auto role = http::parse_role(arguments.role);
  if (!role || *role == http::Role::kOff) {
    console.error("key", fmt::format("--role: takes {}", http::kRolesText));
    return EX_USAGE;
  }
  SystemRandom random;
  std::array<std::uint8_t, 32> bits{};
  random.fill(bits);
  const http::NewKey made = http::key_from(bits);
  const std::string& path = settings->http.keys_file;
  const Status added = edit<http::ProgramKey>(
      path, "http.keys_file", &http::parse_keys, &http::keys_text,
      [&](std::vector<http::ProgramKey>& keys) -> Status {
        if (Status named = check_name(arguments.name); !named) return named;
        if (std::ranges::find(keys, arguments.name, &http::ProgramKey::name) != keys.end())
          return Error{ErrorCode::kInvalid, arguments.name + ": there is such a key already"};
        keys.push_back({arguments.name, *role, made.digest});
        return {};
      });
  if (!added) return refused("key", added.error(), console);
  share_with_daemon(path, *arguments.settings);
  console.line(made.text);
  console.note("The key is shown this once; " + path +
               " has its digest. The daemon knows it in a "
               "second.");
  return EX_OK;
}

int run_key_del(const AccountArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  const std::string& path = settings->http.keys_file;
  const Status removed = edit<http::ProgramKey>(
      path, "http.keys_file", &http::parse_keys, &http::keys_text,
      [&](std::vector<http::ProgramKey>& keys) -> Status {
        const auto gone = std::erase_if(
            keys, [&](const http::ProgramKey& key) { return key.name == arguments.name; });
        return gone > 0 ? Status()
                        : Status(Error{ErrorCode::kInvalid, arguments.name + ": no such key"});
      });
  if (!removed) return refused("key", removed.error(), console);
  share_with_daemon(path, *arguments.settings);
  return EX_OK;
}

int run_key_list(const AccountArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  const std::string& path = settings->http.keys_file;
  const auto file = read_whole_file(path, http::kKeyFileBytesMax);
  if (!file && file.error().code != ErrorCode::kNotFound)
    return refused("key", file.error(), console);
  const auto keys = http::parse_keys(file ? file->text : "", path);
  if (!keys) return refused("key", keys.error(), console);
  std::vector<TableRow> rows;
  for (const http::ProgramKey& key : *keys) {
    if (arguments.json)
      console.json({{"name", key.name}, {"role", http::to_string(key.role)}});
    else
      rows.push_back({key.name, std::string(http::to_string(key.role))});
  }
  print_table(rows, "", console);
  return EX_OK;
}

/// A line of standard input, not shown if that is a terminal.
std::string read_password(std::string_view prompt) {
  termios shown{};
  const bool terminal = ::tcgetattr(STDIN_FILENO, &shown) == 0;
  if (terminal) {
    termios hidden = shown;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    std::cerr << prompt << std::flush;
  }
  std::string line;
  std::getline(std::cin, line);
  if (terminal) {
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
    std::cerr << '\n';
  }
  return line;
}

/// The hash of a password that the user types twice, or that comes in a pipe.
Result<std::string> ask_for_hash() {
  const std::string password = read_password("Password: ");
  if (password.size() < storage::crypto::kPasswordBytesMin ||
      password.size() > storage::crypto::kPasswordBytesMax)
    return Error{ErrorCode::kInvalid,
                 fmt::format("a password has {} to {} bytes", storage::crypto::kPasswordBytesMin,
                             storage::crypto::kPasswordBytesMax)};
  if (::isatty(STDIN_FILENO) != 0 && read_password("Again: ") != password)
    return Error{ErrorCode::kInvalid, "the two are not the same"};
  std::string hash = storage::crypto::hash_password(password);
  if (hash.empty()) return Error{ErrorCode::kUnavailable, "there is no memory for the hash"};
  return hash;
}

int run_passwd(const AccountArguments& arguments, Console& console) {
  const auto settings = arguments.settings->load(console);
  if (settings == nullptr) return EX_CONFIG;
  const auto role = http::parse_role(arguments.role);
  if (role != http::Role::kRead && role != http::Role::kChange) {
    console.error("passwd", "--role: takes read or change");
    return EX_USAGE;
  }
  if (Status named = check_name(arguments.name); !named)
    return refused("passwd", named.error(), console);
  http::User user{arguments.name, *role, ""};
  if (!arguments.remove) {
    const auto hash = ask_for_hash();
    if (!hash) return refused("passwd", hash.error(), console);
    user.hash = *hash;
  }
  const std::string& path = settings->http.users_file;
  const Status changed =
      edit<http::User>(path, "http.users_file", &http::parse_users, &http::users_text,
                       [&](std::vector<http::User>& users) -> Status {
                         const auto gone = std::erase_if(
                             users, [&](const http::User& one) { return one.name == user.name; });
                         if (!arguments.remove) users.push_back(user);
                         if (arguments.remove && gone == 0)
                           return Error{ErrorCode::kInvalid, user.name + ": no such person"};
                         return {};
                       });
  if (!changed) return refused("passwd", changed.error(), console);
  share_with_daemon(path, *arguments.settings);
  console.line(terminal_safe(user.name) +
               (arguments.remove ? ": may not sign in any more" : ": may sign in"));
  return EX_OK;
}

}  // namespace

void add_account_commands(CLI::App& app, Command& chosen) {
  CLI::App* key = app.add_subcommand("key", "Keys of programs that use the API (http.listen)");
  key->require_subcommand(1);
  const auto settings = std::make_shared<SettingsArguments>();
  settings->add_to(*key);
  key->footer(R"(Example:
  shingled key add statistics --role count)");
  const auto verb = [&](const char* name, const char* summary,
                        int (*run)(const AccountArguments&, Console&)) {
    CLI::App* command = key->add_subcommand(name, summary);
    command->fallthrough();
    const auto arguments = std::make_shared<AccountArguments>();
    arguments->settings = settings;
    command->callback([arguments, run, &chosen] {
      chosen = [arguments, run](Console& console) { return run(*arguments, console); };
    });
    return std::pair(command, arguments);
  };
  const auto [add, adding] = verb("add", "Make a key, and show it once", &run_key_add);
  add->add_option("NAME", adding->name, "Of the program")->required();
  add->add_option("--role", adding->role, "metrics, read, count, report or change")
      ->type_name("ROLE")
      ->capture_default_str();
  const auto [list, listing] = verb("list", "Show the names and roles", &run_key_list);
  list->add_flag("--json", listing->json, "One JSON object per line and key");
  const auto [del, deleting] = verb("del", "Take a key away", &run_key_del);
  del->add_option("NAME", deleting->name, "Of the program")->required();

  CLI::App* passwd =
      app.add_subcommand("passwd", "Let a person sign in at http.listen, or change the password");
  const auto arguments = std::make_shared<AccountArguments>();
  arguments->settings->add_to(*passwd);
  passwd->add_option("NAME", arguments->name, "Of the person")->required();
  passwd->add_option("--role", arguments->role, "read or change")
      ->type_name("ROLE")
      ->capture_default_str();
  passwd->add_flag("--delete", arguments->remove, "The person may not sign in any more");
  passwd->footer(R"(The password is read from the terminal, or is a line of standard input.

Example:
  shingled passwd ann --role change)");
  when_asked(*passwd, chosen, arguments, run_passwd);
}

}  // namespace shingled::milter::cli
