#include "milter/setup/sendmail_setup.h"

#include <algorithm>
#include <optional>

#include "config/system/connect_socket.h"

namespace shingled::milter::setup {

namespace {

/// Sendmail waits ten seconds for an answer unless told otherwise; a check may take longer.
constexpr std::string_view kTimeouts = "T=S:30s;R:30s";

/// A line of an m4 file, or several if a call is longer; `begin` is where it begins in the text.
struct McLine {
  std::size_t begin = 0;
  std::string_view text;
};

constexpr int kCallLinesMax = 20;

/// Whether a call that begins in this text is not closed in it.
bool is_open(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with("dnl") || text.starts_with('#')) return false;
  int quotes = 0;
  int calls = 0;
  for (const char c : text) {
    if (c == '`') ++quotes;
    if (c == '\'' && quotes > 0) --quotes;
    if (c == '(' && quotes == 0) ++calls;
    if (c == ')' && quotes == 0) --calls;
  }
  return quotes > 0 || calls > 0;
}

std::vector<McLine> mc_lines(std::string_view text) {
  std::vector<McLine> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = std::min(text.find('\n', at), text.size());
    std::size_t end = first;
    for (int i = 1; i < kCallLinesMax && end < text.size() && is_open(text.substr(at, end - at));
         ++i)
      end = std::min(text.find('\n', end + 1), text.size());
    if (is_open(text.substr(at, end - at))) end = first;  // not a call
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
    } else if (quotes > 0 || (c != ' ' && c != '\t' && c != '\n')) {
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
  std::string name = "shingled";
  bool by_hand = false;  // MAIL_FILTER, which puts no name on the list
  bool right = false;
  std::optional<McLine> own;
  std::optional<McLine> list;
  std::size_t mailer = text.size();
  std::vector<std::string> called;
  for (const McLine& line : mc_lines(text)) {
    for (const std::string_view macro : {"INPUT_MAIL_FILTER", "MAIL_FILTER"}) {
      const auto call = call_of(line.text, macro);
      if (!call || call->size() < 2) continue;
      if (call->front() != "shingled" && socket_of((*call)[1]) != endpoint) continue;
      own = line;
      name = call->front();
      by_hand = macro == "MAIL_FILTER";
      right = socket_of((*call)[1]) == endpoint && !refuses_when_away((*call)[1]);
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
  // A list that is written out replaces the one that INPUT_MAIL_FILTER made before it; what comes
  // after it is added. So a name that is on an earlier list must not be added once more.
  const bool listed = std::ranges::find(called, name) != called.end();
  const bool replaces = list && list->begin > (own ? own->begin : mailer);
  const bool twice = list && listed && !replaces;
  const std::string wanted = std::string(twice ? "MAIL_FILTER" : "INPUT_MAIL_FILTER") + "(`" +
                             name + "', `S=" + endpoint + ", " + std::string(kTimeouts) + "')dnl";
  // From the end to the beginning, so that places stay right.
  std::vector<std::pair<McLine, std::string>> changes;
  const bool change = !own || !right || (twice && !by_hand);
  if (change) {
    const bool cut = mailer == text.size() && !text.empty() && !text.ends_with('\n');
    if (own) {
      changes.push_back({*own, wanted});
    } else {
      changes.push_back({{mailer, text.substr(mailer, 0)}, (cut ? "\n" : "") + wanted + "\n"});
    }
    plan.differences.push_back({"INPUT_MAIL_FILTER", own ? std::string(trimmed(own->text)) : "",
                                wanted, "the filter sees mail, and mail passes while it is away"});
  }
  if (list && !listed && (replaces || (by_hand && !change))) {
    std::string names;
    for (const std::string& one : called) names += one + ", ";
    const std::string line = "define(`confINPUT_MAIL_FILTERS', `" + names + name + "')dnl";
    changes.emplace_back(*list, line);
    plan.differences.push_back({"confINPUT_MAIL_FILTERS", std::string(trimmed(list->text)), line,
                                "only filters on this list are called"});
  } else if (by_hand && !change && !list) {
    plan.problems.push_back(path + ": MAIL_FILTER alone calls no filter; use INPUT_MAIL_FILTER");
  }
  std::ranges::sort(changes,
                    [](const auto& a, const auto& b) { return a.first.begin > b.first.begin; });
  std::string content(text);
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

Plan plan_sendmail_removal(const std::string& path, std::string_view text) {
  Plan plan;
  std::string content;
  for (const McLine& line : mc_lines(text)) {
    const std::size_t end = line.begin + line.text.size();
    const std::string_view newline = text.substr(end, end < text.size() ? 1 : 0);
    const std::string shown(trimmed(line.text));
    const auto by_name = call_of(line.text, "INPUT_MAIL_FILTER");
    const auto by_hand = call_of(line.text, "MAIL_FILTER");
    if ((by_name && by_name->front() == "shingled") ||
        (by_hand && by_hand->front() == "shingled")) {
      plan.differences.push_back({"INPUT_MAIL_FILTER", shown, "", kWhyRemoved});
      continue;
    }
    const auto define = call_of(line.text, "define");
    auto names = define && define->size() > 1 && define->front() == "confINPUT_MAIL_FILTERS"
                     ? list_words((*define)[1])
                     : std::vector<std::string>();
    if (std::erase(names, "shingled") > 0) {
      std::string left;
      for (const std::string& name : names) left += (left.empty() ? "" : ", ") + name;
      left = "define(`confINPUT_MAIL_FILTERS', `" + left + "')dnl";
      plan.differences.push_back(
          {"confINPUT_MAIL_FILTERS", shown, left, "only filters that there are can be called"});
      content.append(left).append(newline);
      continue;
    }
    content.append(line.text).append(newline);
  }
  if (plan.differences.empty()) return plan;
  plan.edits.push_back({path, content});
  plan.notes.emplace_back(
      "sendmail.cf must then be made again: make -C /etc/mail (Debian: sendmailconfig), and "
      "Sendmail started again");
  return plan;
}

}  // namespace shingled::milter::setup
