#include "milter/setup/postfix_setup.h"

#include <algorithm>
#include <string>
#include <utility>

#include "config/base/ascii.h"
#include "config/system/connect_socket.h"

namespace shingled::milter::setup {

namespace {

constexpr std::string_view kDefaultQueue = "/var/spool/postfix";
/// Postfix speaks this version since 2.6. With an older one it tells less.
constexpr std::string_view kProtocol = "6";
/// milter.socket by default.
constexpr std::string_view kOwnPort = "11339";
constexpr std::size_t kColumnChroot = 4;
constexpr std::size_t kColumnCommand = 7;

std::string_view take_line_of(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::string value_or(const SettingMap& settings, std::string_view name, std::string_view fallback) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string(fallback) : found->second;
}

/// An entry of smtpd_milters without its attributes, in one spelling.
std::string plain_endpoint(std::string_view entry) {
  if (entry.starts_with('{') && entry.ends_with('}')) {
    const auto words = list_words(entry.substr(1, entry.size() - 2));
    return words.empty() ? "" : plain_endpoint(words.front());
  }
  std::string out(entry);
  for (const std::string_view local : {"inet:localhost:", "inet:[127.0.0.1]:"}) {
    if (out.starts_with(local)) out = "inet:127.0.0.1:" + out.substr(local.size());
  }
  return out;
}

/// Whether a list of milters has this one; `absolute`: its other name.
bool has_endpoint(std::string_view list, const std::string& endpoint, const std::string& absolute) {
  return std::ranges::any_of(list_words(list), [&](const std::string& entry) {
    const std::string plain = plain_endpoint(entry);
    return plain == endpoint || plain == absolute;
  });
}

/// Whether a value has what smtpd_milters has.
bool has_smtpd_milters(std::string_view value) {
  constexpr std::string_view kName = "$smtpd_milters";
  for (std::size_t at = 0; (at = value.find(kName, at)) != std::string_view::npos;) {
    at += kName.size();
    if (at == value.size() ||
        !(ascii::is_alpha(value[at]) || ascii::is_digit(value[at]) || value[at] == '_'))
      return true;
  }
  return value.find("${smtpd_milters}") != std::string_view::npos ||
         value.find("$(smtpd_milters)") != std::string_view::npos;
}

/// Whether an entry is this milter at a socket that it had before: a port of this machine, or a
/// socket in a folder, that no other program has by default. With it in the list, Postfix would
/// wait for somebody who never answers, and defer mail.
bool is_earlier(const std::string& plain, const std::string& endpoint,
                const std::string& absolute) {
  if (plain == endpoint || plain == absolute) return false;
  if (plain.starts_with("inet:")) {
    return plain == "inet:127.0.0.1:" + std::string(kOwnPort) ||
           plain == "inet:[::1]:" + std::string(kOwnPort);
  }
  if (!plain.starts_with("unix:")) return false;
  const std::string path = plain.substr(5);
  return path.starts_with("shingled/") || path.find("/shingled/") != std::string::npos;
}

/// A list of milters without entries of this one at an earlier socket.
std::string without_earlier(std::string_view list, const std::string& endpoint,
                            const std::string& absolute) {
  const auto entries = list_words(list);
  const auto earlier = [&](const std::string& entry) {
    return is_earlier(plain_endpoint(entry), endpoint, absolute);
  };
  // Nothing to remove: the text stays as somebody wrote it.
  if (std::ranges::none_of(entries, earlier)) return std::string(list);
  std::string out;
  for (const std::string& entry : entries) {
    if (!earlier(entry)) out += (out.empty() ? "" : ", ") + entry;
  }
  return out;
}

/// Whether a list of milters has another one.
bool has_others(std::string_view list, const std::string& endpoint, const std::string& absolute) {
  return std::ranges::any_of(list_words(list), [&](const std::string& entry) {
    const std::string plain = plain_endpoint(entry);
    return plain != endpoint && plain != absolute && !is_earlier(plain, endpoint, absolute);
  });
}

/// Services that take mail by SMTP in a chroot: "smtp inet", "submission inet".
std::vector<std::string> chrooted_services(const PostfixFacts& facts) {
  const bool by_default = value_or(facts.settings, "compatibility_level", "0") == "0";
  std::vector<std::string> out;
  std::string_view text = facts.services;
  while (!text.empty()) {
    const auto words = list_words(take_line_of(text));
    if (words.size() <= kColumnCommand || words[kColumnCommand] != "smtpd") continue;
    const std::string& chroot = words[kColumnChroot];
    if (chroot == "y" || (chroot == "-" && by_default)) out.push_back(words[0] + " " + words[1]);
  }
  return out;
}

void check_chroot(const PostfixFacts& facts, const SocketSpec& milter, const std::string& queue,
                  Plan& plan) {
  if (milter.kind != SocketSpec::Kind::kUnix || milter.path.starts_with(queue + "/")) return;
  for (const std::string& service : chrooted_services(facts)) {
    std::string problem = "master.cf: ";
    problem.append(service).append(" runs in a chroot and sees only files below ").append(queue);
    problem.append(", but milter.socket is unix:").append(milter.path);
    problem.append("; set milter.socket to unix:").append(queue).append("/shingled/milter.sock");
    problem.append(" or to inet:11339@127.0.0.1");
    plan.problems.push_back(std::move(problem));
  }
}

void check_link(const PostfixFacts& facts, Plan& plan) {
  if (facts.main_is_link && !plan.differences.empty()) {
    plan.problems.emplace_back(
        "main.cf is a symbolic link, and postconf would put a file in its place; change the file "
        "that it names by hand");
  }
}

/// Services of master.cf that have a list of milters of their own: "smtps/inet/smtpd_milters = ".
void check_overrides(const PostfixFacts& facts, const std::string& endpoint,
                     const std::string& absolute, Plan& plan) {
  for (const auto& [name, value] : parse_postconf(facts.overrides)) {
    const std::size_t at = name.rfind('/');
    if (at == std::string::npos || name.substr(at + 1) != "smtpd_milters") continue;
    if (without_earlier(value, endpoint, absolute) != value) {
      plan.problems.push_back("master.cf: " + name.substr(0, at) + " has smtpd_milters = " + value +
                              ", with an earlier socket of this filter; it must be " + endpoint);
      continue;
    }
    if (has_endpoint(value, endpoint, absolute)) continue;
    plan.notes.push_back("master.cf: " + name.substr(0, at) +
                         " has smtpd_milters of its own, so its mail is not filtered");
  }
}

/// An empty one would be the beginning of every path.
std::string queue_of(const PostfixFacts& facts) {
  const std::string given = value_or(facts.expanded, "queue_directory", "");
  return given.empty() ? std::string(kDefaultQueue) : given;
}

}  // namespace

SettingMap parse_postconf(std::string_view text) {
  SettingMap out;
  while (!text.empty()) {
    const std::string_view line = take_line_of(text);
    const std::size_t at = line.find('=');
    if (at == std::string_view::npos) continue;
    out[std::string(trimmed(line.substr(0, at)))] = trimmed(line.substr(at + 1));
  }
  return out;
}

std::string postfix_endpoint(const SocketSpec& milter, std::string_view queue_directory) {
  if (milter.kind == SocketSpec::Kind::kUnix) {
    const std::string below = std::string(queue_directory) + "/";
    return "unix:" +
           (milter.path.starts_with(below) ? milter.path.substr(below.size()) : milter.path);
  }
  std::string host = milter.host == "localhost" ? "127.0.0.1" : spec_to_connect(milter).host;
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return "inet:" + host + ":" + std::to_string(milter.port);
}

std::string without_own(std::string_view list, const SocketSpec& milter,
                        std::string_view queue_directory) {
  const std::string endpoint = postfix_endpoint(milter, queue_directory);
  const std::string absolute =
      milter.kind == SocketSpec::Kind::kUnix ? "unix:" + milter.path : endpoint;
  const std::string current = without_earlier(list, endpoint, absolute);
  if (!has_endpoint(current, endpoint, absolute)) return current;
  std::string out;
  for (const std::string& entry : list_words(current)) {
    const std::string plain = plain_endpoint(entry);
    if (plain != endpoint && plain != absolute) out += (out.empty() ? "" : ", ") + entry;
  }
  return out;
}

Plan plan_postfix(const PostfixFacts& facts, const SocketSpec& milter,
                  std::string_view socket_group) {
  Plan plan;
  const bool is_unix = milter.kind == SocketSpec::Kind::kUnix;
  const std::string queue = queue_of(facts);
  const std::string endpoint = postfix_endpoint(milter, queue);
  const std::string absolute = is_unix ? "unix:" + milter.path : endpoint;
  check_chroot(facts, milter, queue, plan);

  // What Postfix does while no milter answers. Somebody may have chosen to defer mail.
  const std::string away = value_or(facts.expanded, "milter_default_action", "tempfail");
  const bool chosen = facts.given.contains("milter_default_action");
  // By default it defers ("tempfail") or, since 3.10, hangs up ("shutdown").
  const bool defers = away == "tempfail" || away == "shutdown";
  const bool refuses = away == "reject" || (defers && !chosen);
  const std::string protocol = value_or(facts.expanded, "milter_protocol", kProtocol);
  const std::string list = value_or(facts.settings, "smtpd_milters", "");
  const std::string milters = value_or(facts.expanded, "smtpd_milters", "");
  const bool others = has_others(milters, endpoint, absolute);
  // Attributes of this milter alone, where other milters rely on the settings for all.
  std::string attributes;
  if (others && refuses) attributes += ", default_action=accept";
  if (others && protocol != kProtocol) attributes += ", protocol=" + std::string(kProtocol);
  const std::string entry = attributes.empty() ? endpoint : "{ " + endpoint + attributes + " }";

  const std::string kept = without_earlier(list, endpoint, absolute);
  const bool lacks = !has_endpoint(milters, endpoint, absolute);
  if (lacks || kept != list) {
    plan.differences.push_back({"smtpd_milters", list,
                                lacks ? (kept.empty() ? entry : kept + ", " + entry) : kept,
                                "the filter sees mail that arrives by SMTP"});
  } else if (without_earlier(milters, endpoint, absolute) != milters) {
    plan.problems.push_back("smtpd_milters = " + list +
                            " names a setting that has an earlier socket of this filter; remove it "
                            "there");
  }
  const std::string local = value_or(facts.settings, "non_smtpd_milters", "");
  const std::string local_kept = without_earlier(local, endpoint, absolute);
  const bool local_lacks =
      !has_smtpd_milters(local) &&
      !has_endpoint(value_or(facts.expanded, "non_smtpd_milters", ""), endpoint, absolute);
  if (local_lacks || local_kept != local) {
    const std::string all = others ? entry : "$smtpd_milters";
    const std::string more = local_kept.empty() ? all : local_kept + ", " + entry;
    plan.differences.push_back({"non_smtpd_milters", local, local_lacks ? more : local_kept,
                                "the filter sees mail that programs of this machine send"});
  }
  if (!others && refuses) {
    plan.differences.push_back({"milter_default_action", away, "accept",
                                "mail passes while the filter is being restarted"});
  }
  if (!others && protocol != kProtocol) {
    plan.differences.push_back({"milter_protocol", protocol, std::string(kProtocol),
                                "Postfix tells the filter everything that it needs"});
  }
  check_link(facts, plan);
  check_overrides(facts, endpoint, absolute, plan);
  check_return(
      facts, [&](std::string_view all) { return has_endpoint(all, endpoint, absolute); }, plan);
  if (is_unix && socket_group.empty()) {
    plan.notes.emplace_back(
        "the user postfix must be able to open the socket: its directory belongs to the group "
        "postfix, or milter.socket_group names that group");
  }
  return plan;
}

namespace {

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
    const auto words = list_words(take_line_of(text));
    if (words.size() <= kColumnCommand || words[kColumnCommand] != "smtpd") continue;
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

Plan plan_postfix_removal(const PostfixFacts& facts, const SocketSpec& milter) {
  Plan plan;
  const std::string queue = queue_of(facts);
  bool attached = false;
  for (const char* name : {"smtpd_milters", "non_smtpd_milters"}) {
    const std::string now = value_or(facts.settings, name, "");
    const std::string left = without_own(now, milter, queue);
    if (left == now) {
      const std::string expanded = value_or(facts.expanded, name, "");
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
        plan.notes.push_back(std::string(name) + " = " + value_or(facts.given, name, "") +
                             " stays; without other milters, take it back with: postconf -X " +
                             std::string(name));
    }
  }
  for (const auto& [name, value] : parse_postconf(facts.overrides)) {
    if (!name.ends_with("/smtpd_milters") || without_own(value, milter, queue) == value) continue;
    plan.problems.push_back("master.cf: " + name.substr(0, name.rfind('/')) +
                            " has smtpd_milters = " + value + "; remove this filter there");
  }
  check_link(facts, plan);
  return plan;
}

}  // namespace shingled::milter::setup
