#include "storage/redis/look_up.h"

#include <iterator>

#include "storage/redis/key_slot.h"
#include "storage/redis/layout.h"

namespace shingled::storage {

namespace {

void ask_record(CommandList& commands, std::string_view prefix, const Digest& digest) {
  const std::string key = record_key(prefix, digest);
  commands.begin(2 + kRecordFields.size(), key_slot(key));
  commands.word("HMGET");
  commands.word(key);
  for (const std::string_view field : kRecordFields) commands.word(field);
}

void ask_slots(CommandList& commands, std::string_view prefix, const Shingles& shingles) {
  commands.begin(1 + shingles.size());
  commands.word("MGET");
  for (std::size_t slot = 0; slot < shingles.size(); ++slot) {
    commands.word(slot_key(prefix, slot, shingles[slot]));
  }
}

/// The same as a command for each, for they may live anywhere.
void ask_each_slot(CommandList& commands, std::string_view prefix, const Shingles& shingles) {
  for (std::size_t slot = 0; slot < shingles.size(); ++slot) {
    const std::string key = slot_key(prefix, slot, shingles[slot]);
    commands.add({"GET", key}, key_slot(key));
  }
}

/// The owners of the slots; moves on behind their replies.
std::vector<RedisReply> take_owners(std::vector<RedisReply>::iterator& reply, bool split) {
  if (!split) return std::move((reply++)->elements);
  const auto first = std::make_move_iterator(reply);
  reply += kShingleCount;
  return {first, std::make_move_iterator(reply)};
}

/// Whose record is to be read for which question.
struct Candidate {
  std::size_t question;
  SlotWinner winner;
};

}  // namespace

Result<std::vector<Found>> look_up(RedisRoute& route, std::string_view prefix,
                                   std::span<const Question> questions, TimePoint deadline) {
  CommandList commands;
  const bool split = route.splits_keys();
  for (const Question& question : questions) {
    ask_record(commands, prefix, *question.digest);
    if (question.shingles == nullptr) continue;
    (split ? ask_each_slot : ask_slots)(commands, prefix, *question.shingles);
  }
  auto replies = route.ask(commands, deadline);
  if (!replies) return replies.error();

  std::vector<Found> found(questions.size());
  std::vector<Candidate> candidates;
  auto reply = replies->begin();
  commands.clear();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Digest& asked = *questions[i].digest;
    if (const auto record = parse_record(*reply++)) {
      found[i].exact = match_of(asked, *record, kShingleCount, true);
    }
    if (questions[i].shingles == nullptr) continue;
    const auto winner = slot_winner(take_owners(reply, split));
    if (!winner || winner->digest == asked) continue;
    candidates.push_back({i, *winner});
    ask_record(commands, prefix, winner->digest);
  }
  if (candidates.empty()) return found;

  replies = route.ask(commands, deadline);
  if (!replies) return replies.error();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto record = parse_record((*replies)[i]);
    if (!record) continue;
    const SlotWinner& winner = candidates[i].winner;
    found[candidates[i].question].near = match_of(winner.digest, *record, winner.slots, false);
  }
  return found;
}

}  // namespace shingled::storage
