#pragma once

#include <memory>
#include <string>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/counter_options.h"
#include "milter/http/http_call.h"

namespace shingled::milter::desk {

/// The counters of some settings opened by a command itself, in Redis (a daemon may use them, too;
/// then pieces have no names) or in their folder, which no daemon has open then. It answers as the
/// daemon does.
/// Threads: one thread.
class CounterFolder {
 public:
  /// Whether counters have been stored in a folder.
  static bool exists(const std::string& directory);
  /// The others must outlive it.
  /// Errors: kUnavailable (a daemon has the folder), those of the folder.
  static Result<std::unique_ptr<CounterFolder>> open(const CounterOptions& options, Clock& clock,
                                                     Random& random);
  ~CounterFolder();
  CounterFolder(const CounterFolder&) = delete;
  CounterFolder& operator=(const CounterFolder&) = delete;

  Status answer(const http::HttpCall& call, const http::HttpTaker& take);

 private:
  class Opened;
  explicit CounterFolder(std::unique_ptr<Opened> opened);
  std::unique_ptr<Opened> opened_;
};

}  // namespace shingled::milter::desk
