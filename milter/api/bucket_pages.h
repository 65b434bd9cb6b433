#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "config/base/clock.h"
#include "milter/http/http_message.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::milter::api {

/// The pages about the buckets of section `ratelimit`:
///
///   GET  /buckets?part=TEXT&most=N   the buckets with TEXT in their keys, the fullest first:
///                                    {"buckets", "more"}
///   GET  /buckets/show?key=KEY       one bucket: {"key", "type", "drops", "burst", "leak",
///                                    "empty_in"}
///   POST /buckets/reset?key=KEY      empties it: {"reset": whether it held anything}
///   POST /buckets/set?key=KEY&drops=D&burst=B&leak=L   sets its content: {"set": true}
///
/// Keys contain addresses of people, so only direct requests (http_message.h) are answered. Only a
/// POST changes anything. `show` of an empty bucket is 404; a store that does not answer is 503.
/// Threads: any thread. Waits for the store, at most kPatience.
class BucketPages {
 public:
  /// Returns the present buckets; null = nothing is limited.
  using Store = std::function<std::shared_ptr<storage::buckets::BucketStore>()>;
  static constexpr std::chrono::seconds kPatience{3};
  static constexpr std::size_t kMost = 10'000;  ///< buckets in one answer

  BucketPages(Store store, const Clock& clock) : store_(std::move(store)), clock_(clock) {}

  /// Whether `path` is one of these pages.
  static bool is_page(const std::string& path);
  [[nodiscard]] http::HttpReply answer(const http::HttpRequest& request) const;

 private:
  Store store_;
  const Clock& clock_;
};

}  // namespace shingled::milter::api
