// Covers EmbeddedCounters when the power is cut at any moment: what was synced is there, and of the
// calls after that each is there or not, but none half.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "tests/storage/counters/embedded/embedded_fixture.h"

namespace shingled::storage::counters {
namespace {

class EmbeddedPowerTest : public EmbeddedCountersTest {
 protected:
  /// What was done since the last sync, in this order.
  struct Event {
    Addition addition;  ///< its first counter is of no other event
    Slot slot = 0;
    std::vector<CounterKey> forgotten;
    bool is_done = false;     ///< it returned without an error
    bool is_durable = false;  ///< from its return on
  };

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::uint64_t piece(std::uint64_t bound) { return (below(bound) + 1) * 0x9E37'79B9'7F4A'7C15; }
  Pair random_pair() {
    const std::uint64_t sender = piece(8);
    return {{sender ^ piece(12), PieceType::kSenderRecipient}, sender};
  }
  CounterKey random_single() { return {piece(40), PieceType::kFrom}; }

  Event random_event() {
    Event event;
    event.addition.counters.push_back({++own_ * 0xD6E8'FEB8'6659'FD93, PieceType::kLink});
    for (std::uint64_t i = below(4); i > 0; --i) event.addition.counters.push_back(random_single());
    for (std::uint64_t i = below(4); i > 0; --i) event.addition.pairs.push_back(random_pair());
    event.addition.amounts = message(below(1000), below(3));
    event.slot = counters_->present_slot();
    return event;
  }

  void step() {
    const std::uint64_t dice = below(1000);
    if (dice < 800) {
      Event event = random_event();
      event.is_done = static_cast<bool>(counters_->add(event.addition));
      events_.push_back(event);
    } else if (dice < 840) {
      learn();
    } else if (dice < 860) {
      Event event;
      for (std::uint64_t i = below(3); i > 0; --i)
        event.forgotten.push_back(below(2) == 0 ? random_single() : random_pair().key);
      event.is_done = event.is_durable = static_cast<bool>(counters_->forget(event.forgotten));
      events_.push_back(event);
    } else if (dice < 900) {
      if (counters_->sync()) settle();
    } else if (dice < 908) {
      open();  // as after kill -9
    } else {
      if (dice < 962) clock_.advance(std::chrono::minutes(below(11)));
      if (dice < 913) clock_.advance(std::chrono::hours(below(12)));
      static_cast<void>(counters_->maintain({}));
    }
  }
  void learn() {
    std::vector<PastAddition> past;
    std::vector<Event> learnt;
    for (std::uint64_t i = below(5); i > 0; --i) {
      Event event = random_event();
      event.slot -= static_cast<Slot>(below(below(2) == 0 ? 4 : 300));
      past.push_back({event.slot, event.addition});
      learnt.push_back(event);
    }
    const bool is_done = static_cast<bool>(counters_->learn(past));
    for (Event& event : learnt) {
      event.is_done = event.is_durable = is_done;
      events_.push_back(event);
    }
  }

  /// What was done is there for ever.
  void settle() {
    for (const Event& event : events_)
      if (event.is_done) put(event);
    std::erase_if(events_, [](const Event& event) { return event.is_done; });
  }
  void put(const Event& event) {
    if (!event.addition.counters.empty()) oracle_.add(event.addition, event.slot);
    for (const CounterKey& key : event.forgotten) oracle_.forget(key);
  }

  /// After a power cut: the oracle takes those events that are there.
  void take_what_is_left() {
    constexpr std::array<Window, 1> kAll = {{{Period::Unit::kDay, kDaysKept, 0}}};
    for (const Event& event : events_) {
      if (event.addition.counters.empty()) {
        if (event.is_done) put(event);
        continue;
      }
      const CounterKey own = event.addition.counters.front();
      const auto answers = counters_->ask(std::span(&own, 1), kAll);
      ASSERT_TRUE(answers.known[0]);
      const std::uint64_t mass = answers.of(0, 0).of(Measure::kMass);
      ASSERT_LE(mass, 1U);
      if (event.is_durable) {
        ASSERT_EQ(mass, 1U);
      }
      if (!event.is_done) {
        ASSERT_EQ(mass, 0U);
      }
      if (mass == 1) put(event);
      ++(mass == 1 ? left_ : lost_);
    }
    events_.clear();
  }

  /// `cut` makes the folder what it is after a power cut.
  void walk(std::uint64_t seed, const std::function<void()>& cut) {
    const char* const wanted = std::getenv("SHINGLED_COUNTER_CUTS");
    const std::uint64_t cuts = wanted == nullptr ? 40 : std::strtoull(wanted, nullptr, 10);
    random_.seed(seed);
    for (std::uint64_t at = 0; at < cuts && !HasFatalFailure(); ++at) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", power cut " << at);
      open();
      files_.fail_at(below(below(2) == 0 ? 60 : 400));
      const std::uint64_t last = files_.writes() + 400;
      for (std::uint64_t i = below(300); i > 0 && files_.writes() < last; --i) step();
      counters_.reset();
      files_.repair();
      cut();
      open();
      take_what_is_left();
      const EmbeddedCounterStatus status = counters_->status();
      ASSERT_EQ(status.files_lost + status.logs_lost, 0U);
      expect_oracle();
      maintain();  // the logs that were left are sealed
      expect_oracle();
      ASSERT_TRUE(counters_->verify({}));
    }
    EXPECT_GT(left_, 0U);
    EXPECT_GT(lost_, 0U);
  }

  std::mt19937_64 random_;
  std::uint64_t own_ = 0;
  std::vector<Event> events_;
  std::uint64_t left_ = 0;
  std::uint64_t lost_ = 0;
};

TEST_F(EmbeddedPowerTest, SyncCoversOnceWhatAKilledProcessHadWritten) {
  open();
  add({{{5, PieceType::kFrom}}, {}, message()});
  open();
  files_.fail_at(0);
  EXPECT_FALSE(counters_->sync());
  files_.repair();
  ASSERT_TRUE(counters_->sync());
  const std::uint64_t writes = files_.writes();
  ASSERT_TRUE(counters_->sync());
  EXPECT_EQ(files_.writes(), writes);
  counters_.reset();
  files_.cut_power();
  open();
  expect_oracle();
}

TEST_F(EmbeddedPowerTest, WhatASyncCouldNotWriteIsOnTheDiskWhenSyncSucceedsAgain) {
  open();
  add({{{5, PieceType::kFrom}}, {{{1, PieceType::kLinkFrom}, 9}}, message()});
  files_.fail_at(0);
  EXPECT_FALSE(counters_->sync());
  files_.drop_unsynced();
  files_.repair();
  for (int i = 0; i < 3 && !counters_->sync(); ++i) maintain();
  EXPECT_TRUE(counters_->sync());
  counters_.reset();
  files_.cut_power();
  open();
  expect_oracle();
}

TEST_F(EmbeddedPowerTest, NothingThatWasSyncedIsMissing) {
  walk(1, [&] { files_.cut_power(); });
}

TEST_F(EmbeddedPowerTest, NothingIsHalfIfSomeOfTheRestWasWritten) {
  walk(2, [&] { files_.cut_power([&](std::size_t bound) { return below(bound); }); });
}

}  // namespace
}  // namespace shingled::storage::counters
