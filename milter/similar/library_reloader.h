#pragma once

#include <memory>
#include <optional>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/base/periodic_task.h"
#include "config/metrics/metric_report.h"
#include "config/options/similar_options.h"
#include "storage/similar/sample_library.h"

namespace shingled::milter::similar {

/// The library of samples of a daemon: opened once it is wanted, then kept up with what other
/// processes change, by a thread of its own that looks once a second; no message waits for that.
///
/// What goes wrong while it runs costs no mail: searches go on with what was read before, and the
/// log says so once, and when it is over.
/// Threads: `use` and `close` on one thread; the others from any.
class LibraryReloader {
 public:
  LibraryReloader(const Clock& clock, Logger& logger) : clock_(clock), logger_(logger) {}
  ~LibraryReloader() { close(); }
  LibraryReloader(const LibraryReloader&) = delete;
  LibraryReloader& operator=(const LibraryReloader&) = delete;

  /// Opens it where `options` want it and it is not open yet; which file it is, is then fixed.
  /// Errors: of SampleLibrary::open, naming the option and the file.
  Status use(const SimilarOptions& options);
  /// Takes in what changed, now. For the thread, and for tests.
  void refresh();
  /// The thread ends; who has the library keeps it.
  void close();

  /// Null while it was never wanted.
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
