#include "milter/history/history_reloader.h"

#include <utility>

#include "mime/fingerprint/piece_type.h"
#include "storage/counters/counter_files.h"
#include "storage/counters/counter_key.h"

namespace shingled::milter::history {

features::CounterNeeds history_needs(const HistoryOptions& options) {
  features::CounterNeeds needs;
  if (!options.enabled) return needs;
  std::vector<storage::counters::Window> windows;
  for (const std::string& text : options.windows) {
    if (const auto window = storage::counters::parse_window(text)) windows.push_back(*window);
  }
  if (windows.empty()) return needs;
  for (const PieceTypeRow& row : piece_types())
    if (!is_of_report(row.type)) needs.push_back({row.type, windows});
  for (features::CounterNeed& need : needs) {
    if (is_pair(need.type) || is_unique(need.type)) continue;
    need.said = true;
    need.windows.push_back(kSaidWindow);
  }
  return needs;
}

void HistoryReloader::use(const HistoryOptions& options, const CounterOptions& counters) {
  if (!options.enabled) return close();
  if (const auto recorder = current_.get()) return recorder->use(options);
  auto recorder = open(options, counters);
  if (!recorder) {
    logger_.error(LogLine("history_off")
                      .field("why", recorder.error().message)
                      .field("mail", "goes on without a history"));
    return;
  }
  current_.set(*std::move(recorder));
}

Result<std::unique_ptr<HistoryRecorder>> HistoryReloader::open(const HistoryOptions& options,
                                                               const CounterOptions& counters) {
  if (counters.key_file.empty()) {
    if (Status made = storage::counters::make_counter_folder(counters.embedded.directory); !made)
      return made.error().in("counters.directory");
  }
  const auto site = storage::counters::site_key(counters, random_);
  if (!site) return site.error();
  return HistoryRecorder::open({.options = options, .site = *site}, clock_, logger_);
}

void HistoryReloader::report(MetricReport& report) const {
  if (const auto recorder = current_.get()) recorder->report(report);
}

}  // namespace shingled::milter::history
