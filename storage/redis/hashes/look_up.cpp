#include "storage/redis/hashes/look_up.h"

#include <iterator>
#include <span>
#include <utility>

#include "mime/fingerprint/secret_hash.h"
#include "storage/redis/hashes/layout.h"
#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {

namespace {

void ask_slots(CommandList& commands, std::string_view prefix, const Shingles& shingles) {
  commands.begin(1 + shingles.size());
  commands.word("MGET");
  for (std::size_t slot = 0; slot < shingles.size(); ++slot) {
    commands.word(slot_key(prefix, slot, shingles[slot]));
  }
}

/// The same with a command for each slot, because in a cluster the slots are on different servers.
void ask_each_slot(CommandList& commands, std::string_view prefix, const Shingles& shingles) {
  for (std::size_t slot = 0; slot < shingles.size(); ++slot) {
    const std::string key = slot_key(prefix, slot, shingles[slot]);
    commands.add({"GET", key}, key_slot(key));
  }
}

/// Takes the owners of the slots of one question and moves `reply` after their replies.
std::vector<RedisReply> take_owners(std::vector<RedisReply>::iterator& reply, bool split) {
  if (!split) return std::move((reply++)->elements);
  const auto first = std::make_move_iterator(reply);
  reply += kShingleCount;
  return {first, std::make_move_iterator(reply)};
}

/// A digest that owns enough slots of a question; its record must be read.
struct Candidate {
  std::size_t question;
  SlotWinner winner;
};

/// One call of look_up.
class LookUp {
 public:
  LookUp(RedisRoute& route, std::string_view prefix, std::span<const Question> questions,
         TimePoint deadline)
      : route_(route),
        prefix_(prefix),
        questions_(questions),
        deadline_(deadline),
        split_(route.splits_keys()),
        found_(questions.size()) {}

  Result<std::vector<Found>> run(AskSlots when) {
    const bool at_once = when == AskSlots::kAtOnce;
    for (const Question& question : questions_) {
      ask_record(commands_, record_key(prefix_, *question.digest), RecordPart::kAnswer);
      if (at_once) ask_slots_of(question);
    }
    if (const Status asked = ask(); !asked) return asked.error();
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      const Digest& digest = *questions_[i].digest;
      if (const auto record = parse_record(*reply_++)) {
        found_[i].exact = match_of(digest, *record, kShingleCount, true);
      }
      if (at_once) take_winner(i);
    }
    if (!at_once) {
      if (const Status asked = ask_slots_of_unknown(); !asked) return asked.error();
    }
    if (const Status asked = ask_winners(); !asked) return asked.error();
    return std::move(found_);
  }

 private:
  void ask_slots_of(const Question& question) {
    if (question.shingles == nullptr) return;
    (split_ ? ask_each_slot : ask_slots)(commands_, prefix_, *question.shingles);
  }

  Status ask() {
    auto replies = route_.ask(commands_, deadline_);
    if (!replies) return replies.error();
    commands_.clear();
    replies_ = *std::move(replies);
    reply_ = replies_.begin();
    return {};
  }

  void take_winner(std::size_t i) {
    if (questions_[i].shingles == nullptr) return;
    auto winner = slot_winner(take_owners(reply_, split_));
    if (winner && winner->digest != *questions_[i].digest) candidates_.push_back({i, *winner});
  }

  Status ask_slots_of_unknown() {
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      if (!found_[i].exact) ask_slots_of(questions_[i]);
    }
    if (commands_.empty()) return {};
    if (Status asked = ask(); !asked) return asked;
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      if (!found_[i].exact) take_winner(i);
    }
    return {};
  }

  Status ask_winners() {
    if (candidates_.empty()) return {};
    for (const Candidate& candidate : candidates_) {
      ask_record(commands_, record_key(prefix_, candidate.winner.digest), RecordPart::kAnswer);
    }
    if (Status asked = ask(); !asked) return asked;
    for (const Candidate& candidate : candidates_) {
      const auto record = parse_record(*reply_++);
      if (!record) continue;
      const SlotWinner& winner = candidate.winner;
      found_[candidate.question].near = match_of(winner.digest, *record, winner.slots, false);
    }
    return {};
  }

  RedisRoute& route_;
  std::string_view prefix_;
  std::span<const Question> questions_;
  TimePoint deadline_;
  bool split_;
  CommandList commands_;
  std::vector<RedisReply> replies_;
  std::vector<RedisReply>::iterator reply_;
  std::vector<Candidate> candidates_;
  std::vector<Found> found_;
};

}  // namespace

Result<std::vector<Found>> look_up(RedisRoute& route, std::string_view prefix,
                                   std::span<const Question> questions, AskSlots ask_slots,
                                   TimePoint deadline) {
  return LookUp(route, prefix, questions, deadline).run(ask_slots);
}

namespace {

/// The hash of the shingles; 0 if there are none. The hash has a secret key. Otherwise an attacker
/// could find shingles with the same hash that match nothing, and ask for the digest of the message
/// with these first. The cached miss would then hide the near matches of the message for a while.
std::uint64_t mix(const Shingles* shingles) {
  if (shingles == nullptr) return 0;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(shingles->data());
  return SecretHash::of_process()(std::span(bytes, sizeof *shingles)) | 1;
}

}  // namespace

std::optional<MatchCache::Answer> MatchCache::find(const Question& question, TimePoint now) const {
  auto shard = shard_of(*question.digest).lock();
  for (const Entries* entries : {&shard->young, &shard->old}) {
    const auto found = entries->find(*question.digest);
    if (found == entries->end()) continue;
    const Entry& entry = found->second;
    if (now >= entry.end || entry.shingles != mix(question.shingles)) return std::nullopt;
    return entry.answer;
  }
  return std::nullopt;
}

std::uint64_t MatchCache::forgotten(const Digest& digest) const {
  return shard_of(digest).lock()->forgotten;
}

void MatchCache::put(const Question& question, const Answer& answer, TimePoint now,
                     std::uint64_t forgotten) {
  auto shard = shard_of(*question.digest).lock();
  if (shard->forgotten != forgotten) return;
  if (shard->young.size() >= half_) shard->old = std::exchange(shard->young, {});
  shard->young[*question.digest] = {mix(question.shingles), now + keep_, answer};
}

void MatchCache::forget(const Digest& digest) {
  auto shard = shard_of(digest).lock();
  ++shard->forgotten;
  shard->young.erase(digest);
  shard->old.erase(digest);
}

}  // namespace shingled::storage::redis
