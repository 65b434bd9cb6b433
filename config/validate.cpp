#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/base/number_text.h"
#include "config/loader.h"
#include "config/options/message_memory.h"

namespace shingled::config {

namespace {

/// The place of the value of "a.b.c", or of the innermost part of the path that is given.
Position locate(const YamlNode& root, std::string_view path) {
  const YamlNode* node = &root;
  Position position;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    node = node->find(path.substr(0, dot));
    if (node == nullptr) break;
    position = dot == path.size() ? node->position : node->key_position;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return position;
}

bool is_given(const YamlNode& root, std::string_view path) {
  const YamlNode* node = &root;
  while (node != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    node = node->find(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return node != nullptr;
}

bool is_any_address(const std::string& host) {
  return host.empty() || host == "0.0.0.0" || host == "::";
}

bool clash(const SocketSpec& a, const SocketSpec& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == SocketSpec::Kind::kUnix) return a.path == b.path;
  const bool same_host = a.host == b.host || is_any_address(a.host) || is_any_address(b.host);
  return same_host && a.port == b.port && a.port != 0;
}

void check_sockets(const Settings& settings, const YamlNode& root, Diagnostics& diagnostics) {
  if (!settings.storage.enabled) return;
  const std::string key = "storage.listen";
  const auto& listen = settings.storage.server.listen;
  for (std::size_t i = 0; i < listen.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!clash(listen[i], listen[j])) continue;
      diagnostics.add(locate(root, key), key,
                      listen[i].to_string() + " and " + listen[j].to_string() +
                          " are the same place; allowed: each address and port once");
    }
    if (!settings.milter.enabled || !clash(listen[i], settings.milter.socket)) continue;
    // If one of them has its default, the other one was written.
    const std::string milter = "milter.socket";
    const bool written = is_given(root, key) || !is_given(root, milter);
    const std::string& here = written ? key : milter;
    diagnostics.add(locate(root, here), here,
                    listen[i].to_string() + " is also the place of " + (written ? milter : key) +
                        "; allowed: another port");
  }
}

/// An address of an HTTP service must not be the place of another one or of `others`.
void check_http(const std::string& key, const std::vector<SocketSpec>& listen,
                const std::vector<std::pair<std::string, SocketSpec>>& others, const YamlNode& root,
                Diagnostics& diagnostics) {
  const auto refuse = [&](const SocketSpec& spec, const std::string& other) {
    diagnostics.add(locate(root, key), key,
                    spec.to_string() + " is also the place of " + other +
                        "; allowed: another one, or [] for none");
  };
  for (std::size_t i = 0; i < listen.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (clash(listen[i], listen[j])) refuse(listen[i], "another of them");
    }
    for (const auto& [name, other] : others) {
      if (clash(listen[i], other)) refuse(listen[i], name);
    }
  }
}

void check_http(const Settings& settings, const YamlNode& root, Diagnostics& diagnostics) {
  std::vector<std::pair<std::string, SocketSpec>> others;
  if (settings.milter.enabled) others.emplace_back("milter.socket", settings.milter.socket);
  if (settings.storage.enabled) {
    for (const SocketSpec& spec : settings.storage.server.listen)
      others.emplace_back("storage.listen", spec);
  }
  check_http("http.listen", settings.http.listen, others, root, diagnostics);
}

/// No message may count as ham and as spam. Only what was written is a problem: a low score of an
/// action that knows nothing of the counters is not.
void check_judge(const Settings& settings, const YamlNode& root, Diagnostics& diagnostics) {
  const CounterOptions& counters = settings.counters;
  const auto spam = counters.spam_score(settings.milter.actions);
  if (!counters.enabled || !spam || counters.ham_below <= *spam) return;
  const std::string ham_key = "counters.ham_below";
  const std::string spam_key = "counters.spam_from";
  const std::string both = "so a message between them would be ham and spam; allowed: ";
  if (counters.spam_from) {
    diagnostics.add(locate(root, spam_key), spam_key,
                    "is below counters.ham_below, " + shortest_text(counters.ham_below) + ", " +
                        both + "at least that, or another ham_below");
  } else if (is_given(root, ham_key)) {
    diagnostics.add(locate(root, ham_key), ham_key,
                    "is above the score of section milter.actions from which a message is spam, " +
                        shortest_text(*spam) + ", " + both +
                        "at most that, or with a setting of counters.spam_from");
  }
}

void check_rules(const Settings& settings, const YamlNode& root, Diagnostics& diagnostics) {
  for (const RuleOptions& rule : settings.rules) {
    const std::string key = "rules." + rule.name + ".servers";
    if (settings.storage.enabled || rule.remote.is_remote()) continue;
    const bool given = root.find("rules") != nullptr;
    diagnostics.add(locate(root, given ? key : "storage.enabled"), key,
                    "is empty and the embedded storage is disabled; allowed: servers, or "
                    "storage.enabled: true");
  }
}

/// A message that is stopped from a lower score on is never only marked.
void check_actions(const Settings& settings, const YamlNode& root, Diagnostics& diagnostics) {
  const ActionOptions& actions = settings.milter.actions;
  if (!settings.milter.enabled || !actions.add_header) return;
  for (const auto& [name, score] : {std::pair{"discard", actions.discard},
                                    {"reject", actions.reject},
                                    {"quarantine", actions.quarantine},
                                    {"tempfail", actions.tempfail}}) {
    if (!score || *score >= *actions.add_header) continue;
    const std::string key = std::string("milter.actions.") + name;
    diagnostics.warn(locate(root, key), key,
                     "is below add_header, so no message is only marked; allowed: at least as much "
                     "as add_header, or add_header: off");
  }
}

/// Rules go out of shadow by what the history says of them.
void check_promote(const Settings& settings, const YamlNode& root, Diagnostics& diagnostics) {
  if (settings.policy.promote != PolicyPromote::kAuto || settings.history.enabled) return;
  const std::string key = "policy.promote";
  diagnostics.warn(locate(root, key), key,
                   "has no effect without a history; allowed: with history.enabled, or off");
}

/// A message of the greatest length must find memory, otherwise it would be deferred each time.
void check_memory(const Settings& settings, const YamlNode& root, Diagnostics& diagnostics) {
  const MilterOptions& milter = settings.milter;
  if (fits_memory(milter.message_bytes_max, milter.memory_max)) return;
  const std::uint64_t mebibyte = 1024UL * 1024;
  std::uint64_t least = mebibyte;
  while (!fits_memory(milter.message_bytes_max, least)) least += mebibyte;
  const std::string key = "milter.memory_max";
  diagnostics.add(
      locate(root, key), key,
      "has no room for a message of milter.message_bytes_max with its analysis; allowed: "
      "at least " +
          std::to_string(least / mebibyte) + "M");
}

}  // namespace

void validate(const Settings& settings, const YamlNode& root, Diagnostics& diagnostics) {
  check_sockets(settings, root, diagnostics);
  check_http(settings, root, diagnostics);
  check_judge(settings, root, diagnostics);
  check_rules(settings, root, diagnostics);
  check_actions(settings, root, diagnostics);
  check_promote(settings, root, diagnostics);
  check_memory(settings, root, diagnostics);
}

}  // namespace shingled::config
