// Covers milter/api/messages/hash_resource.cpp, milter/api/messages/forgotten_hashes.cpp,
// milter/api/named_list.cpp, milter/api/messages/effect_json.cpp, milter/replay/past_effect.cpp.
#include "milter/api/messages/hash_resource.h"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/base/hex.h"
#include "milter/rules/fuzzy_evidence.h"
#include "tests/milter/api/asked_routes.h"
#include "tests/milter/history/judged.h"
#include "tests/milter/reports/desk.h"

namespace shingled::milter::api {
namespace {

using http::HttpMethod;
using ::testing::HasSubstr;
using Arguments = std::map<std::string, std::string>;

Fingerprint hash(std::uint8_t number) {
  Fingerprint out;
  out.digest.bytes.fill(number);
  out.shingles.emplace();
  out.shingles->fill(number);
  return out;
}

std::string name(std::uint8_t number) { return to_hex(hash(number).digest.bytes); }

class HashResourceTest : public reports::Desk {
 protected:
  void SetUp() override {
    reports::Desk::SetUp();
    EngineOptions options;
    options.hashfile = directory.file("fuzzy.db");
    options.durability = Durability::kNormal;
    auto opened = storage::engine::Engine::open(options, clock, logger);
    ASSERT_TRUE(opened) << opened.error().message;
    engine = *std::move(opened);
    resource = std::make_unique<HashResource>(
        HashResource::Setup{[this] { return std::make_shared<const Settings>(settings); },
                            [this]() -> Result<SiteHistory> {
                              auto reader = storage::sqlite::HistoryReader::open(file());
                              if (!reader) return reader.error();
                              return SiteHistory{*std::move(reader), reports::kTestSite};
                            },
                            *desk, clock, random});
    resource->set_store(engine.get(), engine.get());
  }
  [[nodiscard]] std::string file() const { return directory.file("history.db"); }

  void teach(const Fingerprint& what, std::uint32_t flag, std::int32_t value,
             std::optional<Digest> companion = {}) {
    storage::Update update{.flag = flag, .value = value, .fingerprint = what};
    update.source = 77;
    update.companion = companion;
    ASSERT_TRUE(engine->apply({&update, 1}));
  }
  http::HttpReply ask(HttpMethod method, const std::string& path, Arguments arguments = {}) {
    return testing::ask(resource->routes(), method, "/api/1/hashes" + path, "",
                        std::move(arguments));
  }
  Json answer(HttpMethod method, const std::string& path, Arguments arguments = {}) {
    const auto reply = ask(method, path, std::move(arguments));
    EXPECT_EQ(reply.status, 200U) << reply.body;
    return Json::parse(reply.body);
  }
  /// A row of the history that matched this hash and was judged by its symbol.
  storage::sqlite::HistoryRow row(const std::string& queue_id, std::vector<std::uint8_t> matched,
                                  double score, rules::Action action, std::int64_t seconds_ago) {
    history::testing::Judged judged;
    judged.queue_id = queue_id;
    judged.names = HistoryNames::kSubject;
    judged.subject = "Offer";
    judged.verdict.score = score;
    judged.verdict.action = action;
    judged.facts.counters.needs = std::make_shared<const features::CounterNeeds>(
        features::CounterNeeds{{PieceType::kStoredHash, {*storage::counters::parse_window("1d")}}});
    for (const std::uint8_t number : matched) {
      judged.facts.counters.pieces.push_back({.piece = {PieceType::kStoredHash, name(number), ""},
                                              .known = true,
                                              .sums = std::vector<features::Sums>(1)});
    }
    rules::Findings found{.source = &rules::kFuzzySource};
    rules::Evidence& item = found.evidence.emplace_back();
    item.symbol = "FUZZY_DENIED";
    item.score = score - 1;
    judged.facts.findings.push_back(std::move(found));
    const auto time = std::chrono::duration_cast<std::chrono::microseconds>(
        (clock.wall() - std::chrono::seconds(seconds_ago)).time_since_epoch());
    return history::row_of(judged.message(), reports::kTestSite, time.count());
  }
  void write(std::vector<storage::sqlite::HistoryRow> rows) {
    auto table = storage::sqlite::HistoryTable::open(file());
    ASSERT_TRUE(table) << table.error().message;
    ASSERT_TRUE((*table)->write(rows, {}));
  }

