#include "milter/api/bucket_pages.h"

#include <gmock/gmock.h>

#include "tests/milter/ratelimit/limiter_fixture.h"

namespace shingled::milter::api {
namespace {

using ::testing::HasSubstr;

class BucketPagesTest : public ratelimit::LimiterFixture {
 protected:
  http::HttpReply ask(http::HttpMethod method, const std::string& path,
                      std::map<std::string, std::string> arguments = {}, bool direct = true) {
    const BucketPages pages([this] { return store_; }, clock_);
    return pages.answer({path, std::move(arguments), method, direct});
  }
  void fill(const std::string& key, double drops) {
    ASSERT_TRUE(store_->set(key, LeakRate(0.5, 10), drops, clock_.now()));
  }
};

TEST_F(BucketPagesTest, ShowsResetsAndSetsABucket) {
  fill("to:a@b", 4);
  fill("to_ip:a@b:192.0.2.1", 6);
  fill("user:bob", 1);
  EXPECT_EQ(ask(http::HttpMethod::kGet, "/buckets", {{"part", "a@b"}, {"most", "1"}}).body,
            "{\"buckets\":[{\"key\":\"to_ip:a@b:192.0.2.1\",\"type\":\"to_ip\",\"drops\":6.0,"
            "\"burst\":10.0,\"leak\":0.5,\"empty_in\":12.0}],\"more\":true}\n");
  EXPECT_EQ(ask(http::HttpMethod::kPost, "/buckets/reset", {{"key", "to:a@b"}}).body,
            "{\"reset\":true}\n");
  EXPECT_EQ(ask(http::HttpMethod::kPost, "/buckets/reset", {{"key", "to:a@b"}}).body,
            "{\"reset\":false}\n");
  EXPECT_EQ(ask(http::HttpMethod::kGet, "/buckets/show", {{"key", "to:a@b"}}).status, 404U);
  EXPECT_EQ(ask(http::HttpMethod::kPost, "/buckets/set",
                {{"key", "to:x"}, {"drops", "3"}, {"burst", "5"}, {"leak", "1"}})
                .status,
            200U);
  EXPECT_THAT(ask(http::HttpMethod::kGet, "/buckets/show", {{"key", "to:x"}}).body,
              HasSubstr("\"drops\":3.0,\"burst\":5.0"));
}

TEST_F(BucketPagesTest, RefusesInvalidRequests) {
  struct Case {
    const char* why;
    http::HttpMethod method;
    const char* path;
    std::map<std::string, std::string> arguments;
    bool direct;
    unsigned status;
  };
  const std::map<std::string, std::string> good = {
      {"key", "k"}, {"drops", "1"}, {"burst", "1"}, {"leak", "1"}};
  const auto with = [&](const char* name, const char* value) {
    auto out = good;
    out[name] = value;
    return out;
  };
  const Case cases[] = {
      {"not a direct request", http::HttpMethod::kGet, "/buckets", {}, false, 403},
      {"not a direct request, and it would change something", http::HttpMethod::kPost,
       "/buckets/set", good, false, 403},
      {"a GET must not change anything", http::HttpMethod::kGet, "/buckets/set", good, true, 405},
      {"a page without POST", http::HttpMethod::kPost, "/buckets", {}, true, 405},
      {"an unknown page", http::HttpMethod::kGet, "/buckets/drop", {}, true, 404},
      {"no key", http::HttpMethod::kPost, "/buckets/set", with("key", ""), true, 400},
      {"negative", http::HttpMethod::kPost, "/buckets/set", with("drops", "-1"), true, 400},
      {"not a number", http::HttpMethod::kPost, "/buckets/set", with("drops", "nan"), true, 400},
      {"infinite", http::HttpMethod::kPost, "/buckets/set", with("burst", "inf"), true, 400},
      {"more than a double", http::HttpMethod::kPost, "/buckets/set", with("burst", "1e999"), true,
       400},
      {"the bucket would never drain", http::HttpMethod::kPost, "/buckets/set", with("leak", "0"),
       true, 400},
      {"a valid request", http::HttpMethod::kPost, "/buckets/set", good, true, 200},
      {"a key of ten thousand bytes",
       http::HttpMethod::kPost,
       "/buckets/reset",
       {{"key", std::string(10'000, '\x01')}},
       true,
       200},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(ask(test.method, test.path, test.arguments, test.direct).status, test.status)
        << test.why;
  }
  store_.reset();
  EXPECT_EQ(ask(http::HttpMethod::kGet, "/buckets").status, 503U) << "nothing is limited";
}

}  // namespace
}  // namespace shingled::milter::api
