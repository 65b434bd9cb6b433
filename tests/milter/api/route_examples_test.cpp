#include "milter/api/route_examples.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "milter/api/route.h"

namespace shingled::milter::api {
namespace {

TEST(RouteExamples, AreOneForARouteAndCanBeRead) {
  std::set<std::pair<http::HttpMethod, std::string_view>> seen;
  for (const RouteExample& example : route_examples()) {
    EXPECT_TRUE(seen.emplace(example.method, example.path).second) << example.path;
    EXPECT_EQ(find_example(example.method, example.path), &example);
    EXPECT_NO_THROW(static_cast<void>(Json::parse(example.reply))) << example.path;
  }
  EXPECT_EQ(find_example(http::HttpMethod::kGet, "/api/1/nothing"), nullptr);
}

TEST(RouteExamples, AreInTheDocument) {
  const Router router({{http::HttpMethod::kDelete,
                        "/api/1/hashes/{digest}",
                        http::Right::kChange,
                        Route::Pace::kSlow,
                        "Forgets it.",
                        {{"flag", "a list", Parameter::Kind::kInteger, false, 1, 255},
                         {"try", "nothing", Parameter::Kind::kFlag}},
                        "",
                        "try",
                        [](const Call&) { return http::HttpReply{}; }},
                       {http::HttpMethod::kPost,
                        "/api/1/counters/ask",
                        http::Right::kAsk,
                        Route::Pace::kAtOnce,
                        "Asks.",
                        {},
                        "application/json",
                        "windows",
                        [](const Call&) { return http::HttpReply{}; }},
                       {http::HttpMethod::kGet,
                        "/api/1/unknown",
                        http::Right::kNothing,
                        Route::Pace::kAtOnce,
                        "No example.",
                        {},
                        "",
                        "",
                        [](const Call&) { return http::HttpReply{}; }}});
  const Json paths = router.document()["paths"];
  const Json& forget = paths["/api/1/hashes/{digest}"]["delete"];
  EXPECT_EQ(forget["parameters"][0]["example"].get<std::string>().size(), 128U);
  EXPECT_EQ(forget["parameters"][1]["example"], 11);
  EXPECT_EQ(forget["parameters"][2]["example"], "no");
  EXPECT_EQ(forget["responses"]["200"]["content"]["application/json"]["example"]["try"], false);
  EXPECT_EQ(forget["x-roles"], Json({"change"}));
  const Json& ask = paths["/api/1/counters/ask"]["post"];
  EXPECT_TRUE(ask["requestBody"]["content"]["application/json"]["example"].is_object());
  EXPECT_EQ(ask["x-roles"], Json({"read", "count", "change"}));
  const Json& unknown = paths["/api/1/unknown"]["get"];
  EXPECT_TRUE(unknown["x-roles"].empty());
  EXPECT_FALSE(unknown["responses"]["200"]["content"]["text/plain"].contains("example"));
}

}  // namespace
}  // namespace shingled::milter::api
