// Covers milter/api/messages/peer_messages.cpp.
#include "milter/api/messages/peer_messages.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shingled::milter::api {
namespace {

Json page(std::initializer_list<int> times, Json next = nullptr) {
  Json messages = Json::array();
  for (const int time : times) messages.push_back({{"id", "Q@" + std::to_string(time)}});
  return {{"messages", messages}, {"next", std::move(next)}};
}

std::string text_of(const Json& merged) {
  std::string out;
  for (const Json& one : merged["messages"])
    out += one["id"].get<std::string>().substr(2) + one["host"].get<std::string>() + " ";
  return out + merged["next"].dump();
}

Json merge(Json own, const Json& other, std::size_t most = 10,
           std::optional<std::int64_t> cursor = {}) {
  std::vector<PeerAnswer> answers;
  answers.push_back({"b", other.dump()});
  return merged_messages(std::move(own), "a", std::move(answers), most, cursor);
}

TEST(PeerMessages, AreInTheOrderOfTime) {
  EXPECT_EQ(text_of(merge(page({9, 5, 1}), page({8, 2}))), "9a 8b 5a 2b 1a null");
}

TEST(PeerMessages, AShortPageHidesNothing) {
  EXPECT_EQ(text_of(merge(page({9, 8}, 8), page({9, 5, 1}))), "9a 9b 8a 8")
      << "below 8 the first one may have more";
  EXPECT_EQ(text_of(merge(page({9, 7}), page({8, 7, 6}), 3)), "9a 8b 7a 7b 7")
      << "those of one moment stay together, as the cursor is a moment";
  EXPECT_EQ(text_of(merge(page({}), page({}, 7))), "7") << "it looked up to 7 and found none yet";
}

TEST(PeerMessages, NonsenseCountsAsMissing) {
  for (const Json& nonsense :
       {Json::object(), Json{{"messages", 1}, {"next", nullptr}}, page({5}, "x"), page({5}, 6),
        page({12}, nullptr), Json{{"messages", {{{"id", "no time"}}}}, {"next", nullptr}},
        page({}, 10), page({5}, 1.5)}) {
    const Json merged = merge(page({9}), nonsense, 10, 10);
    EXPECT_EQ(text_of(merged), "9a null") << nonsense.dump();
    EXPECT_EQ(merged["missing"][0]["host"], "b") << nonsense.dump();
  }
  std::vector<PeerAnswer> answers;
  answers.push_back({"b", Error{ErrorCode::kTimeout, "slow"}});
  const Json merged = merged_messages(page({9}), "a", std::move(answers), 10, {});
  EXPECT_EQ(merged["missing"], Json::array({{{"host", "b"}, {"why", "slow"}}}));
}

TEST(PeerMessages, OneMessageIsThatOfWhoHasIt) {
  std::vector<PeerAnswer> answers;
  answers.push_back({"b", Error{ErrorCode::kNotFound, "none"}});
  answers.push_back({"c", std::string(R"({"id": "Q@5"})")});
  answers.push_back({"d", Error{ErrorCode::kTimeout, "slow"}});
  answers.push_back({"e", std::string(R"({"id": 5})")});
  const ElsewhereFound found = found_elsewhere(std::move(answers));
  ASSERT_EQ(found.found.size(), 1U);
  EXPECT_EQ(found.found[0]["host"], "c");
  EXPECT_EQ(found.missing, "d (slow), e (its answer is not a message)");
}

TEST(PeerMessages, OthersAreAskedTheSameAndNobodyElse) {
  http::HttpRequest request;
  request.arguments = {{"sender", "a@b"}, {"peers", "yes"}};
  EXPECT_EQ(peer_target({request}, "/m"), "/m?sender=a%40b&peers=no");
  request.arguments.clear();
  EXPECT_EQ(peer_target({request}, "/m"), "/m?peers=no");
}

}  // namespace
}  // namespace shingled::milter::api
