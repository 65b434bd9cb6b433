#include "milter/setup/sendmail_setup.h"

#include <algorithm>
#include <optional>

#include "config/system/connect_socket.h"

namespace shingled::milter::setup {

namespace {

/// Sendmail waits ten seconds for an answer unless told otherwise; a check may take longer.
constexpr std::string_view kTimeouts = "T=S:30s;R:30s";

/// A line of an m4 file; `begin` is where it begins in the text.
struct McLine {
  std::size_t begin = 0;
  std::string_view text;
};

std::vector<McLine> mc_lines(std::string_view text) {
  std::vector<McLine> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back({at, text.substr(at, end - at)});
    at = end + 1;
  }
  return out;
}

/// The arguments of "NAME(`a', `b')dnl", without quotes; nullopt if the line calls something else.
std::optional<std::vector<std::string>> call_of(std::string_view line, std::string_view name) {
  line = trimmed(line);
  if (!line.starts_with(name) || !line.substr(name.size()).starts_with("(")) return std::nullopt;
  line.remove_prefix(name.size() + 1);
  std::vector<std::string> out(1);
  int quotes = 0;
  for (const char c : line) {
    if (c == '`' && quotes++ == 0) continue;
    if (c == '\'' && quotes > 0 && --quotes == 0) continue;
    if (quotes == 0 && c == ')') return out;
    if (quotes == 0 && c == ',') {
      out.emplace_back();
    } else if (quotes > 0 || (c != ' ' && c != '\t')) {
      out.back() += c;
    }
  }
  return std::nullopt;
}

/// The socket in "S=inet:11339@127.0.0.1, F=T, T=S:30s".
std::string socket_of(std::string_view equates) {
  for (const std::string& word : list_words(equates)) {
    if (!word.starts_with("S=")) continue;
    std::string out = word.substr(2);
    if (out.starts_with("local:")) out = "unix:" + out.substr(6);
    if (out.ends_with("@localhost")) out = out.substr(0, out.rfind('@')) + "@127.0.0.1";
    return out;
  }
  return "";
}

/// "F=R" and "F=T" refuse or defer mail while the filter is away.
bool refuses_when_away(std::string_view equates) {
  return std::ranges::any_of(list_words(equates),
                             [](const std::string& word) { return word == "F=R"; });
}

}  // namespace

std::string sendmail_endpoint(const SocketSpec& milter) {
  if (milter.kind == SocketSpec::Kind::kUnix) return "unix:" + milter.path;
  const std::string host = milter.host == "localhost" ? "127.0.0.1" : spec_to_connect(milter).host;
  const bool six = host.find(':') != std::string::npos;
  return std::string(six ? "inet6:" : "inet:") + std::to_string(milter.port) + "@" + host;
}

Plan plan_sendmail(const std::string& path, std::string_view text, const SocketSpec& milter) {
  Plan plan;
  const std::string endpoint = sendmail_endpoint(milter);
  const std::string wanted =
      "INPUT_MAIL_FILTER(`shingled', `S=" + endpoint + ", " + std::string(kTimeouts) + "')";
  std::string now;
  std::string name = "shingled";
  bool listed_by_hand = false;
  std::optional<McLine> old;
  std::optional<McLine> list;
  std::size_t mailer = text.size();
  std::vector<std::string> called;
  for (const McLine& line : mc_lines(text)) {
    for (const std::string_view macro : {"INPUT_MAIL_FILTER", "MAIL_FILTER"}) {
      const auto call = call_of(line.text, macro);
      if (!call || call->size() < 2) continue;
      const bool ours = call->front() == "shingled" || socket_of((*call)[1]) == endpoint;
      if (!ours) continue;
      now = trimmed(line.text);
      name = call->front();
      listed_by_hand = macro == "MAIL_FILTER";
      old = socket_of((*call)[1]) == endpoint && !refuses_when_away((*call)[1])
                ? std::nullopt
                : std::optional(line);
    }
    const auto define = call_of(line.text, "define");
    if (define && define->size() > 1 && define->front() == "confINPUT_MAIL_FILTERS") {
      list = line;
      called = list_words((*define)[1]);
    }
    const bool first = mailer == text.size();
    if (first && (call_of(line.text, "MAILER") || trimmed(line.text).starts_with("MAILER(")))
      mailer = line.begin;
  }
  std::string content(text);
  // From the end to the beginning, so that places stay right.
  const bool in_list = std::ranges::find(called, name) != called.end();
  std::vector<std::pair<McLine, std::string>> changes;
  if (now.empty()) {
    const bool cut = mailer == text.size() && !text.empty() && !text.ends_with('\n');
    changes.push_back({{mailer, text.substr(mailer, 0)}, (cut ? "\n" : "") + wanted + "dnl\n"});
  } else if (old) {
    changes.push_back({*old, wanted + "dnl"});
  }
  if (!changes.empty()) {
    plan.differences.push_back({"INPUT_MAIL_FILTER", now, wanted + "dnl",
                                "the filter sees mail, and mail passes while it is away"});
  }
  // A list that is written out replaces the one that INPUT_MAIL_FILTER makes.
  if (list && !in_list) {
    std::string names;
    for (const std::string& one : called) names += one + ", ";
    const std::string line = "define(`confINPUT_MAIL_FILTERS', `" + names + name + "')dnl";
    changes.emplace_back(*list, line);
    plan.differences.push_back({"confINPUT_MAIL_FILTERS", std::string(trimmed(list->text)), line,
                                "only filters on this list are called"});
  } else if (listed_by_hand && !list) {
    plan.problems.push_back(path + ": MAIL_FILTER alone calls no filter; use INPUT_MAIL_FILTER");
  }
  std::ranges::sort(changes,
                    [](const auto& a, const auto& b) { return a.first.begin > b.first.begin; });
  for (const auto& [line, replacement] : changes) {
    content.replace(line.begin, line.text.size(), replacement);
  }
  if (!changes.empty()) {
    plan.edits.push_back({path, content});
    plan.notes.emplace_back(
        "sendmail.cf must then be made again: make -C /etc/mail (Debian: "
        "sendmailconfig), and Sendmail started again");
  }
  return plan;
}

}  // namespace shingled::milter::setup
