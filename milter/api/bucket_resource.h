#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "milter/api/route.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::milter::api {

/// The buckets of section `ratelimit`. Their keys contain addresses of people.
///
///   GET    /api/1/buckets?part=TEXT&most=N   those with TEXT in their keys, the fullest first
///   GET    /api/1/buckets/{key}              one: 404 if it is empty
///   DELETE /api/1/buckets/{key}              empties it: {"reset": whether it held anything}
///   POST   /api/1/buckets/{key}?drops=D&burst=B&leak=L   sets its content
///
/// 503: nothing is limited, or the store does not answer.
/// Threads: any thread. Waits for the store, at most kPatience.
class BucketResource {
 public:
  /// Returns the present buckets; null = nothing is limited.
  using Store = std::function<std::shared_ptr<storage::buckets::BucketStore>()>;
  static constexpr std::chrono::seconds kPatience{3};
  static constexpr std::size_t kMost = 10'000;  ///< buckets in one answer

  BucketResource(Store store, const Clock& clock) : store_(std::move(store)), clock_(clock) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  Store store_;
  const Clock& clock_;
};

}  // namespace shingled::milter::api
