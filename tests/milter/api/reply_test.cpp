#include "milter/api/reply.h"

#include <gtest/gtest.h>

#include "milter/api/bucket_resource.h"
#include "storage/buckets/bucket_store.h"
#include "tests/milter/api/asked_routes.h"
#include "tests/support/manual_clock.h"

namespace shingled::milter::api {
namespace {

using storage::buckets::BucketAnswer;
using storage::buckets::BucketDemand;
using storage::buckets::BucketState;

TEST(Reply, HasOneStatusForEachCodeAndOneCodeForEachStatus) {
  const struct {
    ErrorCode code;
    unsigned status;
  } cases[] = {{ErrorCode::kInvalid, 400},  {ErrorCode::kDenied, 403},
               {ErrorCode::kNotFound, 404}, {ErrorCode::kLimit, 413},
               {ErrorCode::kCorrupt, 500},  {ErrorCode::kInternal, 500},
               {ErrorCode::kTimeout, 503},  {ErrorCode::kUnavailable, 503}};
  for (const auto& c : cases) {
    EXPECT_EQ(status_of(c.code), c.status) << to_string(c.code);
    EXPECT_EQ(status_of(code_of(c.status)), c.status) << to_string(c.code);
  }
  EXPECT_EQ(code_of(401), ErrorCode::kDenied);
  EXPECT_EQ(code_of(429), ErrorCode::kUnavailable) << "it may come again";
  EXPECT_EQ(code_of(599), ErrorCode::kUnavailable);
}

TEST(Reply, SaysItsReasonAndIsReadAgain) {
  const http::HttpReply reply = problem({ErrorCode::kNotFound, "no \"such\" thing"});
  EXPECT_EQ(reply.type, "application/problem+json");
  EXPECT_EQ(reply.body,
            "{\"title\":\"Not Found\",\"status\":404,\"detail\":\"no \\\"such\\\" thing\"}\n");
  EXPECT_EQ(error_of(reply), (Error{ErrorCode::kNotFound, "no \"such\" thing"}));
  EXPECT_EQ(error_of({503, "text/plain", "away\nmore"}), (Error{ErrorCode::kUnavailable, "away"}));
  EXPECT_EQ(error_of({502, "text/html", ""}), (Error{ErrorCode::kUnavailable, "HTTP status 502"}));
}

/// Buckets that only fail.
class BrokenBuckets final : public storage::buckets::BucketStore {
 public:
  explicit BrokenBuckets(ErrorCode code) : error_{code, "broken by the test"} {}
  BucketAnswer take(std::span<const BucketDemand> /*demands*/, TimePoint /*deadline*/) override {
    return {};
  }
  void give_back(std::span<const BucketDemand> /*demands*/, const BucketAnswer& /*answer*/,
                 TimePoint /*deadline*/) override {}
  Result<std::vector<BucketState>> list(std::string_view /*part*/, std::size_t /*most*/,
                                        TimePoint /*deadline*/) override {
    return error_;
  }
  Result<std::optional<BucketState>> show(std::string_view /*key*/,
                                          TimePoint /*deadline*/) override {
    return error_;
  }
  Result<bool> reset(std::string_view /*key*/, TimePoint /*deadline*/) override { return error_; }
  Status set(std::string_view /*key*/, const LeakRate& /*rate*/, double /*drops*/,
             TimePoint /*deadline*/) override {
    return error_;
  }
  void report(MetricReport& /*report*/) const override {}

 private:
  const Error error_;
};

TEST(Reply, IsThatOfAllResources) {
  const testing::ManualClock clock;
  for (const ErrorCode code :
       {ErrorCode::kInvalid, ErrorCode::kDenied, ErrorCode::kCorrupt, ErrorCode::kUnavailable}) {
    const auto broken = std::make_shared<BrokenBuckets>(code);
    const BucketResource buckets([&] { return broken; }, clock);
    EXPECT_EQ(testing::ask(buckets.routes(), http::HttpMethod::kGet, "/api/1/buckets").status,
              status_of(code))
        << to_string(code);
  }
}

}  // namespace
}  // namespace shingled::milter::api
