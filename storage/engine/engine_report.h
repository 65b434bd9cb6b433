#pragma once

#include <span>
#include <string>

#include "config/metrics/metric_report.h"
#include "storage/engine/engine.h"
#include "storage/engine/flag_totals.h"
#include "storage/engine/writer.h"

namespace shingled::storage::engine {

/// The engine's measurements under their names: `shingled_storage_...`.
/// Threads: any thread.
void report_engine(const EngineCounters& counters, std::span<const FlagTotals::Total> flags,
                   MetricReport& report);
/// Those of the writer: how long commits take and how large they are.
void report_writer(const WriterCounters& counters, MetricReport& report);
/// The sizes of the database and its write-ahead log. Asks the file system.
void report_files(const std::string& hashfile, MetricReport& report);

}  // namespace shingled::storage::engine
