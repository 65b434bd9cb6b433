#include "storage/redis/hashes/cluster_sender.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "storage/redis/hashes/layout.h"
#include "storage/redis/route/open_route.h"
#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {

namespace {

// KEYS: a slot. ARGV: 'free' or 'touch', the digest that may own the slot, seconds to live.
constexpr std::string_view kSlotScript = R"lua(
local slot, what, digest, expire = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local owner = redis.pcall('GET', slot)
if what == 'free' then
  if owner == digest then redis.call('DEL', slot) end
elseif owner == digest then
  redis.call('EXPIRE', slot, expire)
elseif not owner then
  redis.call('SET', slot, digest, 'EX', expire)
end
return 0
)lua";

constexpr std::size_t kSlotsTextMax = 2048;  ///< bytes of a field S; 32 slots need 767 at most

std::vector<std::string> split_slots(std::string_view text) {
  std::vector<std::string> names;
  if (text.size() > kSlotsTextMax) return names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (end > 0) names.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

}  // namespace

struct ClusterSender::Plan {
  const TimedUpdate* timed = nullptr;
  Status* outcome = nullptr;
  std::string record;                ///< the key of the record
  bool existed = false;              ///< whether the record existed before
  bool ends_record = false;          ///< whether it is a delete that removes the whole record
  std::vector<std::string> to_free;  ///< "<slot>_<shingle>"

  [[nodiscard]] const Update& update() const { return *timed->update; }
  [[nodiscard]] bool is_add() const { return update().kind == Update::Kind::kAdd; }
};

ClusterSender::ClusterSender(RedisRoute& cluster, ScriptContext context, ReplicaWait wait)
    : context_(std::move(context)),
      wait_(wait),
      scripts_(cluster, std::array{update_script(), kSlotScript, count_script()}) {}

Result<std::vector<Status>> ClusterSender::send(std::span<const TimedUpdate> updates,
                                                TimePoint deadline) {
  std::vector<Status> outcomes(updates.size());
  std::size_t begin = 0;
  while (begin < updates.size()) {
    std::unordered_set<Digest, DigestHash> seen;
    std::size_t end = begin;
    while (end < updates.size() && seen.insert(updates[end].update->fingerprint.digest).second) {
      ++end;
    }
    const std::size_t count = end - begin;
    Status sent = send_run(updates.subspan(begin, count), std::span(outcomes).subspan(begin, count),
                           deadline);
    if (!sent) return sent.error();
    begin = end;
  }
  return outcomes;
}

Status ClusterSender::send_run(std::span<const TimedUpdate> updates, std::span<Status> outcomes,
                               TimePoint deadline) {
  std::vector<Plan> plans(updates.size());
  for (std::size_t i = 0; i < updates.size(); ++i) {
    plans[i].timed = &updates[i];
    plans[i].outcome = &outcomes[i];
    plans[i].record = record_key(context_.prefix, updates[i].update->fingerprint.digest);
  }
  using Stage = Status (ClusterSender::*)(Plans, TimePoint);
  for (const Stage stage :
       {&ClusterSender::read_records, &ClusterSender::free_slots, &ClusterSender::change_records,
        &ClusterSender::claim_slots, &ClusterSender::change_count}) {
    if (Status done = (this->*stage)(plans, deadline); !done) return done;
  }
  return {};
}

Status ClusterSender::read_records(Plans plans, TimePoint deadline) {
  auto replies = run(
      [&](CommandList& commands, const ScriptNames& /*scripts*/) {
        for (const Plan& plan : plans) ask_record(commands, plan.record, RecordPart::kWithSlots);
      },
      deadline);
  if (!replies) return replies.error();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    Plan& plan = plans[i];
    RedisReply& reply = (*replies)[i];
    *plan.outcome = outcome_of(reply);
    if (reply.elements.empty()) continue;
    const std::vector<std::string> own = split_slots(reply.elements.back().text);
    reply.elements.pop_back();
    const auto record = parse_record(reply);
    plan.existed = record.has_value();
    const Update& update = plan.update();
    const auto& shingles = update.fingerprint.shingles;
    std::vector<std::string> given;
    if (shingles) given = split_slots(slots_text(*shingles));
    if (plan.is_add()) {
      if (!shingles) continue;
      std::copy_if(own.begin(), own.end(), std::back_inserter(plan.to_free),
                   [&](const std::string& slot) {
                     return std::find(given.begin(), given.end(), slot) == given.end();
                   });
      continue;
    }
    plan.ends_record = update.flag == 0 || (record && record->flags.size() == 1 &&
                                            record->flags.front().flag == update.flag);
    if (!plan.ends_record) continue;
    plan.to_free = own;
    plan.to_free.insert(plan.to_free.end(), given.begin(), given.end());
  }
  return {};
}

Status ClusterSender::free_slots(Plans plans, TimePoint deadline) {
  const auto replies = run(
      [&](CommandList& commands, const ScriptNames& scripts) {
        for (const Plan& plan : plans) {
          for (const std::string& slot : plan.to_free) {
            const std::string key = context_.prefix + '_' + slot;
            commands.add({"EVALSHA", scripts.slot, "1", key, "free",
                          as_text(plan.update().fingerprint.digest.bytes), "0"},
                         key_slot(key));
          }
        }
      },
      deadline);
  return replies ? Status() : Status(replies.error());
}

