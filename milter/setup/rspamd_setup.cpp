#include "milter/setup/rspamd_setup.h"

#include <algorithm>

#include "config/system/connect_socket.h"

namespace shingled::milter::setup {

namespace {

/// Without comments: '#' to the end of a line.
std::string uncommented(std::string_view text) {
  std::string out;
  bool quoted = false;
  bool comment = false;
  for (const char c : text) {
    if (c == '\n') {
      comment = false;
      quoted = false;
    }
    if (c == '"' && !comment) quoted = !quoted;
    if (c == '#' && !quoted) comment = true;
    if (!comment) out += c;
  }
  return out;
}

/// The values of all keys `servers`, of whatever rule.
std::vector<std::string> servers_in(std::string_view text) {
  constexpr std::string_view kKey = "servers";
  const std::string plain = uncommented(text);
  std::vector<std::string> out;
  for (std::size_t at = plain.find(kKey); at != std::string::npos; at = plain.find(kKey, at)) {
    at += kKey.size();
    const std::size_t end = std::min(plain.find_first_of(";\n}", at), plain.size());
    std::string value;
    for (const char c : plain.substr(at, end - at)) {
      value += c == '"' || c == '=' || c == '[' || c == ']' ? ' ' : c;
    }
    for (std::string word : list_words(value)) {
      if (word.starts_with("localhost:")) word = "127.0.0.1" + word.substr(9);
      out.push_back(word);
    }
  }
  return out;
}

}  // namespace

Plan plan_rspamd(const std::string& path, std::string_view text, const SocketSpec& storage,
                 const std::string& key, const std::vector<RspamdList>& lists) {
  Plan plan;
  if (storage.port == 0) {
    plan.problems.emplace_back("storage.listen is empty, so rspamd cannot ask the storage");
    return plan;
  }
  const std::string host =
      storage.host == "localhost" ? "127.0.0.1" : spec_to_connect(storage).host;
  const std::string server = (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" +
                             std::to_string(storage.port);
  const auto servers = servers_in(text);
  if (std::ranges::find(servers, server) != servers.end()) return plan;
  std::string rule = "rule \"shingled\" {\n  algorithm = \"mumhash\";\n  servers = \"" + server +
                     (key.empty() ? "" : "\";\n  encryption_key = \"" + key) +
                     "\";\n  read_only = no;\n  mime_types = [\"*\"];\n  fuzzy_map = {\n";
  for (const RspamdList& list : lists) {
    rule += "    " + list.symbol + " { flag = " + std::to_string(list.flag) +
            "; max_score = " + std::to_string(static_cast<std::uint64_t>(list.hits_limit)) +
            "; }\n";
  }
  rule += "  }\n}\n";
  std::string servers_now;
  for (const std::string& one : servers) servers_now += (servers_now.empty() ? "" : ", ") + one;
  plan.differences.push_back(
      {"fuzzy_check rule \"shingled\"", servers_now, rule, "rspamd asks and teaches the storage"});
  std::string content(text);
  if (!content.empty() && !content.ends_with('\n')) content += '\n';
  plan.edits.push_back({path, content + rule});
  plan.notes.emplace_back("rspamd reads it after: systemctl reload rspamd");
  return plan;
}

namespace {

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

}  // namespace shingled::milter::setup