  std::unique_ptr<storage::engine::Engine> engine;
  std::unique_ptr<HashResource> resource;
};

TEST_F(HashResourceTest, CountsByList) {
  teach(hash(1), 11, 5);
  teach(hash(2), 11, 1);
  teach(hash(2), 99, 2);
  const Json all = answer(HttpMethod::kGet, "");
  EXPECT_EQ(all["total"], 2);
  ASSERT_EQ(all["lists"].size(), 2U);
  EXPECT_EQ(all["lists"][0], (Json{{"flag", 11},
                                   {"name", "denied"},
                                   {"rule", settings.rules[0].name},
                                   {"hashes", 2},
                                   {"value", 6}}));
  EXPECT_TRUE(all["lists"][1]["name"].is_null());
}

TEST_F(HashResourceTest, TellsAllOfOne) {
  teach(hash(1), 11, 5);
  clock.advance(std::chrono::seconds(100));
  static_cast<void>(engine->check(hash(1).digest, nullptr, clock.unix_seconds()));
  const Json one = answer(HttpMethod::kGet, "/" + name(1));
  EXPECT_EQ(one["digest"], name(1));
  EXPECT_EQ(one["flags"][0]["name"], "denied");
  EXPECT_EQ(one["flags"][0]["value"], 5);
  EXPECT_EQ(one["age"], 100);
  EXPECT_EQ(one["shingles"], true);
  EXPECT_EQ(one["hits"], 1) << "to look at it is no hit";
  EXPECT_TRUE(one["taught_by"].is_null());
}

TEST_F(HashResourceTest, NamesWhoReportedIt) {
  settings.reports.trusted_reporters = {"ann@example.org"};
  open();
  spam("ann@example.org", reports::mail(1));
  const auto cases = desk->cases(0, 1, false);
  ASSERT_TRUE(cases && cases->size() == 1);
  const auto reported = cases->front().row.hashes.front().hash.fingerprint;
  // The desk of the test teaches a store of its own.
  resource = std::make_unique<HashResource>(
      HashResource::Setup{[this] { return std::make_shared<const Settings>(settings); },
                          []() -> Result<SiteHistory> {
                            return Error{ErrorCode::kUnavailable, "off"};
                          },
                          *desk, clock, random});
  resource->set_store(engine.get(), engine.get());
  teach(reported, 11, 5);
  const Json one = answer(HttpMethod::kGet, "/" + to_hex(reported.digest.bytes));
  EXPECT_EQ(one["taught_by"]["case"], cases->front().id);
  EXPECT_EQ(one["taught_by"]["spam"], 1);
  EXPECT_EQ(one["taught_by"]["people"][0]["says"], "spam");
}

TEST_F(HashResourceTest, WhatIsForgottenCanBePutBackOnce) {
  teach(hash(1), 11, 5, hash(2).digest);
  teach(hash(1), 12, 3);
  teach(hash(2), 11, 5);
  const Json gone = answer(HttpMethod::kDelete, "/" + name(1), {{"flag", "11"}});
  EXPECT_EQ(gone["try"], false);
  EXPECT_EQ(gone["forgotten"].size(), 2U) << "the other form of the text goes with it";
  const auto left = engine->find(hash(1).digest);
  ASSERT_TRUE(left && *left);
  EXPECT_EQ((*left)->row.flags.all()[0].flag, 12U);
  EXPECT_EQ(ask(HttpMethod::kGet, "/" + name(2)).status, 404U);

  const std::string token = gone["undo"];
  const Json back = answer(HttpMethod::kPost, "/undo", {{"token", token}});
  EXPECT_EQ(back["restored"], gone["forgotten"]);
  const auto restored = engine->find(hash(1).digest);
  ASSERT_TRUE(restored && *restored);
  EXPECT_EQ((*restored)->row.flags.size(), 2U);
  EXPECT_EQ((*restored)->row.shingles, hash(1).shingles);
  EXPECT_EQ((*restored)->row.source, 77U);
  EXPECT_EQ((*restored)->companion, hash(2).digest);
  EXPECT_EQ(ask(HttpMethod::kPost, "/undo", {{"token", token}}).status, 404U) << "once";
}

TEST_F(HashResourceTest, AnUndoLastsAnHour) {
  teach(hash(1), 11, 5);
  const std::string token = answer(HttpMethod::kDelete, "/" + name(1))["undo"];
  EXPECT_EQ(ask(HttpMethod::kPost, "/undo", {{"token", std::string(32, '0')}}).status, 404U);
  clock.advance(std::chrono::minutes(61));
  EXPECT_EQ(ask(HttpMethod::kPost, "/undo", {{"token", token}}).status, 404U);
}

TEST_F(HashResourceTest, ATryTellsTheEffectAndChangesNothing) {
  teach(hash(1), 11, 5);
  write({row("OLD", {1}, 12, rules::Action::kReject, 8 * 24 * 3600),
         row("HIT", {1}, 12, rules::Action::kReject, 100),
         row("BOTH", {1, 2}, 12, rules::Action::kReject, 90),
         row("OTHER", {2}, 12, rules::Action::kReject, 80),
         row("ASKED", {1}, 1, rules::Action::kReject, 70)});
  const Json effect = answer(HttpMethod::kDelete, "/" + name(1), {{"try", "yes"}});
  EXPECT_EQ(effect["try"], true);
  EXPECT_EQ(effect["would_forget"][0]["digest"], name(1));
  EXPECT_EQ(effect["messages"], 4) << "of the last 7 days";
  EXPECT_EQ(effect["matched"], 3);
  EXPECT_EQ(effect["would_change"], 1)
      << "another hash keeps the score, and a rule may have asked for the action";
  EXPECT_THAT(std::string(effect["examples"][0]["id"]), ::testing::StartsWith("HIT@"));
  EXPECT_EQ(effect["examples"][0]["would_be"], "pass");
  EXPECT_EQ(effect["examples"][0]["subject"], "Offer");
  EXPECT_EQ(answer(HttpMethod::kGet, "")["total"], 1);
}

TEST_F(HashResourceTest, ATryWithoutAHistorySaysSo) {
  teach(hash(1), 11, 5);
  const Json effect = answer(HttpMethod::kDelete, "/" + name(1), {{"try", "yes"}});
  EXPECT_TRUE(effect["off"].is_string());
  EXPECT_TRUE(effect["would_change"].is_null());
}

TEST_F(HashResourceTest, SaysWhatIsWrong) {
  teach(hash(1), 11, 5);
  const struct {
    const char* why;
    HttpMethod method;
    std::string path;
    Arguments arguments;
    unsigned status;
    const char* detail;
  } cases[] = {
      {"too short", HttpMethod::kGet, "/0101", {}, 400, "128 hexadecimal digits"},
      {"no digits", HttpMethod::kGet, "/" + std::string(128, 'g'), {}, 400, "is not a digest"},
      {"unknown", HttpMethod::kGet, "/" + name(9), {}, 404, "not stored"},
      {"unknown", HttpMethod::kDelete, "/" + name(9), {}, 404, "not stored"},
      {"another list", HttpMethod::kDelete, "/" + name(1), {{"flag", "12"}}, 404, "list 12"},
      {"no list", HttpMethod::kDelete, "/" + name(1), {{"flag", "0"}}, 400, "flag: must be 1"},
      {"no token", HttpMethod::kPost, "/undo", {}, 400, "token: is missing"},
  };
  for (const auto& c : cases) {
    const auto reply = ask(c.method, c.path, c.arguments);
    EXPECT_EQ(reply.status, c.status) << c.why;
    EXPECT_THAT(reply.body, HasSubstr(c.detail)) << c.why;
  }
  resource->set_store(nullptr, nullptr);
  EXPECT_EQ(ask(HttpMethod::kGet, "/" + name(1)).status, 503U);
  EXPECT_TRUE(answer(HttpMethod::kGet, "")["off"].is_string());
}

TEST_F(HashResourceTest, OtherStoresTellLessAndHaveNoUndo) {
  const storage::Update update{.flag = 11, .value = 4, .fingerprint = hash(3)};
  store.submit(update, [](const Status&) {});
  resource->set_store(&store, nullptr);
  const Json one = answer(HttpMethod::kGet, "/" + name(3));
  EXPECT_EQ(one["flags"][0]["value"], 4);
  EXPECT_TRUE(one["hits"].is_null());
  const Json gone = answer(HttpMethod::kDelete, "/" + name(3));
  EXPECT_TRUE(gone["undo"].is_null());
  EXPECT_TRUE(gone["why_no_undo"].is_string());
}

TEST_F(HashResourceTest, AStoreThatDoesNotAnswerIsNotWaitedForForever) {
  teach(hash(1), 11, 5);
  std::stop_source stop;
  stop.request_stop();
  testing::FakeStore slow(testing::FakeStore::Commit::kWhenTold);
  slow.knows_all = storage::FlagValue{11, 5};
  resource->set_store(&slow, nullptr);
  http::HttpRequest request;
  request.method = HttpMethod::kDelete;
  request.path = "/api/1/hashes/" + name(1);
  request.caller.role = http::Role::kChange;
  const Router router(resource->routes());
  const auto reply = router.answer(request).later(stop.get_token());
  EXPECT_EQ(reply.status, 503U);
  resource->set_store(nullptr, nullptr);
}

}  // namespace
}  // namespace shingled::milter::api
