#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "config/base/result.h"
#include "milter/api/route.h"
#include "milter/view/json.h"

namespace shingled::milter::api {

/// The model (API.md, "The model").
///
///   GET  /api/1/model            its figures, features, drift, and what a training lacks
///   POST /api/1/model/train      202; 409 while one runs
///   POST /api/1/model/rollback   409 without a model before
///   POST /api/1/model/live, /api/1/model/shadow   409 without a model
///
/// Threads: any thread.
class ModelResource {
 public:
  /// What the daemon does. All of it must be callable from any thread.
  struct Calls {
    std::function<Json()> status;
    std::function<Status()> train;
    std::function<Status()> roll_back;
    std::function<Status(bool live)> set_live;
  };
  explicit ModelResource(Calls calls) : calls_(std::move(calls)) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  Calls calls_;
};

}  // namespace shingled::milter::api
