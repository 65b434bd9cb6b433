// Covers storage/engine/fuzzy_index.cpp, storage/engine/fuzzy_index_add.cpp,
// storage/engine/record_store.cpp.
// Compares the index with brute force: every step is a change or a question, and every answer is
// compared. SHINGLED_LAW_STEPS sets the number of steps per store. Long runs have millions, under
// AddressSanitizer and, for the readers beside the writer, ThreadSanitizer.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <tuple>
#include <vector>

#include "storage/engine/fuzzy_index.h"
#include "tests/storage/engine/random_fingerprint.h"

namespace shingled::storage::engine {
namespace {

constexpr std::uint32_t kExpireSeconds = 5000;

std::size_t steps() {
  const char* wanted = std::getenv("SHINGLED_LAW_STEPS");
  return wanted == nullptr ? 5000 : std::strtoull(wanted, nullptr, 10);
}

/// The size of a store: few texts that meet all the time, or so many that the maps grow and shrink.
struct StoreShape {
  std::size_t texts;
  std::size_t families;  ///< texts of one family share slots
  std::uint64_t seed;
};

struct StoredText {
  Fingerprint fingerprint;
  RecordState state;  ///< row 0 = not stored now
};

/// Index and model side by side. The model is a list of all texts and a loop over it.
class TwoStores {
 public:
  explicit TwoStores(const StoreShape& shape) : random_(shape.seed) {
    std::vector<Fingerprint> heads;
    for (std::size_t i = 0; i < shape.families; ++i) heads.push_back(random_fingerprint(random_));
    for (std::size_t i = 0; i < shape.texts; ++i) {
      StoredText text{near_duplicate(heads[pick(heads.size())], 8 + pick(25), random_), {}};
      if (pick(10) == 0) text.fingerprint.shingles.reset();
      texts_.push_back(text);
    }
  }

  [[nodiscard]] std::size_t pick(std::size_t below) { return random_() % below; }
  StoredText& any_text() { return texts_[pick(texts_.size())]; }
  void pass_time() { now_ += static_cast<std::uint32_t>(pick(3)); }

  void change() {
    StoredText& text = any_text();
    if (text.state.row == 0) {
      add(text);
    } else if (pick(2) == 0) {
      index_.remove(index_.find(text.fingerprint.digest), text.fingerprint.shingles);
      text.state = {};
    } else {
      text.state.updated = now_;
      text.state.flags.add({static_cast<std::uint32_t>(1 + pick(4)), 1}, false);
      index_.update(index_.find(text.fingerprint.digest), text.state);
    }
    if (pick(16) == 0) index_.collect();  // as the writer does after each group
  }

  /// A stored text, another text of its family, or a text of no family.
  Fingerprint question() {
    const Fingerprint& text = any_text().fingerprint;
    switch (pick(4)) {
      case 0:
        return text;
      case 1:
        return random_fingerprint(random_);
      default:
        return text.shingles ? near_duplicate(text, 12 + pick(21), random_) : text;
    }
  }

  void expect_agreement(const Fingerprint& asked) const {
    std::vector<Match> expected = matches_of(asked);
    std::vector<Match> found = index_.check_all(asked, now_, texts_.size() + 1);
    const auto by_digest = [](const Match& a, const Match& b) {
      return a.digest.bytes < b.digest.bytes;
    };
    const auto best = index_.check(asked.digest, asked.shingles ? &*asked.shingles : nullptr, now_);
    ASSERT_EQ(best.has_value(), !expected.empty());
    for (const Match& match : expected) {
      ASSERT_GE(rank(*best), rank(match));
    }
    if (best) {
      ASSERT_THAT(found, ::testing::Contains(*best));
    }
    std::ranges::sort(expected, by_digest);
    std::ranges::sort(found, by_digest);
    ASSERT_EQ(found, expected);
  }

  /// What a reader beside the writer may rely on: an answer names a text that has at least that
  /// many equal slots.
  void expect_possible(const Fingerprint& asked, const std::optional<Match>& match) const {
    if (!match) return;
    const auto text = std::ranges::find(
        texts_, match->digest, [](const StoredText& stored) { return stored.fingerprint.digest; });
    ASSERT_NE(text, texts_.end());
    if (match->exact) {
      ASSERT_EQ(match->digest, asked.digest);
    } else {
      ASSERT_GE(equal_slots(text->fingerprint, asked), match->slots);
    }
  }

