#include "storage/redis/look_up.h"

#include "storage/redis/layout.h"

namespace shingled::storage {

namespace {

void ask_record(CommandList& commands, std::string_view prefix, const Digest& digest) {
  commands.begin(2 + kRecordFields.size());
  commands.word("HMGET");
  commands.word(record_key(prefix, digest));
  for (const std::string_view field : kRecordFields) commands.word(field);
}

void ask_slots(CommandList& commands, std::string_view prefix, const Shingles& shingles) {
  commands.begin(1 + shingles.size());
  commands.word("MGET");
  for (std::size_t slot = 0; slot < shingles.size(); ++slot) {
    commands.word(slot_key(prefix, slot, shingles[slot]));
  }
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
  for (const Question& question : questions) {
    ask_record(commands, prefix, *question.digest);
    if (question.shingles != nullptr) ask_slots(commands, prefix, *question.shingles);
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
    const auto winner = slot_winner((reply++)->elements);
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
