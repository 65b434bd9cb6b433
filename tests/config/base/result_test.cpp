#include "config/base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace shingled {
namespace {

Result<std::unique_ptr<int>> half(int number) {
  if (number % 2 != 0) return Error{ErrorCode::kInvalid, "odd"};
  return std::make_unique<int>(number / 2);
}

TEST(Result, HoldsAValueThatOnlyMoves) {
  auto result = half(8);
  ASSERT_TRUE(result);
  EXPECT_EQ(**result, 4);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 4);
}

TEST(Result, TellsTheStoryOfAnError) {
  const auto result = half(7);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().in("halving 7"), (Error{ErrorCode::kInvalid, "halving 7: odd"}));
}

TEST(Result, OfNothingIsAStatus) {
  EXPECT_TRUE(Status().has_value());
  const Status failed = Error{ErrorCode::kLimit, "full"};
  EXPECT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, ErrorCode::kLimit);
}

TEST(Result, NamesEveryCode) {
  EXPECT_EQ(to_string(ErrorCode::kInvalid), "invalid");
  EXPECT_EQ(to_string(ErrorCode::kNotFound), "not_found");
  EXPECT_EQ(to_string(ErrorCode::kInternal), "internal");
}

}  // namespace
}  // namespace shingled
