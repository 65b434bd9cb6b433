#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "storage/counters/timekeeper.h"
#include "storage/people/people_store.h"
#include "storage/sqlite/people/people_table.h"

namespace shingled::storage::people {

/// Finds statements by their signs, in memory.
/// Threads: many may read, or one may change.
/// Cost:    8 to 16 bytes a sign of a statement, and 32 to 64 a different sign. A look-up is one line of
///          the cache if nobody said anything, which is the rule.
class SignIndex {
 public:
  /// Statements are named by numbers from 0 on.
  using Number = std::uint32_t;

  /// Adds a statement; returns its number.
  Number add(const Statement& statement);
  /// Its voice does not count any more; it still uses memory.
  void remove(Number number) { statements_[number].removed = true; }

  /// Appends the voices of a sign, at most kVoicesMax: those of standing, then at most
  /// kNewcomerVoicesMax newcomers, of each the newest addition first.
  void find(std::uint64_t sign, Voices& out) const;

  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::size_t statements() const { return statements_.size(); }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Known {
    Voice voice;
    bool removed = false;
  };
  /// A sign, and the newest of its links; free without one.
  struct Slot {
    std::uint64_t sign = 0;
    std::uint32_t of_standing = kNone;
    std::uint32_t newcomer = kNone;

    [[nodiscard]] bool used() const { return of_standing != kNone || newcomer != kNone; }
  };
  struct Link {
    Number statement = 0;
    std::uint32_t before = kNone;  ///< that of the same sign and kind that was added before
  };

  [[nodiscard]] std::size_t place_of(std::uint64_t sign) const;
  void grow();
  /// Appends the voices of a link and those before it until there are `most`.
  void follow(std::uint32_t link, std::size_t most, Voices& out) const;

  std::vector<Known> statements_;
  std::vector<Link> links_;
  std::vector<Slot> slots_;  ///< a power of two, at most half of it used
  std::size_t used_ = 0;
};

/// What the people of this machine say: a file, and an index of it in memory.
///
/// Statements older than `keep` are forgotten, but not within a day after the clock jumped ahead.
/// If the index has no room, the oldest statements are not found any more.
/// Threads: any thread.
/// Cost:    `say` is one commit; `ask` takes no disk.
class EmbeddedPeople final : public PeopleStore {
 public:
  struct Options {
    std::string path;
    std::uint64_t site = 0;  ///< as of ReportTable::open
    std::chrono::seconds keep{std::chrono::days(365)};
    std::size_t memory_max = std::size_t{256} << 20U;  ///< bytes of the index
  };

  /// Opens or makes the file and reads it. `clock` and `logger` must outlive it.
  /// Errors: those of PeopleTable::open.
  static Result<std::unique_ptr<EmbeddedPeople>> open(Options options, const Clock& clock,
                                                      Logger& logger);

  Status say(const Statement& statement, TimePoint deadline) override;
  Status withdraw(std::uint64_t message, std::uint64_t person, TimePoint deadline) override;
  Result<std::vector<Voices>> ask(std::span<const std::uint64_t> signs,
                                  TimePoint deadline) override;
  void report(MetricReport& report) const override;

 private:
  struct Name {
    std::uint64_t message = 0;
    std::uint64_t person = 0;
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct HashName {
    std::size_t operator()(const Name& name) const { return name.message ^ name.person; }
  };
  /// The file and what belongs to it.
  struct Written {
    std::unique_ptr<sqlite::PeopleTable> table;
    counters::Timekeeper time{counters::Timekeeper::State{}};
    std::optional<TimePoint> forgot = {};
    std::unordered_map<Name, SignIndex::Number, HashName> numbers = {};
  };

  EmbeddedPeople(Options options, const Clock& clock, Logger& logger)
      : options_(std::move(options)), clock_(clock), logger_(logger) {}

  /// Reads the file into a new index.
  Status read(Written& written);
  Status forget_old(Written& written);
  void put(Written& written, const Statement& statement);

  const Options options_;
  const Clock& clock_;
  Logger& logger_;
  Guarded<Written> written_;
  mutable FairSharedMutex index_mutex_;
  SignIndex index_;  ///< changed with both locks held
};

}  // namespace shingled::storage::people
