#include "storage/counters/piece_names.h"

#include <chrono>
#include <stop_token>
#include <utility>
#include <vector>

#include "config/metrics/metric_report.h"

namespace shingled::storage::counters {

namespace {

constexpr std::chrono::seconds kWritePause{5};

}  // namespace

Result<std::unique_ptr<PieceNames>> PieceNames::open(const std::string& path, std::size_t most,
                                                     const Clock& clock, Logger& logger) {
  auto names = open_without_thread(path, most, clock, logger);
  if (names)
    (*names)->task_.emplace(
        "counter-names", kWritePause,
        [self = names->get()](const std::stop_token&) { static_cast<void>(self->write()); });
  return names;
}

Result<std::unique_ptr<PieceNames>> PieceNames::open_without_thread(const std::string& path,
                                                                    std::size_t most,
                                                                    const Clock& clock,
                                                                    Logger& logger) {
  auto table = sqlite::PieceNameTable::open(path);
  if (!table) return table.error();
  return std::unique_ptr<PieceNames>(new PieceNames(*std::move(table), most, clock, logger));
}

PieceNames::PieceNames(std::unique_ptr<sqlite::PieceNameTable> table, std::size_t most,
                       const Clock& clock, Logger& logger)
    : most_(most), clock_(clock), logger_(logger), kept_(table->size()) {
  disk_.lock()->table = std::move(table);
}

PieceNames::~PieceNames() {
  task_.reset();
  static_cast<void>(write());
}

void PieceNames::remember(PieceType type, std::uint64_t shingle, std::string_view text) {
  const Key key{static_cast<std::uint8_t>(type), shingle};
  const TimePoint now = clock_.now();
  auto noted = noted_.lock();
  if (noted->recent.contains(key, now)) return;
  if (noted->waiting.size() + noted->writing.size() >= kWaitingMax) {
    dropped_.add();
    return;
  }
  noted->recent.insert(key, now);
  noted->waiting.emplace(key, text);
}

std::optional<std::string> PieceNames::find(PieceType type, std::uint64_t shingle) {
  const Key key{static_cast<std::uint8_t>(type), shingle};
  {
    auto noted = noted_.lock();
    for (const Texts* texts : {&noted->waiting, &noted->writing})
      if (const auto found = texts->find(key); found != texts->end()) return found->second;
  }
  // A name that cannot be read is a name that is not there; a broken file shows when it is written.
  const auto found = disk_.lock()->table->find(key.type, key.shingle);
  return found ? *found : std::nullopt;
}

Status PieceNames::write() {
  auto disk = disk_.lock();
  Status done = write_to(*disk);
  if (done) {
    if (disk->outage.end()) logger_.info(LogLine("counters_names_written_again"));
  } else if (disk->outage.begin()) {
    logger_.error(LogLine("counters_names_refused").field("reason", done.error().message));
  }
  return done;
}

Status PieceNames::write_to(Disk& disk) {
  std::vector<sqlite::PieceNameRow> rows;
  {
    auto noted = noted_.lock();
    // What could not be written before goes again, with what came since.
    noted->writing.merge(noted->waiting);
    noted->waiting.clear();
    for (const auto& [key, text] : noted->writing) rows.push_back({key.type, key.shingle, text});
  }
  if (rows.empty()) return {};
  Status done = disk.table->write(rows, clock_.wall().time_since_epoch().count(), most_);
  if (!done) return done;
  kept_ = disk.table->size();
  noted_.lock()->writing.clear();
  return {};
}

void PieceNames::report(MetricReport& report) const {
  report.gauge({"shingled_counters_names", "Texts of pieces that are kept."},
               std::uint64_t{kept_.load()});
  report.counter({"shingled_counters_names_dropped", "Texts that came faster than the disk."},
                 dropped_.read());
}

}  // namespace shingled::storage::counters
