#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/options/settings.h"
#include "milter/api/route.h"
#include "storage/formats/row_list.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::api {

/// The stored hashes one by one, as `shingled list` shows them (milter/API.md):
///
///   GET /api/1/hashes/list?flag=&order=&digest=&least=&since=&until=&most=
///
/// 503: this daemon has no file of hashes, somebody else is reading it, or that takes longer than
/// kPatience.
/// Threads: any thread.
/// Cost:    reads the whole file; one at a time, so that other work has threads left.
class HashListResource {
 public:
  static constexpr std::chrono::seconds kPatience{60};
  static constexpr std::size_t kHashesMost = 1000;  ///< in one answer

  /// The settings in force; never null.
  using SettingsNow = std::function<std::shared_ptr<const Settings>()>;
  /// How often hashes were an answer, the most first.
  using Hits = std::function<std::vector<storage::HitCount>()>;
  /// `file`: of the embedded storage; "" = there is none. `clock` must outlive it.
  HashListResource(std::string file, SettingsNow settings, Hits hits, const Clock& clock)
      : file_(std::move(file)),
        settings_(std::move(settings)),
        hits_(std::move(hits)),
        clock_(clock) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  [[nodiscard]] http::HttpReply list(const Call& call) const;
  [[nodiscard]] http::HttpReply read(const Call& call) const;

  std::string file_;
  SettingsNow settings_;
  Hits hits_;
  const Clock& clock_;
  mutable std::atomic_flag reading_ = ATOMIC_FLAG_INIT;
};

}  // namespace shingled::milter::api
