#include "storage/client/prober.h"

#include <algorithm>
#include <utility>

namespace shingled::storage::client {

namespace {

const ServerStatistics* find_server(const std::vector<ServerStatistics>& all,
                                    const std::string& server) {
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const ServerStatistics& one) { return one.server == server; });
  return found == all.end() ? nullptr : &*found;
}

constexpr std::chrono::seconds kStep{1};

double milliseconds_of(std::chrono::microseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

}  // namespace

Prober::Prober(std::vector<ProbedService> services, Clock& clock, Logger& logger,
               NameLookup& lookup)
    : clock_(clock), logger_(logger), lookup_(lookup), next_report_(clock.now() + kReportInterval) {
  for (ProbedService& service : services) {
    const TimePoint now = clock.now();
    const TimePoint due =
        service.store->lacks_addresses() ? now : now + service.store->options().resolve_interval;
    watched_.push_back({std::move(service), due});
  }
}

void Prober::step(const std::stop_token& stop) {
  for (Watched& watched : watched_) {
    tell_changes(watched);  // also before the probe, so that even a short rest is logged
    watched.service.store->probe();
    look_up(watched, clock_.now(), stop);
    tell_changes(watched);
  }
  if (clock_.now() < next_report_) return;
  next_report_ = clock_.now() + kReportInterval;
  report();
}

void Prober::look_up(Watched& watched, TimePoint now, const std::stop_token& stop) {
  if (now < watched.next_look_up) return;
  for (const RemoteStore::NameFound& name : watched.service.store->look_up(lookup_, stop)) {
    if (name.status) {
      if (watched.lost_names.erase(name.server) == 0) continue;
      logger_.info(LogLine("fuzzy_name_found")
                       .field("rule", watched.service.rule)
                       .field("server", name.server));
    } else if (watched.lost_names.insert(name.server).second) {
      logger_.warning(LogLine("fuzzy_name_lost")
                          .field("rule", watched.service.rule)
                          .field("server", name.server)
                          .field("error", name.status.error().message)
                          .field("addresses", name.has_address ? "unchanged" : "none"));
    }
  }
  const Duration interval = watched.service.store->options().resolve_interval;
  if (watched.lost_names.empty()) {
    watched.next_look_up = clock_.now() + interval;
    watched.look_ups_failed = 0;
  } else {
    const Duration wait = kRetry.wait(watched.look_ups_failed++);
    watched.next_look_up = clock_.now() + std::min(wait, interval);
  }
}

void Prober::tell_changes(Watched& watched) {
  std::vector<ServerStatistics> now = watched.service.store->statistics();
  for (const ServerStatistics& server : now) {
    const ServerStatistics* before = find_server(watched.seen, server.server);
    const bool rested = before != nullptr && before->resting;
    if (server.resting == rested) continue;
    LogLine line(server.resting ? "fuzzy_server_down" : "fuzzy_server_up");
    line.field("rule", watched.service.rule).field("server", server.server);
    line.field("timeouts", server.timeouts).field("errors", server.errors);
    if (server.resting) {
      logger_.warning(line);
    } else {
      logger_.info(line);
    }
  }
  watched.seen = std::move(now);
}

void Prober::report() {
  for (Watched& watched : watched_) {
    std::vector<ServerStatistics> now = watched.service.store->statistics();
    for (const ServerStatistics& server : now) {
      const ServerStatistics* before = find_server(watched.reported, server.server);
      const bool idle = server.requests == (before == nullptr ? 0 : before->requests);
      if (idle) continue;
      LogLine line("fuzzy_server");
      line.field("rule", watched.service.rule).field("server", server.server);
      log_counters<ServerCounts>(server, line);
      logger_.info(line.field("mean_ms", milliseconds_of(server.latency_mean()), 3)
                       .field("max_ms", milliseconds_of(server.latency_max), 3));
    }
    watched.reported = std::move(now);
  }
}

ProberThread::ProberThread(std::vector<ProbedService> services, Clock& clock, Random& random,
                           Logger& logger)
    : lookup_(random.next_u64()),
      prober_(std::move(services), clock, logger, lookup_),
      task_(std::in_place, "prober", kStep, [this](const std::stop_token& stop) { step(stop); }) {
  task_->wake();
}

ProberThread::~ProberThread() {
  task_.reset();
  prober_.report();
}

void ProberThread::step(const std::stop_token& stop) {
  prober_.step(stop);
  if (!std::exchange(has_stepped_, true)) first_step_.set_value();
}

}  // namespace shingled::storage::client
