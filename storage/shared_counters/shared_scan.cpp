#include "storage/shared_counters/shared_scan.h"

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "config/base/logger.h"
#include "storage/redis/key_scan.h"
#include "storage/shared_counters/generation.h"
#include "storage/shared_counters/shared_layout.h"

namespace shingled::storage::shared_counters {

namespace {

using counters::CounterKey;
using counters::CounterSeries;
using counters::Entry;

constexpr std::string_view kKeysPerStep = "500";
constexpr std::string_view kRunId = "run_id:";

NullLogger& quiet() {
  static NullLogger logger;
  return logger;
}

class SharedCursor final : public counters::CounterCursor {
 public:
  SharedCursor(const RedisOptions& options, std::vector<std::unique_ptr<redis::RedisRoute>> holders,
               Clock& clock, std::function<counters::Slot()> present)
      : options_(options),
        holders_(std::move(holders)),
        clock_(clock),
        present_(std::move(present)),
        glob_(redis::glob_of(options.prefix, ":{*}:*:*:*")) {}

  Result<const CounterSeries*> next() override {
    while (at_ >= step_.size()) {
      if (holder_ == holders_.size()) return static_cast<const CounterSeries*>(nullptr);
      if (Status read = read_step(); !read) {
        holder_ = holders_.size();
        return read.error();
      }
    }
    return static_cast<const CounterSeries*>(&step_[at_++]);
  }

 private:
  [[nodiscard]] TimePoint soon() const { return clock_.now() + options_.timeout; }

  Status read_step() {
    step_.clear();
    at_ = 0;
    redis::CommandList commands;
    commands.add({"SCAN", cursor_, "MATCH", glob_, "COUNT", kKeysPerStep});
    commands.add({"INFO", "server"});
    const auto replies = holders_[holder_]->ask(commands, soon());
    if (!replies) return replies.error();
    // A cursor is valid only on the server that returned it.
    std::string run_id = run_id_of((*replies)[1].text);
    if (cursor_ != "0" && run_id != run_id_)
      return Error{ErrorCode::kUnavailable, "the server was replaced or restarted during the scan"};
    run_id_ = std::move(run_id);
    const auto& parts = replies->front().elements;
    if (parts.size() != 2) return Error{ErrorCode::kCorrupt, "SCAN: " + replies->front().text};
    cursor_ = parts[0].text;
    if (Status read = read_counters(parts[1].elements); !read) return read;
    if (cursor_ == "0") ++holder_;
    return {};
  }

  static std::string run_id_of(std::string_view info) {
    const std::size_t begin = info.find(kRunId);
    if (begin == std::string_view::npos) return {};
    return std::string(info.substr(begin, info.find('\r', begin) - begin));
  }

  Status read_counters(const std::vector<redis::RedisReply>& names) {
    redis::CommandList commands;
    std::vector<CounterKey> keys;
    for (const redis::RedisReply& name : names) {
      const auto key = parse_counter_name(options_.prefix, name.text);
      if (!key || !seen_.insert(*key).second) continue;
      keys.push_back(*key);
      commands.add({"HGETALL", name.text});
    }
    if (keys.empty()) return {};
    const auto replies = holders_[holder_]->ask(commands, soon());
    if (!replies) return replies.error();
    const counters::Slot now = present_();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto entries = read_entries((*replies)[i]);
      if (!entries) continue;  // a key of another kind
      CounterSeries series{keys[i], {}};
      for (const Entry& entry : *entries)
        if (const auto kept = kept_entry(keys[i].type, entry, now))
          add_entry(series.entries, *kept);
      if (!series.entries.empty()) step_.push_back(std::move(series));
    }
    return {};
  }

  const RedisOptions& options_;
  std::vector<std::unique_ptr<redis::RedisRoute>> holders_;
  Clock& clock_;
  const std::function<counters::Slot()> present_;
  const std::string glob_;
  std::size_t holder_ = 0;  ///< the one that is scanned
  std::string cursor_ = "0";
  std::string run_id_;  ///< of its process; empty if INFO is not permitted
  std::vector<CounterSeries> step_;
  std::size_t at_ = 0;
  std::unordered_set<CounterKey, CounterKeyHash> seen_;
};

}  // namespace

Result<std::unique_ptr<counters::CounterCursor>> open_scan(
    const RedisOptions& options, Clock& clock, std::function<counters::Slot()> present) {
  const auto& places = options.write_servers.empty() ? options.servers : options.write_servers;
  auto holders = redis::key_holders(options, places, clock.now() + options.timeout, clock, quiet());
  if (holders.empty()) return Error{ErrorCode::kUnavailable, "no server of the cluster answers"};
  return std::unique_ptr<counters::CounterCursor>(
      std::make_unique<SharedCursor>(options, std::move(holders), clock, std::move(present)));
}

}  // namespace shingled::storage::shared_counters
