#include "storage/server/server_report.h"

namespace shingled::storage::server {

void report_server(const ServerCounters& counters, MetricReport& report) {
  report.counter({"shingled_server_checks", "Questions answered."}, counters.checks);
  report.counter({"shingled_server_hits", "Questions answered with a hash."}, counters.hits);
  report.counter({"shingled_server_delayed", "Questions whose hash was too new to be told."},
                 counters.delayed);
  report.counter({"shingled_server_hidden", "Questions whose hash the asker may not see."},
                 counters.hidden);
  report.counter({"shingled_server_adds", "Additions acknowledged."}, counters.adds);
  report.counter({"shingled_server_deletes", "Deletions acknowledged."}, counters.deletes);
  report.counter({"shingled_server_stats", "Requests for the number of hashes."}, counters.stats);
  report.counter({"shingled_server_pings", "Requests for a sign of life."}, counters.pings);
  report.counter({"shingled_server_refused", "Requests refused."}, counters.refused);
  report.counter({"shingled_server_repeats", "Repeated updates, counted once."}, counters.repeats);
  const auto dropped = [&](const char* why, std::uint64_t count) {
    report.counter({"shingled_server_drops", "Requests that got no answer."}, count,
                   {{"reason", why}});
  };
  dropped("invalid", counters.invalid);
  dropped("undecryptable", counters.undecryptable);
  dropped("blocked", counters.blocked);
  dropped("ratelimited", counters.ratelimited);
  dropped("unknown_key", counters.unknown_keys);
  dropped("too_late", counters.too_late);
  dropped("kernel", counters.kernel_drops);
  dropped("no_memory", counters.no_memory);
  report.counter(
      {"shingled_server_key_agreements", "Keys agreed on with clients not known before."},
      counters.agreements);
  const auto closed = [&](const char* why, std::uint64_t count) {
    report.counter({"shingled_server_tcp_closed", "TCP connections that were ended, and why."},
                   count, {{"reason", why}});
  };
  report.counter({"shingled_server_tcp_connections", "TCP connections taken."},
                 counters.tcp_connections);
  closed("refused", counters.tcp_refused);
  closed("displaced", counters.tcp_displaced);
  closed("timeout", counters.tcp_timeouts);
  closed("slow", counters.tcp_slow);
  closed("bad_frame", counters.tcp_bad_frames);
  for (std::size_t version = 0; version < counters.versions.size(); ++version) {
    if (version != 0 && counters.versions[version] == 0) continue;
    report.counter({"shingled_server_requests", "Requests understood, by protocol version."},
                   counters.versions[version],
                   {{"version", version == 0 ? "other" : std::to_string(version)}});
  }
  report.counter({"shingled_server_unsent", "Replies the kernel did not take."}, counters.unsent);
}

}  // namespace shingled::storage::server
