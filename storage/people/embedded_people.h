#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
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
#include "storage/people/sign_index.h"
#include "storage/sqlite/people/people_table.h"

namespace shingled::storage::people {

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
