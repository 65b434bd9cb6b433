#include "storage/client/prober.h"

#include <algorithm>
#include <utility>

namespace shingled::storage {

namespace {

const ServerStatistics* find_server(const std::vector<ServerStatistics>& all,
                                    const std::string& server) {
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const ServerStatistics& one) { return one.server == server; });
  return found == all.end() ? nullptr : &*found;
}

double milliseconds_of(std::chrono::microseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

}  // namespace

RemoteUpkeep::RemoteUpkeep(std::vector<RemoteCharge> charges, Clock& clock, Logger& logger,
                           NameLookup& lookup)
    : clock_(clock), logger_(logger), lookup_(lookup), next_report_(clock.now() + kReportInterval) {
  for (RemoteCharge& charge : charges) {
    const TimePoint now = clock.now();
    const TimePoint due =
        charge.store->lacks_addresses() ? now : now + charge.store->options().resolve_interval;
    wards_.push_back({std::move(charge), due});
  }
}

void RemoteUpkeep::step(const std::stop_token& stop) {
  for (Ward& ward : wards_) {
    tell_changes(ward);  // before the probe, so that also a short rest is told
    ward.charge.store->probe();
    look_up(ward, clock_.now(), stop);
    tell_changes(ward);
  }
  if (clock_.now() < next_report_) return;
  next_report_ = clock_.now() + kReportInterval;
  report();
}

void RemoteUpkeep::look_up(Ward& ward, TimePoint now, const std::stop_token& stop) {
  if (now < ward.next_look_up) return;
  for (const RemoteStore::NameFound& name : ward.charge.store->look_up(lookup_, stop)) {
    if (name.status) {
      if (ward.lost_names.erase(name.server) == 0) continue;
      logger_.info(
          LogLine("fuzzy_name_found").field("rule", ward.charge.rule).field("server", name.server));
    } else if (ward.lost_names.insert(name.server).second) {
      logger_.warning(LogLine("fuzzy_name_lost")
                          .field("rule", ward.charge.rule)
                          .field("server", name.server)
                          .field("error", name.status.error().message)
                          .field("addresses", name.has_address ? "unchanged" : "none"));
    }
  }
  const Duration interval = ward.charge.store->options().resolve_interval;
  if (ward.lost_names.empty()) {
    ward.next_look_up = clock_.now() + interval;
    ward.retry = kRetryMin;
  } else {
    ward.next_look_up = clock_.now() + std::min(ward.retry, interval);
    ward.retry = std::min(2 * ward.retry, kRetryMax);
  }
}

void RemoteUpkeep::tell_changes(Ward& ward) {
  std::vector<ServerStatistics> now = ward.charge.store->statistics();
  for (const ServerStatistics& server : now) {
    const ServerStatistics* before = find_server(ward.seen, server.server);
    const bool rested = before != nullptr && before->resting;
    if (server.resting == rested) continue;
    LogLine line(server.resting ? "fuzzy_server_down" : "fuzzy_server_up");
    line.field("rule", ward.charge.rule).field("server", server.server);
    line.field("timeouts", server.timeouts).field("errors", server.errors);
    if (server.resting) {
      logger_.warning(line);
    } else {
      logger_.info(line);
    }
  }
  ward.seen = std::move(now);
}

void RemoteUpkeep::report() {
  for (Ward& ward : wards_) {
    std::vector<ServerStatistics> now = ward.charge.store->statistics();
    for (const ServerStatistics& server : now) {
      const ServerStatistics* before = find_server(ward.reported, server.server);
      const bool idle = server.requests == (before == nullptr ? 0 : before->requests);
      if (idle) continue;
      logger_.info(LogLine("fuzzy_server")
                       .field("rule", ward.charge.rule)
                       .field("server", server.server)
                       .field("requests", server.requests)
                       .field("over_tcp", server.over_tcp)
                       .field("repeats", server.repeats)
                       .field("replies", server.replies)
                       .field("timeouts", server.timeouts)
                       .field("errors", server.errors)
                       .field("strays", server.strays)
                       .field("mean_ms", milliseconds_of(server.latency_mean()), 3)
                       .field("max_ms", milliseconds_of(server.latency_max), 3));
    }
    ward.reported = std::move(now);
  }
}

UpkeepThread::UpkeepThread(std::vector<RemoteCharge> charges, Clock& clock, Random& random,
                           Logger& logger)
    : lookup_(random.next_u64()),
      upkeep_(std::move(charges), clock, logger, lookup_),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

UpkeepThread::~UpkeepThread() {
  thread_.request_stop();
  thread_.join();
  upkeep_.report();
}

void UpkeepThread::run(const std::stop_token& stop) {
  constexpr std::chrono::seconds kStep{1};
  upkeep_.step(stop);
  first_step_.set_value();
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (wake_.wait_for(lock, stop, kStep, [] { return false; }) || stop.stop_requested()) return;
    upkeep_.step(stop);
  }
}

}  // namespace shingled::storage
