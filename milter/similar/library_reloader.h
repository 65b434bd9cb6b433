#pragma once

#include <memory>
#include <optional>
#include <string>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/base/periodic_task.h"
#include "config/base/result.h"
#include "config/metrics/metric_report.h"
#include "config/options/similar_options.h"
#include "storage/similar/sample_library.h"

namespace shingled::milter::similar {

/// The library of samples of a daemon. It is opened when the settings enable it. Then its own
/// thread reads the changes of other processes once a second; no message waits for this.
///
/// Errors of a refresh do not affect mail: searches use the samples that were read before. The log
/// has one line when the errors begin and one when they end.
/// Threads: `use` and `close` on one thread; the others on any.
class LibraryReloader {
 public:
  LibraryReloader(const Clock& clock, Logger& logger) : clock_(clock), logger_(logger) {}
  ~LibraryReloader() { close(); }
  LibraryReloader(const LibraryReloader&) = delete;
  LibraryReloader& operator=(const LibraryReloader&) = delete;

  /// A library that is open, but not in use.
  struct Opened {
    std::string file;
    std::shared_ptr<storage::similar::SampleLibrary> library;  ///< null: there is nothing new
    Duration took{};
  };
  /// Opens the library if `options` enable it and none is in use yet. Changes nothing here.
  /// Errors: those of SampleLibrary::open, with option and file.
  [[nodiscard]] Result<Opened> open(const SimilarOptions& options) const;
  /// Uses it from now on. The file does not change any more.
  void use(Opened opened);
  /// Reads changes now. Called by the thread and by tests.
  void refresh();
  /// Ends the thread and releases the library; other owners of the pointer keep it.
  void close();

  /// Null until it was opened, and after `close`.
  [[nodiscard]] std::shared_ptr<const storage::similar::SampleLibrary> library() const {
    return *library_.lock();
  }
  void report(MetricReport& report) const;

 private:
  const Clock& clock_;
  Logger& logger_;
  std::string file_;
  mutable Guarded<std::shared_ptr<storage::similar::SampleLibrary>> library_;
  Outage outage_;                     ///< of the refreshes
  std::optional<PeriodicTask> task_;  ///< last: it uses all of the above
};

}  // namespace shingled::milter::similar
