#include "storage/redis/route/key_scan.h"

#include "storage/redis/route/open_route.h"

namespace shingled::storage::redis {

namespace {

constexpr std::string_view kScanCount = "1000";  // keys that the server looks at in one step

/// The name of a server process, which is new after each start; empty if INFO is not permitted.
std::string run_id(const RedisReply& info) {
  constexpr std::string_view kName = "run_id:";
  const std::size_t begin = info.text.find(kName);
  if (!info.is_text() || begin == std::string::npos) return {};
  return info.text.substr(begin, info.text.find('\r', begin) - begin);
}

}  // namespace

std::vector<std::unique_ptr<RedisRoute>> key_holders(const RedisOptions& options,
                                                     const std::vector<SocketSpec>& places,
                                                     TimePoint deadline, Clock& clock,
                                                     Logger& logger) {
  std::vector<std::unique_ptr<RedisRoute>> holders;
  OpenRoute opened = open_route(options, places, RedisServers::Turn::kInOrder, clock, logger);
  if (opened.cluster == nullptr) {
    holders.push_back(std::move(opened.route));
    return holders;
  }
  const RedisLogin login = login_of(options);
  for (const SocketSpec& master : opened.cluster->masters(deadline))
    holders.push_back(std::make_unique<RedisServer>(master, login, clock, logger));
  return holders;
}

std::string glob_of(std::string_view prefix, std::string_view rest) {
  std::string out;
  for (const char c : prefix) {
    if (std::string_view("*?[]\\^").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out += rest;
}

Status scan_keys(RedisRoute& holder, const std::string& glob,
                 const std::function<TimePoint()>& deadline,
                 const std::function<Status(const std::vector<RedisReply>&)>& each) {
  std::string cursor = "0";
  std::optional<std::string> begun_with;
  do {
    CommandList commands;
    commands.add({"SCAN", cursor, "MATCH", glob, "COUNT", kScanCount});
    commands.add({"INFO", "server"});
    const auto replies = holder.ask(commands, deadline());
    if (!replies) return replies.error();
    const std::string answered = run_id((*replies)[1]);
    if (begun_with.value_or(answered) != answered) {
      return Error{ErrorCode::kUnavailable,
                   "the server was replaced or restarted during the scan: the keys that were read "
                   "are not complete"};
    }
    begun_with = answered;
    const auto& parts = replies->front().elements;
    if (parts.size() != 2) return Error{ErrorCode::kCorrupt, "SCAN: " + replies->front().text};
    cursor = parts[0].text;
    if (Status done = each(parts[1].elements); !done) return done;
  } while (cursor != "0");
  return {};
}

}  // namespace shingled::storage::redis
