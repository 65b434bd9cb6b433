#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/options/redis_options.h"
#include "storage/people/people_store.h"
#include "storage/redis/route/redis_route.h"

namespace shingled::storage::people {

/// What people say, shared by several daemons in Redis or a Redis cluster (SCHEMA.md, section on
/// what people say). A sign has at most kVoicesMax voices, and takes no newcomer's from
/// kNewcomerVoicesMax on: later ones are not kept.
///
/// While Redis is away nothing can be said, so a report is sent again later, and nothing is known.
/// Threads: any thread.
/// Cost:    `ask` one round trip, in a cluster one for each server; `say` three.
class SharedPeople final : public PeopleStore {
 public:
  struct Options {
    RedisOptions redis;
    std::chrono::seconds keep{std::chrono::days(365)};
  };

  /// Does not connect. `clock` must outlive it.
  SharedPeople(Options options, Clock& clock);

  Status say(const Statement& statement, TimePoint deadline) override;
  Status withdraw(std::uint64_t message, std::uint64_t person, TimePoint deadline) override;
  Result<std::vector<Voices>> ask(std::span<const std::uint64_t> signs,
                                  TimePoint deadline) override;
  void report(MetricReport& report) const override;

 private:
  using Signs = std::vector<std::uint64_t>;

  /// All replies, none of them an error.
  Result<std::vector<redis::RedisReply>> run(const redis::CommandList& commands,
                                             TimePoint deadline);
  /// The signs of what the person said of the message before.
  Result<Signs> signs_before(const std::string& word, TimePoint deadline);
  /// Puts one statement in the place of what was said before; null: takes that back.
  Status replace(std::uint64_t message, std::uint64_t person, const Statement* statement,
                 TimePoint deadline);
  [[nodiscard]] std::string sign_key(std::uint64_t sign) const;
  [[nodiscard]] std::string word_key(std::uint64_t message, std::uint64_t person) const;

  const Options options_;
  Clock& clock_;
  std::unique_ptr<redis::RedisRoute> route_;
  std::atomic<std::uint64_t> exchanges_{0};
  std::atomic<std::uint64_t> errors_{0};
};

}  // namespace shingled::storage::people
