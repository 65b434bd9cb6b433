#include "milter/setup/dovecot_setup.h"

#include <algorithm>

namespace shingled::milter::setup {

namespace {

using DoveSettings = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kOwnFile = "/conf.d/95-shingled.conf";
constexpr std::string_view kRule = "plugin/imapsieve_mailbox";
constexpr std::string_view kSpamScript = "/report-spam.sieve";
constexpr std::string_view kHamScript = "/report-ham.sieve";

std::string setting_of(const DoveSettings& settings, std::string_view name) {
  const auto found = settings.find(name);
  return found == settings.end() ? "" : found->second;
}

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

/// The name of the mailbox with this special use, as users see it; `fallback` if none has it.
std::string mailbox_for(const DoveSettings& settings, std::string_view use,
                        const std::string& fallback) {
  constexpr std::string_view kMailbox = "/mailbox ";
  for (const auto& [name, value] : settings) {
    const std::size_t at = name.find(kMailbox);
    if (at == std::string::npos || !name.ends_with("/special_use")) continue;
    const auto uses = list_words(value);
    if (std::ranges::find(uses, use) == uses.end()) continue;
    const std::size_t begin = at + kMailbox.size();
    std::string mailbox = name.substr(begin, name.rfind('/') - begin);
    if (mailbox.size() > 1 && mailbox.front() == '"')
      mailbox = mailbox.substr(1, mailbox.size() - 2);
    // Its namespace may put something before it: "INBOX.Junk".
    return setting_of(settings, name.substr(0, at) + "/prefix") + mailbox;
  }
  return fallback;
}

/// The rule of IMAPSieve that runs this script: "plugin/imapsieve_mailbox2"; empty = none.
std::string rule_with(const DoveSettings& settings, const std::string& script) {
  for (const auto& [name, value] : settings) {
    if (name.starts_with(kRule) && name.ends_with("_before") && value == script)
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

class DovecotPlan {
 public:
  explicit DovecotPlan(const DovecotFacts& facts)
      : facts_(facts), settings_(parse_doveconf(facts.config)) {}

  Plan make() {
    junk_ = mailbox_for(settings_, "\\Junk", facts_.junk);
    plugins();
    rules();
    if (plan_.differences.empty()) return std::move(plan_);
    std::string file =
        "# Reports by moves into and out of " + junk_ +
        "; made by: shingled setup dovecot --apply\n"
        "# The settings below `plugin` replace those of the files before this one. If you change "
        "one of them there,\n# delete this file and make it again.\n"
        "protocol imap {\n  mail_plugins = $mail_plugins imap_sieve\n}\nplugin {\n";
    for (const auto& [name, value] : lines_)
      file.append("  ").append(name).append(" = ").append(value).append("\n");
    plan_.edits.push_back({facts_.folder + std::string(kOwnFile), file + "}\n"});
    // Debian's dovecot.conf reads the folder.
    const bool reads_folder = facts_.main.find("\n!include conf.d/*.conf") != std::string::npos ||
                              facts_.main.starts_with("!include conf.d/*.conf");
    const std::string include = "!include conf.d/95-shingled.conf\n";
    if (!reads_folder && facts_.main.find(include) == std::string::npos) {
      const bool ends = facts_.main.empty() || facts_.main.ends_with('\n');
      plan_.edits.push_back(
          {facts_.folder + "/dovecot.conf", facts_.main + (ends ? "" : "\n") + include});
    }
    plan_.notes.emplace_back("Dovecot reads it after: doveadm reload");
    return std::move(plan_);
  }

 private:
  /// Adds a line of our file, and the difference if Dovecot has something else.
  void want(const std::string& name, const std::string& value, const std::string& why) {
    lines_.emplace_back(name, value);
    const std::string now = setting_of(settings_, "plugin/" + name);
    if (now != value) plan_.differences.push_back({"plugin/" + name, now, value, why});
  }

  void plugins() {
    constexpr const char* kImapPlugins = "protocol imap/mail_plugins";
    const std::string own = setting_of(settings_, kImapPlugins);
    const std::string now = own.empty() ? setting_of(settings_, "mail_plugins") : own;
    const auto plugins = list_words(now);
    if (std::ranges::find(plugins, "imap_sieve") == plugins.end())
      plan_.differences.push_back(
          {kImapPlugins, now, with_word(now, "imap_sieve"), "IMAP runs scripts for moves"});
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
      plan_.notes.push_back("sieve_pipe_bin_dir is " + programs +
                            ", so there has to be a link: ln -s " + wanted + "/shingled-report " +
                            programs);
    } else {
      want("sieve_pipe_bin_dir", wanted, "the program that reports");
    }
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
    want(into + "_before", spam, "reports it");
    want(out_of + "_name", "*", "what is moved to any other mailbox");
    want(out_of + "_from", junk_, "from this one is wanted mail");
    want(out_of + "_causes", "COPY", "a move is a copy");
    want(out_of + "_before", ham, "reports it");
  }

  const DovecotFacts& facts_;
  DoveSettings settings_;
  Plan plan_;
  std::string junk_;
  std::vector<std::pair<std::string, std::string>> lines_;
};

}  // namespace

DoveSettings parse_doveconf(std::string_view text) {
  DoveSettings out;
  std::vector<std::string> blocks;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    if (line == "}") {
      if (!blocks.empty()) blocks.pop_back();
    } else if (line.ends_with('{')) {
      blocks.emplace_back(trimmed(line.substr(0, line.size() - 1)));
    } else if (const std::size_t at = line.find('='); at != std::string_view::npos) {
      std::string name;
      for (const std::string& block : blocks) name += block + "/";
      std::string_view value = trimmed(line.substr(at + 1));
      if (value.size() > 1 && value.front() == '"' && value.back() == '"')
        value = trimmed(value.substr(1, value.size() - 2));
      out[name + std::string(trimmed(line.substr(0, at)))] = value;
    }
  }
  return out;
}

Plan plan_dovecot(const DovecotFacts& facts) {
  if (facts.version.starts_with("2.3.")) return DovecotPlan(facts).make();
  Plan plan;
  plan.problems.push_back("this is Dovecot " + facts.version.substr(0, facts.version.find(' ')) +
                          "; only the settings of 2.3 can be checked. For 2.4, include " +
                          facts.share + "/shingled-2.4.conf in dovecot.conf");
  return plan;
}

}  // namespace shingled::milter::setup
