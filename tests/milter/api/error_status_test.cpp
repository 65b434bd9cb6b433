#include "milter/api/error_status.h"

#include <gtest/gtest.h>

#include "milter/api/bucket_pages.h"
#include "storage/buckets/bucket_store.h"
#include "tests/support/manual_clock.h"

namespace shingled::milter::api {
namespace {

using storage::buckets::BucketAnswer;
using storage::buckets::BucketDemand;
using storage::buckets::BucketState;

TEST(ErrorStatus, IsOneForEachCode) {
  const struct {
    ErrorCode code;
    unsigned status;
  } cases[] = {{ErrorCode::kInvalid, 400},  {ErrorCode::kDenied, 403},
               {ErrorCode::kNotFound, 404}, {ErrorCode::kCorrupt, 500},
               {ErrorCode::kInternal, 500}, {ErrorCode::kLimit, 503},
               {ErrorCode::kTimeout, 503},  {ErrorCode::kUnavailable, 503}};
  for (const auto& c : cases) EXPECT_EQ(error_status(c.code), c.status) << to_string(c.code);
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

TEST(ErrorStatus, IsThatOfThePagesOfBucketsToo) {
  const testing::ManualClock clock;
  for (const ErrorCode code :
       {ErrorCode::kInvalid, ErrorCode::kDenied, ErrorCode::kCorrupt, ErrorCode::kUnavailable}) {
    const auto buckets = std::make_shared<BrokenBuckets>(code);
    const BucketPages pages([&] { return buckets; }, clock);
    const http::HttpReply reply = pages.answer({"/buckets", {}, http::HttpMethod::kGet, true});
    EXPECT_EQ(reply.status, error_status(code)) << to_string(code);
  }
}

}  // namespace
}  // namespace shingled::milter::api
