#include "milter/api/bucket_resource.h"

#include <gmock/gmock.h>

#include "tests/milter/api/asked_routes.h"
#include "tests/milter/ratelimit/limiter_fixture.h"

namespace shingled::milter::api {
namespace {

using http::HttpMethod;
using ::testing::HasSubstr;
using Arguments = std::map<std::string, std::string>;

class BucketResourceTest : public ratelimit::LimiterFixture {
 protected:
  http::HttpReply ask(HttpMethod method, const std::string& path, Arguments arguments = {},
                      http::Role role = http::Role::kChange) {
    const BucketResource buckets([this] { return store_; }, clock_);
    return testing::ask(buckets.routes(), method, "/api/1" + path, "", std::move(arguments), role);
  }
  void fill(const std::string& key, double drops) {
    ASSERT_TRUE(store_->set(key, LeakRate(0.5, 10), drops, clock_.now()));
  }
};

TEST_F(BucketResourceTest, ShowsResetsAndSetsABucket) {
  fill("to:a@b", 4);
  fill("to_ip:a@b:192.0.2.1", 6);
  fill("user:bob", 1);
  EXPECT_EQ(ask(HttpMethod::kGet, "/buckets", {{"part", "a@b"}, {"most", "1"}}).body,
            "{\"buckets\":[{\"key\":\"to_ip:a@b:192.0.2.1\",\"type\":\"to_ip\",\"drops\":6.0,"
            "\"burst\":10.0,\"leak\":0.5,\"empty_in\":12.0}],\"more\":true}\n");
  EXPECT_EQ(ask(HttpMethod::kDelete, "/buckets/to:a@b").body, "{\"reset\":true}\n");
  EXPECT_EQ(ask(HttpMethod::kDelete, "/buckets/to:a@b").body, "{\"reset\":false}\n");
  EXPECT_EQ(ask(HttpMethod::kGet, "/buckets/to:a@b").status, 404U);
  EXPECT_EQ(
      ask(HttpMethod::kPost, "/buckets/to:x/y", {{"drops", "3"}, {"burst", "5"}, {"leak", "1"}})
          .status,
      200U);
  EXPECT_THAT(ask(HttpMethod::kGet, "/buckets/to:x/y").body,
              HasSubstr("\"drops\":3.0,\"burst\":5.0"));
}

TEST_F(BucketResourceTest, RefusesInvalidRequests) {
  const Arguments good = {{"drops", "1"}, {"burst", "1"}, {"leak", "1"}};
  const auto with = [&](const char* name, const char* value) {
    auto out = good;
    out[name] = value;
    return out;
  };
  const auto without = [&](const char* name) {
    auto out = good;
    out.erase(name);
    return out;
  };
  const struct {
    const char* why;
    HttpMethod method;
    const char* path;
    Arguments arguments;
    http::Role role;
    unsigned status;
  } cases[] = {
      {"nobody", HttpMethod::kGet, "/buckets", {}, http::Role::kOff, 401},
      {"who may count", HttpMethod::kGet, "/buckets", {}, http::Role::kCount, 403},
      {"who may read reads", HttpMethod::kGet, "/buckets", {}, http::Role::kRead, 200},
      {"who may read", HttpMethod::kPost, "/buckets/k", good, http::Role::kRead, 403},
      {"who may report", HttpMethod::kDelete, "/buckets/k", {}, http::Role::kReport, 403},
      {"a list is not deleted", HttpMethod::kDelete, "/buckets", {}, http::Role::kChange, 405},
      {"no key", HttpMethod::kPost, "/buckets/", good, http::Role::kChange, 404},
      {"negative", HttpMethod::kPost, "/buckets/k", with("drops", "-1"), http::Role::kChange, 400},
      {"no number", HttpMethod::kPost, "/buckets/k", with("drops", "nan"), http::Role::kChange,
       400},
      {"infinite", HttpMethod::kPost, "/buckets/k", with("burst", "inf"), http::Role::kChange, 400},
      {"too large", HttpMethod::kPost, "/buckets/k", with("burst", "1e999"), http::Role::kChange,
       400},
      {"without a burst", HttpMethod::kPost, "/buckets/k", without("burst"), http::Role::kChange,
       400},
      {"an unknown argument", HttpMethod::kPost, "/buckets/k", with("drop", "1"),
       http::Role::kChange, 400},
      {"it would never drain", HttpMethod::kPost, "/buckets/k", with("leak", "0"),
       http::Role::kChange, 400},
      {"too many", HttpMethod::kGet, "/buckets", {{"most", "10001"}}, http::Role::kChange, 400},
      {"a valid request", HttpMethod::kPost, "/buckets/k", good, http::Role::kChange, 200},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(ask(test.method, test.path, test.arguments, test.role).status, test.status)
        << test.why;
  }
  EXPECT_EQ(ask(HttpMethod::kDelete, "/buckets/" + std::string(10'000, '\x01')).status, 200U);
  store_.reset();
  EXPECT_EQ(ask(HttpMethod::kGet, "/buckets").status, 503U) << "nothing is limited";
}

}  // namespace
}  // namespace shingled::milter::api
