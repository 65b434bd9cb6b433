#include <algorithm>
#include <utility>
#include <vector>

#include "milter/setup/dovecot_setup.h"

namespace shingled::milter::setup {

namespace {

constexpr std::string_view kRule = "plugin/imapsieve_mailbox";

/// A list with a word that it may have already.
std::string with_word(std::string_view list, const std::string& word) {
  std::string out;
  bool has = false;
  for (const std::string& one : list_words(list)) {
    has = has || one == word || one == "+" + word;
    out += one + " ";
  }
  if (!has) return out + word;
  out.pop_back();
  return out;
}

/// Whether a location is that of this script, wherever its compiled form is.
bool is_script(const std::string& location, const std::string& script) {
  return location.substr(0, location.find(';')) == script;
}

/// The rule of IMAPSieve that runs this script: "plugin/imapsieve_mailbox2"; empty = none.
std::string rule_with(const DoveSettings& settings, const std::string& script) {
  for (const auto& [name, value] : settings) {
    if (name.starts_with(kRule) && name.ends_with("_before") && is_script(value, script))
      return name.substr(0, name.size() - std::string_view("_before").size());
  }
  return "";
}

/// Rules are numbered without gaps; Dovecot stops at the first number that is not there.
std::size_t rule_count(const DoveSettings& settings) {
  std::size_t count = 0;
  while (settings.contains(std::string(kRule) + std::to_string(count + 1) + "_name")) ++count;
  return count;
}

/// The setting that runs this script before those of the user ("sieve_before2"), or the first free
/// one; Dovecot stops at the first number that is not there.
std::string before_for(const DoveSettings& settings, const std::string& script) {
  std::string name = "sieve_before";
  for (int number = 2;; ++number) {
    const std::string now = setting_of(settings, "plugin/" + name);
    if (now.empty() || is_script(now, script)) return name;
    name = "sieve_before" + std::to_string(number);
  }
}

class Change23 {
 public:
  explicit Change23(const DovecotFacts& facts)
      : facts_(facts), settings_(parse_doveconf(facts.config)) {}

  DovecotChange make() {
    junk_ = mailbox_for(settings_, "\\Junk", facts_.junk).whole();
    plugins();
    expunged();
    rules();
    marked();
    std::string file =
        "# The settings below `plugin` replace those of the files before this one. If you change "
        "one of them there,\n# delete this file and make it again.\n";
    for (const auto& [protocol, plugin] : plugins_)
      file.append(protocol).append(" {\n  mail_plugins = $mail_plugins ").append(plugin + "\n}\n");
    file += "plugin {\n";
    for (const auto& [name, value] : lines_)
      file.append("  ").append(name).append(" = ").append(value).append("\n");
    return {std::move(plan_), junk_, file + "}\n"};
  }

 private:
  /// Adds a line of our file, and the difference if Dovecot has something else.
  void want(const std::string& name, const std::string& value, const std::string& why) {
    lines_.emplace_back(name, value);
    const std::string now = setting_of(settings_, "plugin/" + name);
    if (now != value) plan_.differences.push_back({"plugin/" + name, now, value, why});
  }

  /// Adds a plugin to those of a protocol ("protocol imap").
  void plugin(const std::string& protocol, const std::string& plugin, const std::string& why) {
    plugins_.emplace_back(protocol, plugin);
    const std::string setting = protocol + "/mail_plugins";
    const std::string own = setting_of(settings_, setting);
    const std::string now = own.empty() ? setting_of(settings_, "mail_plugins") : own;
    const auto plugins = list_words(now);
    if (std::ranges::find(plugins, plugin) == plugins.end())
      plan_.differences.push_back({setting, now, with_word(now, plugin), why});
  }

