#include "storage/redis/counters/shared_scan.h"

#include <bitset>
#include <string>
#include <utility>
#include <vector>

#include "config/base/logger.h"
#include "storage/redis/counters/shared_layout.h"
#include "storage/redis/route/open_route.h"
#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {

namespace {

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
  SharedCursor(const RedisOptions& options, std::vector<std::unique_ptr<RedisRoute>> holders,
               Clock& clock, std::function<counters::Slot()> present)
      : options_(options),
        holders_(std::move(holders)),
        clock_(clock),
        present_(std::move(present)),
        glob_(glob_of(options.prefix, ":{*}:bucket")) {}

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
    if (!buckets_.empty()) return read_bucket();
    if (is_scanned_) {
      is_scanned_ = false;
      ++holder_;
      return {};
    }
    CommandList commands;
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
    for (const RedisReply& name : parts[1].elements) {
      const auto bucket = parse_bucket_name(options_.prefix, name.text);
      if (bucket && !seen_[*bucket]) buckets_.push_back(*bucket);
      if (bucket) seen_.set(*bucket);
    }
    is_scanned_ = cursor_ == "0";
    return {};
  }

  static std::string run_id_of(std::string_view info) {
    const std::size_t begin = info.find(kRunId);
    if (begin == std::string_view::npos) return {};
    return std::string(info.substr(begin, info.find('\r', begin) - begin));
  }

  /// Buckets are read one after the other: one may have thousands of counters.
  Status read_bucket() {
    const Bucket bucket = buckets_.back();
    buckets_.pop_back();
    CommandList commands;
    commands.add({"HGETALL", bucket_name(options_.prefix, bucket)}, bucket);
    const auto replies = holders_[holder_]->ask(commands, soon());
    if (!replies) return replies.error();
    const RedisReply& reply = replies->front();
    // A cluster that moves its slots answers MOVED or TRYAGAIN.
    if (reply.is_error() && !reply.is_error("WRONGTYPE"))
      return Error{ErrorCode::kUnavailable, "HGETALL: " + reply.text};
    const counters::Slot now = present_();
    const auto& parts = reply.elements;  // none if it is a key of another kind
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      const auto key = parse_field(bucket, parts[i].text);
      if (!key) continue;
      CounterSeries series{*key, {}};
      for (const Entry& entry : read_entries(parts[i + 1].text))
        if (const auto kept = kept_entry(key->type, entry, now)) add_entry(series.entries, *kept);
      if (!series.entries.empty()) step_.push_back(std::move(series));
    }
    return {};
  }

  const RedisOptions& options_;
  std::vector<std::unique_ptr<RedisRoute>> holders_;
  Clock& clock_;
  const std::function<counters::Slot()> present_;
  const std::string glob_;
  std::size_t holder_ = 0;  ///< the one that is scanned
  std::string cursor_ = "0";
  std::string run_id_;  ///< of its process; empty if INFO is not permitted
  std::vector<CounterSeries> step_;
  std::size_t at_ = 0;
  std::vector<Bucket> buckets_;  ///< that the last step of the scan named
  bool is_scanned_ = false;      ///< the holder
  std::bitset<kClusterSlots> seen_;
};

}  // namespace

Result<std::unique_ptr<counters::CounterCursor>> open_scan(
    const RedisOptions& options, Clock& clock, std::function<counters::Slot()> present) {
  const auto& places = options.write_servers.empty() ? options.servers : options.write_servers;
  auto holders = key_holders(options, places, clock.now() + options.timeout, clock, quiet());
  if (holders.empty()) return Error{ErrorCode::kUnavailable, "no server of the cluster answers"};
  return std::unique_ptr<counters::CounterCursor>(
      std::make_unique<SharedCursor>(options, std::move(holders), clock, std::move(present)));
}

}  // namespace shingled::storage::redis
