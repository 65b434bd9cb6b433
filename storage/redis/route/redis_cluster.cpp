#include "storage/redis/route/redis_cluster.h"

#include <algorithm>
#include <utility>

namespace shingled::storage::redis {

/// The state of a call of `ask` over its passes.
struct RedisCluster::Pass {
  const CommandList& commands;
  std::vector<RedisReply>& replies;
  std::vector<std::size_t> pending;  ///< commands of this pass
  std::vector<std::size_t> left;     ///< commands for the next pass
  /// Commands that were redirected to a server, which counts more than the map.
  std::map<std::size_t, SocketSpec> moved;
  bool map_is_old = false;
};

RedisCluster::RedisCluster(std::vector<SocketSpec> seeds, RedisLogin login, Clock& clock,
                           Logger& logger)
    : seeds_(std::move(seeds)), login_(std::move(login)), clock_(clock), logger_(logger) {}

Result<std::vector<RedisReply>> RedisCluster::ask(const CommandList& commands, TimePoint deadline) {
  std::vector<RedisReply> replies(
      commands.size(), RedisReply{.kind = RedisReply::Kind::kError, .text = std::string(kAway)});
  Pass pass{commands, replies, {}, {}, {}, false};
  for (std::size_t i = 0; i < commands.size(); ++i) pass.left.push_back(i);
  for (int round = 0; round < kPasses && !pass.left.empty(); ++round) {
    if (round > 0 && clock_.now() >= deadline) break;
    if (pass.map_is_old) refresh(deadline);
    pass.map_is_old = false;
    pass.pending = std::exchange(pass.left, {});
    run(pass, deadline);
  }
  if (!commands.empty() && pass.left.size() == commands.size()) {
    return Error{ErrorCode::kUnavailable, "no server of the cluster answers"};
  }
  return replies;
}

void RedisCluster::run(Pass& pass, TimePoint deadline) {
  const Map map = map_or_refresh(deadline);
  if (map == nullptr) {
    pass.left = std::move(pass.pending);
    pass.map_is_old = true;
    return;
  }
  struct Share {
    SocketSpec where;
    std::vector<std::size_t> wanted;
  };
  std::map<std::string, Share> shares;  // by server
  for (const std::size_t i : pass.pending) {
    const std::uint16_t node = map->node_of[pass.commands.slot(i)];
    const auto moved = pass.moved.find(i);
    if (moved == pass.moved.end() && node == SlotMap::kNobody) {
      pass.left.push_back(i);
      pass.map_is_old = true;
      continue;
    }
    const SocketSpec& where = moved == pass.moved.end() ? map->nodes[node] : moved->second;
    Share& share = shares[where.to_string()];
    share.where = where;
    share.wanted.push_back(i);
  }
  pass.moved.clear();
  for (const auto& [name, share] : shares) ask_server(pass, share.where, share.wanted, deadline);
}

void RedisCluster::ask_server(Pass& pass, const SocketSpec& where,
                              const std::vector<std::size_t>& wanted, TimePoint deadline) {
  CommandList commands;
  for (const std::size_t i : wanted) commands.append(pass.commands.command(i));
  commands.wait_for(pass.commands.wait());
  auto answers = server(where)->ask(commands, deadline);
  if (!answers) {
    pass.left.insert(pass.left.end(), wanted.begin(), wanted.end());
    pass.map_is_old = true;
    return;
  }
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    RedisReply& answer = (*answers)[k];
    const auto redirect = parse_redirect(answer, where);
    if (redirect && redirect->this_once) {
      ask_this_once(pass, wanted[k], redirect->where, deadline);
    } else if (redirect) {
      pass.left.push_back(wanted[k]);
      pass.moved[wanted[k]] = redirect->where;
      pass.map_is_old = true;
    } else if (answer.is_error("TRYAGAIN")) {
      pass.left.push_back(wanted[k]);
    } else {
      pass.replies[wanted[k]] = std::move(answer);
    }
  }
}

void RedisCluster::ask_this_once(Pass& pass, std::size_t command, const SocketSpec& where,
                                 TimePoint deadline) {
  CommandList commands;
  commands.add({"ASKING"});
  commands.append(pass.commands.command(command));
  commands.wait_for(pass.commands.wait());
  auto answers = server(where)->ask(commands, deadline);
  if (answers && !parse_redirect(answers->back(), where) && !answers->back().is_error("TRYAGAIN")) {
    pass.replies[command] = std::move(answers->back());
  } else {
    pass.left.push_back(command);
  }
}

Result<std::vector<RedisReply>> RedisCluster::ask_all(const CommandList& commands,
                                                      TimePoint deadline) {
  const Map map = map_or_refresh(deadline);
  Result<std::vector<RedisReply>> replies =
      Error{ErrorCode::kUnavailable, "no server of the cluster answers"};
  if (map == nullptr) return replies;
  for (const SocketSpec& node : map->nodes) {
    auto answers = server(node)->ask(commands, deadline);
    if (answers || !replies) replies = std::move(answers);
  }
  return replies;
}

std::vector<SocketSpec> RedisCluster::masters(TimePoint deadline) {
  const Map map = map_or_refresh(deadline);
  return map != nullptr ? map->nodes : std::vector<SocketSpec>();
}

bool RedisCluster::is_up() const {
  const Map map = this->map();
  if (map == nullptr) return false;
  auto servers = servers_.lock();
  return std::all_of(servers->begin(), servers->end(),
                     [](const auto& entry) { return entry.second->is_up(); });
}

RedisCluster::Server RedisCluster::server(const SocketSpec& where) {
  auto servers = servers_.lock();
  Server& server = (*servers)[where.to_string()];
  if (server == nullptr) server = std::make_shared<RedisServer>(where, login_, clock_, logger_);
  return server;
}

RedisCluster::Map RedisCluster::map_or_refresh(TimePoint deadline) {
  if (Map known = map()) return known;
  refresh(deadline);
  return map();
}

void RedisCluster::refresh(TimePoint deadline) {
  auto due = refresh_due_.try_lock();
  if (!due || clock_.now() < **due) return;
  std::vector<SocketSpec> known;
  if (const Map map = this->map()) known = map->nodes;
  known.insert(known.end(), seeds_.begin(), seeds_.end());
  CommandList commands;
  commands.add({"CLUSTER", "SLOTS"});
  for (const SocketSpec& node : known) {
    const auto replies = server(node)->ask(commands, deadline);
    if (!replies) continue;
    auto map = parse_slot_map(replies->front(), node);
    if (!map) continue;
    // Forget servers that left the cluster; their connections close when no thread uses them.
    auto servers = servers_.lock();
    std::erase_if(*servers, [&](const auto& entry) {
      const auto is_it = [&](const SocketSpec& one) { return one.to_string() == entry.first; };
      return std::none_of(map->nodes.begin(), map->nodes.end(), is_it) &&
             std::none_of(seeds_.begin(), seeds_.end(), is_it);
    });
    *map_.lock() = std::make_shared<const SlotMap>(*std::move(map));
    break;
  }
  **due = clock_.now() + kRefreshPause;
}

}  // namespace shingled::storage::redis
