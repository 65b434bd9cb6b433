#include "milter/process/restart_needed.h"

namespace shingled::milter::process {

namespace {

/// Without the servers, which have a key of their own.
RedisOptions redis_access(RedisOptions redis) {
  redis.servers.clear();
  return redis;
}

/// `compare`: takes the name of an option, and its two values.
template <typename Compare>
void compare_counters(const CounterOptions& running, const CounterOptions& wanted,
                      const Compare& compare) {
  compare("counters.key_file", running.key_file, wanted.key_file);
  compare("counters.names_max", running.names_max, wanted.names_max);
  compare("counters.keep_reports", running.keep_reports, wanted.keep_reports);
  const EmbeddedCounterOptions& own = running.embedded;
  const EmbeddedCounterOptions& new_own = wanted.embedded;
  compare("counters.directory", own.directory, new_own.directory);
  compare("counters.sync", own.sync, new_own.sync);
  compare("counters.memory_max", own.memory_max, new_own.memory_max);
  compare("counters.disk_max", own.disk_max, new_own.disk_max);
  compare("counters.cache_max", own.cache_max, new_own.cache_max);
  const SharedCounterOptions& shared = running.shared;
  const SharedCounterOptions& new_shared = wanted.shared;
  compare("counters.servers", shared.redis.servers, new_shared.redis.servers);
  compare("counters.redis", redis_access(shared.redis), redis_access(new_shared.redis));
  compare("counters.flush", shared.flush, new_shared.flush);
  compare("counters.cache", shared.cache, new_shared.cache);
  compare("counters.journal_max", shared.journal_max, new_shared.journal_max);
  compare("counters.journal_directory", shared.journal_directory, new_shared.journal_directory);
  const CounterServiceOptions& service = running.service;
  const CounterServiceOptions& new_service = wanted.service;
  compare("counters.listen", service.listen, new_service.listen);
  compare("counters.keys_file", service.keys_file, new_service.keys_file);
  compare("counters.connections_max", service.connections_max, new_service.connections_max);
  compare("counters.timeout", service.timeout, new_service.timeout);
  compare("counters.body_bytes_max", service.body_bytes_max, new_service.body_bytes_max);
}

}  // namespace

std::vector<std::string> restart_needed(const Settings& running, const Settings& wanted) {
  std::vector<std::string> names;
  const auto compare = [&](const char* name, const auto& is, const auto& will_be) {
    if (!(is == will_be)) names.emplace_back(name);
  };
  compare("daemon.user", running.daemon.user, wanted.daemon.user);
  compare("daemon.group", running.daemon.group, wanted.daemon.group);
  compare("daemon.pid_file", running.daemon.pid_file, wanted.daemon.pid_file);
  compare("daemon.log_file", running.daemon.log_file, wanted.daemon.log_file);
  compare("daemon.syslog", running.daemon.syslog, wanted.daemon.syslog);
  compare("milter.enabled", running.milter.enabled, wanted.milter.enabled);
  compare("milter.socket", running.milter.socket, wanted.milter.socket);
  compare("milter.socket_mode", running.milter.socket_mode, wanted.milter.socket_mode);
  compare("milter.socket_group", running.milter.socket_group, wanted.milter.socket_group);
  compare("milter.mta_timeout", running.milter.mta_timeout, wanted.milter.mta_timeout);
  const EngineOptions& engine = running.storage.engine;
  const EngineOptions& new_engine = wanted.storage.engine;
  compare("storage.enabled", running.storage.enabled, wanted.storage.enabled);
  compare("storage.backend", running.storage.backend, wanted.storage.backend);
  compare("storage.redis", running.storage.redis, wanted.storage.redis);
  compare("storage.hashfile", engine.hashfile, new_engine.hashfile);
  compare("storage.expire", engine.expire, new_engine.expire);
  compare("storage.sync", engine.sync, new_engine.sync);
  compare("storage.durability", engine.durability, new_engine.durability);
  compare("storage.group_commit_max", engine.group_commit_max, new_engine.group_commit_max);
  compare("storage.update_queue_max", engine.update_queue_max, new_engine.update_queue_max);
  compare("storage.slot_owners_max", engine.slot_owners_max, new_engine.slot_owners_max);
  compare("storage.hashes_max", engine.hashes_max, new_engine.hashes_max);
  compare("storage.repeat_window", engine.repeats.window, new_engine.repeats.window);
  compare("storage.repeats_max", engine.repeats.most, new_engine.repeats.most);
  const ServerOptions& server = running.storage.server;
  const ServerOptions& new_server = wanted.storage.server;
  compare("storage.listen", server.listen, new_server.listen);
  compare("storage.threads", server.threads, new_server.threads);
  compare("storage.socket_buffer_bytes", server.socket_buffer_bytes,
          new_server.socket_buffer_bytes);
  compare("storage.tcp_connections_max", server.tcp_connections_max == 0,
          new_server.tcp_connections_max == 0);
  const ReplicationOptions& replication = running.storage.replication;
  const ReplicationOptions& new_replication = wanted.storage.replication;
  compare("storage.masters", replication.masters, new_replication.masters);
  compare("storage.master_key", replication.master_key, new_replication.master_key);
  compare("storage.master_timeout", replication.master_timeout, new_replication.master_timeout);
  compare("storage.replication_listen", replication.listen, new_replication.listen);
  compare("storage.sync_keypair", replication.sync_keypair, new_replication.sync_keypair);
  compare("storage.mirror", replication.mirrors, new_replication.mirrors);
  compare("storage.journal_max", replication.journal_max, new_replication.journal_max);
  const MailLimitOptions& limits = running.ratelimit;
  const MailLimitOptions& new_limits = wanted.ratelimit;
  compare("ratelimit.buckets_max", limits.buckets_max, new_limits.buckets_max);
  compare("ratelimit.file", limits.file, new_limits.file);
  compare("ratelimit.servers", limits.redis.servers, new_limits.redis.servers);
  compare("ratelimit.redis", redis_access(limits.redis), redis_access(new_limits.redis));
  compare_counters(running.counters, wanted.counters, compare);
  compare("history.file", running.history.file, wanted.history.file);
  compare("reports.file", running.reports.file, wanted.reports.file);
  compare("reports.bytes_max", running.reports.bytes_max, wanted.reports.bytes_max);
  compare("similar.file", running.similar.file, wanted.similar.file);
  compare("similar.parts", running.similar.parts, wanted.similar.parts);
  compare("similar.part_block_size", running.similar.part_block_size,
          wanted.similar.part_block_size);
  compare("status", running.status, wanted.status);
  return names;
}

}  // namespace shingled::milter::process
