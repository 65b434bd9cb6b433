#include "milter/setup/dovecot_setup.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "milter/setup/plan.h"

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

namespace {

/// A value or a name without the quotes around it and the backslashes before quotes in it.
std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
  text = text.substr(1, text.size() - 2);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

/// mailbox "Sent Messages" -> mailbox Sent Messages
std::string block_name(std::string_view text) {
  const std::size_t at = text.find(' ');
  if (at == std::string_view::npos) return std::string(text);
  return std::string(text.substr(0, at + 1)) + unquoted(trimmed(text.substr(at)));
}

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
      blocks.push_back(block_name(trimmed(line.substr(0, line.size() - 1))));
    } else if (const std::size_t at = line.find('='); at != std::string_view::npos) {
      std::string name;
      for (const std::string& block : blocks) name += block + "/";
      const std::string value = unquoted(trimmed(line.substr(at + 1)));
      out[name + std::string(trimmed(line.substr(0, at)))] = trimmed(value);
    }
  }
  return out;
}

std::string setting_of(const DoveSettings& settings, std::string_view name) {
  const auto found = settings.find(name);
  return found == settings.end() ? "" : found->second;
}

DoveMailbox mailbox_for(const DoveSettings& settings, std::string_view use,
                        const std::string& fallback) {
  constexpr std::string_view kMailbox = "/mailbox ";
  for (const auto& [name, value] : settings) {
    const std::size_t at = name.find(kMailbox);
    if (at == std::string::npos || !name.ends_with("/special_use")) continue;
    const auto uses = list_words(value);
    if (std::ranges::find(uses, use) == uses.end()) continue;
    const std::size_t begin = at + kMailbox.size();
    return {setting_of(settings, name.substr(0, at) + "/prefix"),
            name.substr(begin, name.rfind('/') - begin)};
  }
  return {"", fallback};
}

Plan plan_dovecot_removal(const std::string& path, std::string_view text) {
  Plan plan;
  if (trimmed(text).empty()) return plan;
  plan.differences.push_back({path, "there", "", "moves to Junk are not reported any more"});
  plan.edits.push_back({path, ""});
  plan.notes.emplace_back("Dovecot reads it after: doveadm reload");
  return plan;
}

}  // namespace shingled::milter::setup