  [[nodiscard]] const FuzzyIndex& index() const { return index_; }
  [[nodiscard]] std::uint64_t stored() const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(texts_, [](const StoredText& text) { return text.state.row != 0; }));
  }
  static constexpr std::uint32_t kBegin = 1'700'000'000;

 private:
  void add(StoredText& text) {
    text.state = {.row = ++row_, .flags = {}, .created = now_, .updated = now_};
    text.state.flags.add({1, 1}, false);
    const FuzzyIndex::NewRecord record{text.fingerprint, text.state};
    ASSERT_EQ(index_.add({&record, 1}), 1U);
  }
  static std::tuple<bool, std::uint32_t, std::uint32_t> rank(const Match& match) {
    return {match.exact, match.slots, match.updated};
  }
  static std::uint32_t equal_slots(const Fingerprint& a, const Fingerprint& b) {
    if (!a.shingles || !b.shingles) return 0;
    std::uint32_t equal = 0;
    for (std::size_t slot = 0; slot < kShingleCount; ++slot)
      if ((*a.shingles)[slot] == (*b.shingles)[slot]) ++equal;
    return equal;
  }
  [[nodiscard]] std::vector<Match> matches_of(const Fingerprint& asked) const {
    std::vector<Match> matches;
    for (const StoredText& text : texts_) {
      if (text.state.row == 0 || now_ - text.state.updated > kExpireSeconds) continue;
      const bool exact = text.fingerprint.digest == asked.digest;
      const std::uint32_t slots = exact ? kShingleCount : equal_slots(text.fingerprint, asked);
      if (slots < kMatchSlotsMin) continue;
      Match match{.digest = text.fingerprint.digest, .slots = slots, .exact = exact};
      match.flag_count = static_cast<std::uint8_t>(text.state.flags.size());
      std::ranges::copy(text.state.flags.all(), match.flags.begin());
      match.created = text.state.created;
      match.updated = text.state.updated;
      matches.push_back(match);
    }
    return matches;
  }

  Seeded random_;
  std::vector<StoredText> texts_;
  FuzzyIndex index_{{.slot_owners_max = kSlotOwnersMax, .expire_seconds = kExpireSeconds}};
  std::int64_t row_ = 0;
  std::uint32_t now_ = kBegin;
};

class IndexLaw : public ::testing::TestWithParam<StoreShape> {};

TEST_P(IndexLaw, AgreesWithBruteForceAtEveryStep) {
  TwoStores stores(GetParam());
  for (std::size_t step = 0, all = steps(); step < all; ++step) {
    if (stores.pick(2) == 0) {
      ASSERT_NO_FATAL_FAILURE(stores.change()) << "step " << step;
      stores.pass_time();
    } else {
      ASSERT_NO_FATAL_FAILURE(stores.expect_agreement(stores.question())) << "step " << step;
    }
  }
  EXPECT_EQ(stores.index().size(), stores.stored());
}

TEST_P(IndexLaw, AgreesAlsoWhileOthersRead) {
  TwoStores stores(GetParam());
  std::vector<Fingerprint> questions;
  for (int i = 0; i < 200; ++i) questions.push_back(stores.question());
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> answers{0};
  const auto read = [&](std::size_t begin) {
    for (std::size_t i = begin; !stop; ++i) {
      const Fingerprint& asked = questions[i % questions.size()];
      const auto match = stores.index().check(
          asked.digest, asked.shingles ? &*asked.shingles : nullptr, TwoStores::kBegin);
      ASSERT_NO_FATAL_FAILURE(stores.expect_possible(asked, match));
      answers.fetch_add(1, std::memory_order_relaxed);
    }
  };
  std::thread first(read, 0);
  std::thread second(read, questions.size() / 2);
  for (std::size_t step = 0, all = steps(); step < all && !HasFatalFailure(); ++step) {
    if (stores.pick(4) != 0) {
      stores.change();
      stores.pass_time();
    } else {
      stores.expect_agreement(stores.question());
    }
  }
  while (answers == 0 && !HasFatalFailure()) std::this_thread::yield();
  stop = true;
  first.join();
  second.join();
}

INSTANTIATE_TEST_SUITE_P(Stores, IndexLaw,
                         ::testing::Values(StoreShape{20, 2, 1}, StoreShape{100, 5, 2},
                                           StoreShape{100, 1, 3}, StoreShape{2000, 30, 4}));

}  // namespace
}  // namespace shingled::storage::engine
