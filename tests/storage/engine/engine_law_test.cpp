// Compares the engine with a model that is too simple to be wrong: a list of records and a loop.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "storage/sqlite/hashes/fuzzy_table.h"
#include "tests/storage/engine/engine_fixture.h"

namespace shingled::storage::engine {
namespace {

/// The expected content of the engine, by brute force.
class Model {
 public:
  explicit Model(std::uint32_t expire_seconds) : expire_seconds_(expire_seconds) {}

  void apply(const Update& update, std::uint32_t now) {
    const auto at = records_.find(update.fingerprint.digest);
    if (at != records_.end() && expired(at->second, now)) {
      records_.erase(at);
    }
    if (update.kind == Update::Kind::kDelete) return erase(update);
    Record& record = records_[update.fingerprint.digest];
    if (record.flags.empty()) record.created = now;
    record.updated = now;
    record.flags.add({update.flag, update.value}, update.weak);
    if (!record.shingles) record.shingles = update.fingerprint.shingles;
  }

  [[nodiscard]] std::vector<Match> check_all(const Fingerprint& asked, std::uint32_t now) const {
    std::vector<Match> matches;
    for (const auto& [digest, record] : records_) {
      if (expired(record, now)) continue;
      const bool exact = digest == asked.digest;
      const std::uint32_t slots = exact ? kShingleCount : equal_slots(record, asked);
      if (slots < kMatchSlotsMin) continue;
      Match match{.digest = digest, .slots = slots, .exact = exact};
      match.flag_count = static_cast<std::uint8_t>(record.flags.size());
      std::ranges::copy(record.flags.all(), match.flags.begin());
      match.created = record.created;
      match.updated = record.updated;
      matches.push_back(match);
    }
    return matches;
  }

 private:
  struct Record {
    FlagSet flags;
    std::uint32_t created = 0;
    std::uint32_t updated = 0;
    std::optional<Shingles> shingles;
  };

  void erase(const Update& update) {
    const auto at = records_.find(update.fingerprint.digest);
    if (at == records_.end()) return;
    at->second.flags.remove(update.flag);
    if (update.flag == 0 || at->second.flags.empty()) records_.erase(at);
  }
  [[nodiscard]] bool expired(const Record& record, std::uint32_t now) const {
    return now - record.updated > expire_seconds_;
  }
  static std::uint32_t equal_slots(const Record& record, const Fingerprint& asked) {
    if (!record.shingles || !asked.shingles) return 0;
    std::uint32_t slots = 0;
    for (std::size_t i = 0; i < kShingleCount; ++i) {
      if ((*record.shingles)[i] == (*asked.shingles)[i]) ++slots;
    }
    return slots;
  }

  std::uint32_t expire_seconds_;
  std::map<Digest, Record> records_;
};

/// Matches as lines, sorted: the order of equal matches is not defined.
std::vector<std::string> lines_of(const std::vector<Match>& matches) {
  std::vector<std::string> lines;
  for (const Match& match : matches) {
    std::string line = std::to_string(match.digest.bytes[0]) + "." +
                       std::to_string(match.digest.bytes[1]) + " slots " +
                       std::to_string(match.slots) + (match.exact ? " exact" : "") + " at " +
                       std::to_string(match.created) + ".." + std::to_string(match.updated);
    for (const FlagValue& flag : flags_of(match)) {
      line += " " + std::to_string(flag.flag) + "=" + std::to_string(flag.value);
    }
    lines.push_back(line);
  }
  std::ranges::sort(lines);
  return lines;
}

class EngineLaw : public EngineTest, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  static constexpr std::size_t kFamilies = 6;
  static constexpr std::size_t kTexts = 120;
  static constexpr std::uint32_t kExpireSeconds = 500;

  /// Families of texts: texts of a family share slots. Some texts are too short for shingles.
  void make_texts() {
    std::vector<Fingerprint> heads;
    for (std::size_t i = 0; i < kFamilies; ++i) heads.push_back(random_fingerprint(random_));
    for (std::size_t i = 0; i < kTexts; ++i) {
      texts_.push_back(near_duplicate(heads[pick(kFamilies)], 10 + pick(23), random_));
      if (pick(8) == 0) texts_.back().shingles.reset();
    }
  }
  std::size_t pick(std::size_t below) { return random_() % below; }

  Update random_update() {
    const Fingerprint& text = texts_[pick(kTexts)];
    const auto flag = static_cast<std::uint32_t>(1 + pick(12));
    if (pick(4) == 0) return remove(text, pick(3) == 0 ? 0 : flag);
    Update update = add(text, static_cast<std::int32_t>(pick(40)) - 10, flag);
    update.weak = pick(5) == 0;
    if (pick(50) == 0) update.value = pick(2) == 0 ? INT32_MAX : INT32_MIN;
    return update;
  }

  /// Asks for all texts at once.
  std::vector<std::optional<Match>> check_together() {
    std::vector<Question> questions;
    for (const Fingerprint& text : texts_)
      questions.push_back({&text.digest, text.shingles ? &*text.shingles : nullptr});
    std::vector<std::optional<Match>> answers(questions.size());
    EXPECT_TRUE(engine_->check_batch(questions, clock_.unix_seconds(), answers));
    return answers;
  }

  void expect_agreement(const Model& model) {
    const auto together = check_together();
    for (const Fingerprint& text : texts_) {
      const auto expected = model.check_all(text, clock_.unix_seconds());
      const auto found = engine_->check_all(text, clock_.unix_seconds(), 1000);
      ASSERT_EQ(lines_of(found), lines_of(expected));
      const auto best = check(text);
      ASSERT_EQ(best.has_value(), !expected.empty());
      ASSERT_EQ(best, together[static_cast<std::size_t>(&text - texts_.data())]);
      if (!best) continue;
      // The best match is not worse than any other. Which one of equal matches is returned is not
      // defined.
      for (const Match& other : expected) {
        ASSERT_GE(std::tuple(best->exact, best->slots, best->updated),
                  std::tuple(other.exact, other.slots, other.updated));
      }
    }
  }

  std::vector<Fingerprint> texts_;
};

TEST_P(EngineLaw, AgreesWithBruteForceAfterAnySequenceAndAfterReopening) {
  random_.seed(GetParam());
  options_.expire = std::chrono::seconds(kExpireSeconds);
  options_.slot_owners_max = kTexts;
  make_texts();
  open();
  Model model(kExpireSeconds);
  for (int round = 0; round < 30; ++round) {
    std::vector<Update> updates;
    for (std::size_t i = 0, count = 1 + pick(30); i < count; ++i) {
      updates.push_back(random_update());
      model.apply(updates.back(), clock_.unix_seconds());
    }
    ASSERT_TRUE(engine_->apply(updates));
    clock_.advance(std::chrono::seconds(pick(60)));
    if (pick(6) == 0) open();
    ASSERT_NO_FATAL_FAILURE(expect_agreement(model)) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, EngineLaw, ::testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace shingled::storage::engine