  void plugins() {
    plugin("protocol imap", "imap_sieve", "IMAP runs scripts for moves");
    const auto list = [&](const std::string& name, const std::vector<std::string>& words,
                          const std::string& why) {
      std::string value = setting_of(settings_, "plugin/" + name);
      for (const std::string& word : words) value = with_word(value, word);
      want(name, value, why);
    };
    list("sieve_plugins", {"sieve_imapsieve", "sieve_extprograms"},
         "scripts for moves, and the programs that they call");
    // "+" adds to what Pigeonhole has by default.
    list("sieve_global_extensions",
         {"+special-use", "+vnd.dovecot.pipe", "+vnd.dovecot.environment"},
         "only scripts of the administrator may call programs");
    const std::string programs = setting_of(settings_, "plugin/sieve_pipe_bin_dir");
    const std::string wanted = facts_.share + "/bin";
    if (!programs.empty() && programs != wanted) {
      lines_.emplace_back("sieve_pipe_bin_dir", programs);
      plan_.notes.push_back(link_note(programs, wanted));
    } else {
      want("sieve_pipe_bin_dir", wanted, "the program that reports");
    }
  }

  /// What lazy_expunge copies out of the mailbox of spam was deleted there. It names a mailbox, or
  /// a namespace by its prefix with the separator.
  void expunged() {
    constexpr const char* kName = "sieve_env_shingled_expunged";
    std::string where = setting_of(settings_, "plugin/lazy_expunge");
    where = where.substr(0, where.find_first_of(" \t"));
    if (where.ends_with('/') || where.ends_with('.')) where.pop_back();
    const bool told = !setting_of(settings_, std::string("plugin/") + kName).empty();
    if (!where.empty() || told)
      want(kName, where, "what lazy_expunge puts there is deleted and not wanted");
  }

  void rules() {
    const std::string spam = "file:" + facts_.share + std::string(kSpamScript);
    const std::string ham = "file:" + facts_.share + std::string(kHamScript);
    const std::string spam_rule = rule_with(settings_, spam);
    const std::string ham_rule = rule_with(settings_, ham);
    std::size_t count = rule_count(settings_);
    const auto number = [&](const std::string& rule) {
      return rule.empty() ? "imapsieve_mailbox" + std::to_string(++count)
                          : rule.substr(std::string_view("plugin/").size());
    };
    const std::string into = number(spam_rule);
    const std::string out_of = number(ham_rule);
    want(into + "_name", junk_, "what is moved to this mailbox is spam");
    want(into + "_causes", "COPY", "a move is a copy");
    want(into + "_before", spam + compiled(), "reports it");
    want(out_of + "_name", "*", "what is moved to any other mailbox");
    want(out_of + "_from", junk_, "from this one is wanted mail");
    want(out_of + "_causes", "COPY", "a move is a copy");
    want(out_of + "_before", ham + compiled(), "reports it");
  }

  /// Users may not write beside the scripts, and nobody may write to /usr.
  [[nodiscard]] std::string compiled() const { return ";bindir=" + facts_.compiled; }

  /// What the script of delivery knows by another name than its own.
  void tell(const std::string& name, const std::string& value, std::string_view standard) {
    const std::string setting = "sieve_env_shingled_" + name;
    if (value != standard || !setting_of(settings_, "plugin/" + setting).empty())
      want(setting, value, "what the script of delivery looks for");
  }

  /// Marked mail goes to the mailbox of spam at delivery.
  void marked() {
    const std::string script = "file:" + facts_.share + std::string(kJunkScript);
    const std::string name = before_for(settings_, script);
    if (!facts_.junk_rule) {
      const std::string now = setting_of(settings_, "plugin/" + name);
      if (is_script(now, script))
        plan_.differences.push_back({"plugin/" + name, now, "", std::string(kNoRule)});
      return;
    }
    for (const char* protocol : {"protocol lda", "protocol lmtp"})
      plugin(protocol, "sieve", "delivery runs scripts");
    want(name, script + compiled(), "marked mail goes to " + junk_);
    tell("junk", junk_, DovecotFacts{}.junk);
    tell("status", facts_.status_header, DovecotFacts{}.status_header);
    tell("spam", facts_.spam_header, DovecotFacts{}.spam_header);
  }

  const DovecotFacts& facts_;
  DoveSettings settings_;
  Plan plan_;
  std::string junk_;
  std::vector<std::pair<std::string, std::string>> plugins_;  // of protocols
  std::vector<std::pair<std::string, std::string>> lines_;
};

}  // namespace

DovecotChange change_dovecot23(const DovecotFacts& facts) { return Change23(facts).make(); }

}  // namespace shingled::milter::setup
