// kill -9 at any moment: no acknowledged update is lost, and none counts twice.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/storage/engine/engine_fixture.h"

namespace shingled::storage::engine {
namespace {

constexpr std::size_t kTexts = 50;

/// A note from the dying process to the test: update number i was submitted or acknowledged.
struct Note {
  std::uint32_t update;
  std::uint32_t acknowledged;
};

/// Update number i: the text and the value that it adds. Known to both processes.
std::size_t text_of(std::uint32_t update) { return update * 2654435761U % kTexts; }
std::int32_t value_of(std::uint32_t update) { return static_cast<std::int32_t>(update % 7 + 1); }

class KillTest : public EngineTest {
 protected:
  KillTest() {
    for (std::size_t i = 0; i < kTexts; ++i) texts_.push_back(random_fingerprint(random_));
  }

  /// In the child: writes until it is killed, 16 updates in flight.
  [[noreturn]] void write_for_ever(int notes, std::uint32_t first) {
    open();
    const auto tell = [notes](Note note) {
      if (::write(notes, &note, sizeof note) != sizeof note) ::_exit(1);
    };
    std::atomic<std::uint32_t> in_flight{0};
    for (std::uint32_t update = first;; ++update) {
      while (in_flight.load() >= 16) ::usleep(0);
      ++in_flight;
      tell({update, 0});
      engine_->submit(add(texts_[text_of(update)], value_of(update)),
                      [&, tell, update](const Status& outcome) {
                        if (outcome) tell({update, 1});
                        --in_flight;
                      });
    }
  }

  std::vector<Fingerprint> texts_;
  std::vector<std::int64_t> acknowledged_ = std::vector<std::int64_t>(kTexts);
  std::vector<std::int64_t> perhaps_ = std::vector<std::int64_t>(kTexts);
};

// SHINGLED_KILLS sets the number of kills; a long run has 1000.
TEST_F(KillTest, NoAcknowledgedUpdateIsLostAndNoneCountsTwice) {
  const char* wanted = std::getenv("SHINGLED_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 15;
  std::uint32_t next = 0;
  for (int kill = 0; kill < kills; ++kill) {
    int notes[2];
    ASSERT_EQ(::pipe(notes), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(notes[0]);
      write_for_ever(notes[1], next);
    }
    ::close(notes[1]);
    // The moment of the kill: after a random number of notes, anywhere in a group, a commit or a
    // checkpoint.
    const std::size_t most = 1 + random_() % 600;
    std::vector<std::int64_t> submitted(kTexts);
    Note note{};
    for (std::size_t seen = 0; ::read(notes[0], &note, sizeof note) == sizeof note; ++seen) {
      if (seen == most) ::kill(child, SIGKILL);  // reads on: notes that were sent count
      std::vector<std::int64_t>& to = note.acknowledged != 0 ? acknowledged_ : submitted;
      to[text_of(note.update)] += value_of(note.update);
      if (note.acknowledged != 0) {
        submitted[text_of(note.update)] -= value_of(note.update);
      } else {
        next = note.update + 1;
      }
    }
    ::close(notes[0]);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);

    open();
    for (std::size_t i = 0; i < kTexts; ++i) {
      const auto match = check(texts_[i]);
      const std::int64_t stored = match ? match->flags[0].value : 0;
      ASSERT_GE(stored, acknowledged_[i]) << "an acknowledged update is lost; kill " << kill;
      ASSERT_LE(stored, acknowledged_[i] + submitted[i]) << "an update counts twice; kill " << kill;
      acknowledged_[i] = stored;  // unanswered updates that were stored count from now on
    }
    engine_.reset();
  }
}

}  // namespace
}  // namespace shingled::storage::engine
