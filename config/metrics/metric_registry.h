#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "config/base/guarded.h"
#include "config/metrics/metric_report.h"

namespace shingled {

/// Gives readers everything that is measured. Subsystems count with their own instruments
/// (instruments.h) and do not know the registry; the daemon, which makes them, registers a source
/// that reads them.
///
/// Threads: any thread. Reading calls one source after the other; a source must not block and
/// must not call the registry.
class MetricRegistry {
 public:
  using Source = std::function<void(MetricReport&)>;

  /// Keeps a source registered while it lives. After its destructor the source is not called any
  /// more. It may outlive the registry.
  class [[nodiscard]] Registration {
   public:
    Registration() = default;
    Registration(Registration&& other) noexcept
        : sources_(std::move(other.sources_)), id_(std::exchange(other.id_, 0)) {}
    Registration& operator=(Registration&& other) noexcept;
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration() { reset(); }
    void reset();

   private:
    friend class MetricRegistry;
    using Sources = Guarded<std::map<std::uint64_t, Source>>;
    Registration(const std::shared_ptr<Sources>& sources, std::uint64_t id)
        : sources_(sources), id_(id) {}
    std::weak_ptr<Sources> sources_;
    std::uint64_t id_ = 0;
  };

  MetricRegistry() : sources_(std::make_shared<Registration::Sources>()) {}

  Registration add(Source source);
  /// The reports of all sources, in the order of registration.
  [[nodiscard]] MetricReport read() const;

 private:
  std::shared_ptr<Registration::Sources> sources_;
};

}  // namespace shingled
