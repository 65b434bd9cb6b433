#pragma once

#include <functional>
#include <memory>

#include "config/base/clock.h"
#include "milter/status/http_message.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::milter::status {

/// The pages about the buckets of section `ratelimit`:
///
///   GET  /buckets?part=TEXT&most=N   those with TEXT in their names, fullest first: {"buckets",
///                                    "more"}
///   GET  /buckets/show?key=KEY       one: {"key", "type", "drops", "burst", "leak", "empty_in"}
///   POST /buckets/reset?key=KEY      empties it: {"reset": whether it held anything}
///   POST /buckets/set?key=KEY&drops=D&burst=B&leak=L   makes it hold so much: {"set": true}
///
/// Their names are addresses of people, so only direct requests (http_message.h) are answered, and
/// only a POST changes anything. A bucket that is empty is 404, a store that does not answer 503.
/// Threads: any thread. Waits for the store, kPatience at most.
class BucketPages {
 public:
  /// The buckets as they are now; null = nothing is limited.
  using Store = std::function<std::shared_ptr<storage::buckets::BucketStore>()>;
  static constexpr std::chrono::seconds kPatience{3};
  static constexpr std::size_t kMost = 10'000;  ///< buckets in one answer

  BucketPages(Store store, const Clock& clock) : store_(std::move(store)), clock_(clock) {}

  /// Whether the page is one of these.
  static bool is_page(const std::string& path);
  [[nodiscard]] HttpReply answer(const HttpRequest& request) const;

 private:
  Store store_;
  const Clock& clock_;
};

}  // namespace shingled::milter::status
