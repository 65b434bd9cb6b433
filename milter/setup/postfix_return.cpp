#include "milter/setup/postfix_return.h"

#include <algorithm>
#include <string>

namespace shingled::milter::setup {

namespace {

constexpr std::size_t kCommand = 7;

/// The setting of a service: its own, else that of main.cf.
std::string setting_for(const std::string& service, const std::string& name,
                        const SettingMap& overrides, const SettingMap& settings) {
  const auto own = overrides.find(service + "/" + name);
  if (own != overrides.end()) return own->second;
  const auto all = settings.find(name);
  return all == settings.end() ? "" : all->second;
}

/// Whether mail of some service goes to a content filter.
bool has_content_filter(const SettingMap& overrides, const SettingMap& settings) {
  const auto all = settings.find("content_filter");
  if (all != settings.end() && !all->second.empty()) return true;
  return std::ranges::any_of(overrides, [](const auto& one) {
    return one.first.ends_with("/content_filter") && !one.second.empty();
  });
}

bool has_word(std::string_view list, std::string_view word) {
  const auto words = list_words(list);
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

void check_return(const PostfixFacts& facts,
                  const std::function<bool(std::string_view)>& has_milter, Plan& plan) {
  const SettingMap overrides = parse_postconf(facts.overrides);
  if (!has_content_filter(overrides, facts.expanded)) return;
  std::string_view text = facts.services;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto words = list_words(line);
    if (words.size() <= kCommand || words[kCommand] != "smtpd") continue;
    const std::string service = words[0] + "/" + words[1];
    const auto get = [&](const char* name) {
      return setting_for(service, name, overrides, facts.expanded);
    };
    if (!overrides.contains(service + "/content_filter") || !get("content_filter").empty() ||
        has_word(get("receive_override_options"), "no_milters") ||
        !has_milter(get("smtpd_milters")))
      continue;
    plan.problems.push_back(
        "master.cf: " + words[0] + " " + words[1] +
        " takes back what the content filter has seen, and calls the milter a second time: each "
        "message is counted, limited and marked twice; add to it: -o smtpd_milters=");
  }
}

}  // namespace shingled::milter::setup