Status ClusterSender::change_records(Plans plans, TimePoint deadline) {
  std::vector<Plan*> changed;
  for (Plan& plan : plans) {
    if (*plan.outcome) changed.push_back(&plan);
  }
  const auto replies = run(
      [&](CommandList& commands, const ScriptNames& scripts) {
        for (const Plan* plan : changed) {
          append_record_update(commands, scripts.update, context_, plan->update(),
                               plan->timed->time,
                               marker_beside(context_.prefix, plan->record, plan->update().name),
                               key_slot(plan->record));
        }
      },
      deadline);
  if (!replies) return replies.error();
  for (std::size_t i = 0; i < changed.size(); ++i) *changed[i]->outcome = outcome_of((*replies)[i]);
  return {};
}

Status ClusterSender::claim_slots(Plans plans, TimePoint deadline) {
  const auto replies = run(
      [&](CommandList& commands, const ScriptNames& /*scripts*/) {
        for (const Plan& plan : plans) {
          const Fingerprint& what = plan.update().fingerprint;
          if (!*plan.outcome || !plan.is_add() || !what.shingles) continue;
          for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
            claim_slot(commands, slot_key(context_.prefix, slot, (*what.shingles)[slot]),
                       what.digest, context_.expire);
          }
        }
      },
      deadline);
  return replies ? Status() : Status(replies.error());
}

Status ClusterSender::change_count(Plans plans, TimePoint deadline) {
  const std::string count = count_key(context_.prefix);
  const std::string remember = std::to_string(kMarkerSeconds);
  const auto replies = run(
      [&](CommandList& commands, const ScriptNames& scripts) {
        for (const Plan& plan : plans) {
          const bool counts = plan.is_add() ? !plan.existed : plan.existed && plan.ends_record;
          if (!*plan.outcome || !counts) continue;
          commands.add({"EVALSHA", scripts.count, "2", count,
                        marker_beside(context_.prefix, count, plan.update().name, "_count"),
                        plan.is_add() ? "1" : "-1", remember},
                       key_slot(count));
        }
        const std::string revision = revision_key(context_.prefix);
        commands.add({"INCR", revision}, key_slot(revision));
        const std::string done = std::to_string(kMarkerDoneSeconds);
        for (const std::string& marker : settled_) {
          commands.add({"EXPIRE", marker, done}, key_slot(marker));
        }
      },
      deadline);
  if (!replies) return replies.error();
  settled_.clear();
  return {};
}

void ClusterSender::settle(std::span<const TimedUpdate> updates) {
  const std::string count = count_key(context_.prefix);
  for (const TimedUpdate& timed : updates) {
    const Update& update = *timed.update;
    settled_.push_back(marker_beside(
        context_.prefix, record_key(context_.prefix, update.fingerprint.digest), update.name));
    settled_.push_back(marker_beside(context_.prefix, count, update.name, "_count"));
  }
}

Status ClusterSender::refresh(std::span<const Fingerprint> found, TimePoint deadline) {
  if (context_.expire == 0) return {};
  const std::string expire = std::to_string(context_.expire);
  const auto records = run(
      [&](CommandList& commands, const ScriptNames& /*scripts*/) {
        for (const Fingerprint& each : found) {
          const std::string key = record_key(context_.prefix, each.digest);
          commands.add({"HGET", key, "S"}, key_slot(key));
          commands.add({"EXPIRE", key, expire}, key_slot(key));
        }
      },
      deadline);
  if (!records) return records.error();
  const auto slots = run(
      [&](CommandList& commands, const ScriptNames& scripts) {
        for (std::size_t i = 0; i < found.size(); ++i) {
          const RedisReply& own = (*records)[2 * i];
          if ((*records)[2 * i + 1].integer == 0) continue;  // the record is gone
          if (!own.is_text() && !found[i].shingles) continue;
          for (const std::string& slot :
               split_slots(own.is_text() ? own.text : slots_text(*found[i].shingles))) {
            const std::string key = context_.prefix + '_' + slot;
            if (own.is_text()) {
              commands.add({"EVALSHA", scripts.slot, "1", key, "touch",
                            as_text(found[i].digest.bytes), expire},
                           key_slot(key));
            } else {
              commands.add({"EXPIRE", key, expire}, key_slot(key));
            }
          }
        }
      },
      deadline);
  return slots ? Status() : Status(slots.error());
}

Result<std::uint64_t> ClusterSender::count(TimePoint deadline) {
  const std::string key = count_key(context_.prefix);
  const auto replies = run(
      [&](CommandList& commands, const ScriptNames& /*scripts*/) {
        commands.add({"GET", key}, key_slot(key));
      },
      deadline);
  if (!replies) return replies.error();
  return count_in(replies->front());
}

Result<std::vector<RedisReply>> ClusterSender::run(const Write& write, TimePoint deadline) {
  const auto call = [&](CommandList& commands, Scripts::Names names) {
    write(commands, {.update = names[0], .slot = names[1], .count = names[2]});
    commands.wait_for(wait_);
  };
  return whole(scripts_.call(call, deadline));
}

}  // namespace shingled::storage::redis
