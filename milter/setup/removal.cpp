#include "milter/setup/removal.h"

#include <algorithm>

namespace shingled::milter::setup {

namespace {

constexpr const char* kWhyRemoved = "the filter is not asked any more";

std::string value_in(const SettingMap& settings, std::string_view name) {
  const auto found = settings.find(name);
  return found == settings.end() ? "" : found->second;
}

/// Where the block that begins at `at` ends, after its brace and the end of its line.
std::size_t end_of_block(std::string_view text, std::size_t at) {
  int depth = 0;
  for (std::size_t i = text.find('{', at); i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0)
      return i + 1 < text.size() && text[i + 1] == '\n' ? i + 2 : i + 1;
  }
  return std::string_view::npos;
}

}  // namespace

Plan plan_postfix_removal(const PostfixFacts& facts, const SocketSpec& milter) {
  Plan plan;
  std::string queue = value_in(facts.expanded, "queue_directory");
  if (queue.empty()) queue = "/var/spool/postfix";
  bool attached = false;
  for (const char* name : {"smtpd_milters", "non_smtpd_milters"}) {
    const std::string now = value_in(facts.settings, name);
    const std::string left = without_own(now, milter, queue);
    if (left == now) {
      const std::string expanded = value_in(facts.expanded, name);
      if (std::string_view(name) == "smtpd_milters" &&
          without_own(expanded, milter, queue) != expanded)
        plan.problems.push_back("smtpd_milters = " + now +
                                " names a setting that has this filter; remove it there");
      continue;
    }
    plan.differences.push_back({name, now, left, kWhyRemoved});
    attached = true;
  }
  if (attached) {
    // What was chosen for this filter may serve another milter by now.
    for (const std::string_view name :
         {"non_smtpd_milters", "milter_default_action", "milter_protocol"}) {
      const bool changed = std::ranges::any_of(
          plan.differences, [&](const Difference& one) { return one.setting == name; });
      if (!changed && facts.given.contains(name))
        plan.notes.push_back(std::string(name) + " = " + value_in(facts.given, name) +
                             " stays; without other milters, take it back with: postconf -X " +
                             std::string(name));
    }
  }
  for (const auto& [name, value] : parse_postconf(facts.overrides)) {
    if (!name.ends_with("/smtpd_milters") || without_own(value, milter, queue) == value) continue;
    plan.problems.push_back("master.cf: " + name.substr(0, name.rfind('/')) +
                            " has smtpd_milters = " + value + "; remove this filter there");
  }
  if (facts.main_is_link && !plan.differences.empty()) {
    plan.problems.emplace_back(
        "main.cf is a symbolic link, and postconf would put a file in its place; change the file "
        "that it names by hand");
  }
  return plan;
}

Plan plan_rspamd_removal(const std::string& path, std::string_view text) {
  constexpr std::string_view kRule = "rule \"shingled\" {";
  Plan plan;
  std::size_t first = 0;
  if (!text.starts_with(kRule)) {
    first = text.find("\n" + std::string(kRule));
    if (first == std::string_view::npos) return plan;
    ++first;
  }
  const std::size_t end = end_of_block(text, first);
  if (end == std::string_view::npos) {
    plan.problems.push_back(path + ": rule \"shingled\" is not closed; remove it by hand");
    return plan;
  }
  plan.differences.push_back({"fuzzy_check rule \"shingled\"",
                              std::string(text.substr(first, end - first)), "", kWhyRemoved});
  plan.edits.push_back({path, std::string(text.substr(0, first)) + std::string(text.substr(end))});
  plan.notes.emplace_back("rspamd reads it after: systemctl reload rspamd");
  return plan;
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
