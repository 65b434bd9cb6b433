#include "milter/similar/library_reloader.h"

#include <condition_variable>
#include <utility>

#include "config/base/guarded.h"

namespace shingled::milter::similar {

namespace {

constexpr std::chrono::seconds kRefreshEvery{1};

}  // namespace

Result<LibraryReloader::Opened> LibraryReloader::open(const SimilarOptions& options) const {
  if (!options.enabled || library() != nullptr) return Opened();
  const TimePoint start = clock_.now();
  auto opened = storage::similar::SampleLibrary::open(
      {.file = options.file, .part_block_size = options.part_block_size, .parts = options.parts});
  if (!opened) return opened.error().in("similar.file " + options.file);
  return Opened{options.file, *std::move(opened), clock_.now() - start};
}

void LibraryReloader::use(Opened opened) {
  if (opened.library == nullptr) return;
  const auto counts = opened.library->counts();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(opened.took);
  logger_.info(LogLine("similar_opened")
                   .field("file", opened.file)
                   .field("samples", counts.samples)
                   .field("memory", counts.bytes)
                   .field("time_ms", took.count()));
  file_ = std::move(opened.file);
  *library_.lock() = std::move(opened.library);
  task_.emplace("similar", kRefreshEvery, [this](const std::stop_token&) { refresh(); });
}

void LibraryReloader::refresh() {
  const auto library = *library_.lock();
  if (library == nullptr) return;
  const auto changed = library->refresh();
  if (!changed) {
    if (outage_.begin()) {
      logger_.error(LogLine("similar_refresh_failed")
                        .field("file", file_)
                        .field("error", changed.error().message)
                        .field("samples", "as they were"));
    }
    return;
  }
  if (outage_.end()) logger_.info(LogLine("similar_refresh_works").field("file", file_));
  if (!*changed) return;
  logger_.info(LogLine("similar_refreshed")
                   .field("file", file_)
                   .field("samples", library->counts().samples));
}

void LibraryReloader::close() {
  task_.reset();
  library_.lock()->reset();
}

void LibraryReloader::report(MetricReport& report) const {
  const auto held = library();
  if (held == nullptr) return;
  const auto counts = held->counts();
  report.gauge({"shingled_similar_samples", "Samples in the library of known files."},
               counts.samples);
  report.gauge({"shingled_similar_memory_bytes", "Memory of the index over them."}, counts.bytes);
}

}  // namespace shingled::milter::similar
