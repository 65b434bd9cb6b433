#include "milter/api/model_resource.h"

#include <nlohmann/json.hpp>

#include "milter/api/reply.h"

namespace shingled::milter::api {

namespace {

constexpr std::string_view kModelMembers =
    "mode settings_mode score_max promote trained id trainer trees columns training figures "
    "features drift before needs promotion run";

/// What is not there, or already under way, is a conflict with what there is.
http::HttpReply model_problem(const Error& error) {
  constexpr unsigned kInConflict = 409;
  const bool conflict = error.code == ErrorCode::kNotFound || error.code == ErrorCode::kDenied;
  return conflict ? problem(kInConflict, error.message) : problem(error);
}

Route model_route(http::HttpMethod method, std::string_view path, std::string_view summary,
                  std::function<http::HttpReply(const Call&)> answer) {
  const bool reads = method == http::HttpMethod::kGet;
  return {method,
          path,
          reads ? http::Right::kRead : http::Right::kChange,
          Route::Pace::kLater,
          summary,
          {},
          "",
          kModelMembers,
          std::move(answer)};
}

}  // namespace

std::vector<Route> ModelResource::routes() const {
  using http::HttpMethod;
  const auto after = [this](const Status& done, unsigned status) {
    if (!done) return model_problem(done.error());
    http::HttpReply reply = json_reply(calls_.status());
    reply.status = status;
    return reply;
  };
  constexpr unsigned kOk = 200;
  constexpr unsigned kAccepted = 202;
  return {
      model_route(HttpMethod::kGet, "/api/1/model",
                  "The model: figures, features, drift, and what a training lacks.",
                  [this](const Call&) { return json_reply(calls_.status()); }),
      model_route(HttpMethod::kPost, "/api/1/model/train",
                  "Starts a training in a process of its own.",
                  [this, after](const Call&) { return after(calls_.train(), kAccepted); }),
      model_route(HttpMethod::kPost, "/api/1/model/rollback",
                  "Puts the model before this one in force.",
                  [this, after](const Call&) { return after(calls_.roll_back(), kOk); }),
      model_route(HttpMethod::kPost, "/api/1/model/live",
                  "Lets the word of the model count; kept over a restart.",
                  [this, after](const Call&) { return after(calls_.set_live(true), kOk); }),
      model_route(HttpMethod::kPost, "/api/1/model/shadow",
                  "Lets the word of the model only be shown; kept over a restart.",
                  [this, after](const Call&) { return after(calls_.set_live(false), kOk); }),
  };
}

}  // namespace shingled::milter::api
