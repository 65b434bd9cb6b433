#include "storage/redis/buckets/script_batcher.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {

ScriptBatcher::ScriptBatcher(RedisRoute& route, const Clock& clock)
    : route_(route), clock_(clock), script_(route, std::array{bucket_script()}) {}

Result<std::vector<RedisReply>> ScriptBatcher::run(std::vector<ScriptCall> calls,
                                                   TimePoint deadline) {
  const auto mine = std::make_shared<Errand>();
  mine->calls = std::move(calls);
  for (const ScriptCall& call : mine->calls) mine->keys += call.keys.size();
  MutexLock lock(mutex_);
  waiting_.push_back(mine);
  while (!mine->done && clock_.now() < deadline) {
    if (under_way_ >= kExchanges || !mine->waits) {
      mine->wake.wait_until(lock.as_lock(), deadline);
      continue;
    }
    const Errands errands = next_ones();
    ++under_way_;
    call_next();
    lock.unlock();
    exchange(errands, deadline);
    lock.lock();
    --under_way_;
    call_next();
  }
  if (mine->waits) std::erase(waiting_, mine);
  if (!mine->done) call_next();  // this thread may have been woken for the next exchange
  return std::move(mine->replies);
}

std::size_t ScriptBatcher::waiting() {
  const MutexLock lock(mutex_);
  return waiting_.size();
}

/// Wakes the thread that will make the next exchange.
void ScriptBatcher::call_next() {
  if (under_way_ < kExchanges && !waiting_.empty()) waiting_.front()->wake.notify_one();
}

/// Takes the errands that have waited longest, up to kKeysMax keys.
ScriptBatcher::Errands ScriptBatcher::next_ones() {
  Errands errands;
  std::size_t keys = 0;
  while (!waiting_.empty() && (errands.empty() || keys + waiting_.front()->keys <= kKeysMax)) {
    keys += waiting_.front()->keys;
    waiting_.front()->waits = false;
    errands.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return errands;
}

/// Makes the calls of the errands and wakes their threads.
void ScriptBatcher::exchange(const Errands& errands, TimePoint deadline) {
  exchanges_.add();
  std::map<std::pair<ScriptCall::Verb, std::uint16_t>, Command> by_kind;
  for (const auto& errand : errands) {
    for (std::size_t i = 0; i < errand->calls.size(); ++i) {
      const ScriptCall& call = errand->calls[i];
      const std::uint16_t slot =
          route_.splits_keys() ? key_slot(call.keys.front()) : std::uint16_t{0};
      by_kind[{call.verb, slot}].emplace_back(errand.get(), i);
    }
  }
  std::vector<Command> commands;
  commands.reserve(by_kind.size());
  for (auto& [kind, command] : by_kind) commands.push_back(std::move(command));
  Replies replies = ask(commands, deadline);
  const MutexLock lock(mutex_);
  for (const auto& errand : errands) {
    errand->replies =
        replies ? Replies(std::vector<RedisReply>(errand->calls.size())) : Replies(replies.error());
  }
  for (std::size_t c = 0; replies && c < commands.size(); ++c) {
    RedisReply& reply = (*replies)[c];
    for (std::size_t i = 0; i < commands[c].size(); ++i) {
      const auto [errand, number] = commands[c][i];
      const bool has_its_own = reply.elements.size() == commands[c].size();
      (*errand->replies)[number] = has_its_own ? std::move(reply.elements[i]) : reply;
    }
  }
  for (const auto& errand : errands) {
    errand->done = true;
    errand->wake.notify_one();
  }
}

/// Returns the reply to each command. Calls that were made are not made again.
ScriptBatcher::Replies ScriptBatcher::ask(const std::vector<Command>& commands,
                                          TimePoint deadline) {
  const auto write = [&](CommandList& list, Scripts::Names names) {
    for (const Command& command : commands) {
      std::vector<const ScriptCall*> together;
      together.reserve(command.size());
      for (const auto& [errand, i] : command) together.push_back(&errand->calls[i]);
      append_calls(list, {"EVALSHA", names.front()}, together);
    }
  };
  return script_.call(write, deadline, Scripts::Again::kForgotten);
}

}  // namespace shingled::storage::redis
