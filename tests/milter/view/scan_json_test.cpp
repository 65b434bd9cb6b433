#include "milter/view/scan_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/milter/rules/facts_builder.h"

namespace shingled::milter::view {
namespace {

constexpr rules::Source kPolicy = {.key = "policy", .title = "policy", .unit = "rules"};

rules::Findings fired(std::string name, rules::Evidence::Effect effect) {
  rules::Findings out{.source = &kPolicy};
  rules::Evidence& item = out.evidence.emplace_back();
  item.symbol = name;
  item.score = 2;
  item.effect = effect;
  item.explanation = [name = std::move(name)] {
    return rules::Explanation{.arithmetic = "words 7; rule: 5",
                              .details = {{"symbol", name},
                                          {"score", 2.0},
                                          {"action", std::string("add_header")},
                                          {"shadow", true},
                                          {"why", std::string("words 7")}}};
  };
  return out;
}

TEST(ScanJson, SaysWhatAndWhy) {
  Settings settings;
  rules::Facts facts;
  facts.lookups = {rules::hit_lookup(mime::PartKind::kText, 1, {{11, 20}}),
                   rules::failed_lookup(rules::Lookup::Outcome::kTimeout)};
  facts = rules::weighed(std::move(facts), settings.rules, settings.milter.actions);
  facts.findings.push_back(fired("WORDY", rules::Evidence::Effect::kTried));
  const actions::Decision decision =
      actions::decide(rules::judge(facts, settings.milter.actions, FailurePolicy::kAccept), facts,
                      actions::ForgedHeaders(settings.milter.headers), settings.milter);
  const std::vector<std::string> misses = {"SENDER_SPAMMY: from.spam 97 of 100"};
  const Json out = scan_json({facts, decision, settings, misses});

  EXPECT_EQ(out["action"], "reject");
  EXPECT_EQ(out["required"]["reject"], 10.0);
  EXPECT_TRUE(out["required"]["discard"].is_null());
  const Json& hash = out["symbols"][0];
  EXPECT_EQ(hash["source"], "hashes");
  EXPECT_EQ(hash["effect"], "counts");
  EXPECT_EQ(hash["hash"], out["matches"][0]["matched"]);
  EXPECT_EQ(out["sum"][0]["symbol"], hash["symbol"]);
  const Json& rule = out["symbols"][1];
  EXPECT_EQ(rule["shadow"], true);
  EXPECT_TRUE(rule["hash"].is_null());
  EXPECT_EQ(out["rules"][0], (Json{{"rule", "WORDY"},
                                   {"fired", true},
                                   {"shadow", true},
                                   {"score", 2.0},
                                   {"action", "add_header"},
                                   {"text", "words 7"}}));
  EXPECT_EQ(out["rules"][1]["rule"], "SENDER_SPAMMY");
  EXPECT_EQ(out["rules"][1]["fired"], false);
  EXPECT_EQ(out["rules"][1]["text"], "from.spam 97 of 100");
  EXPECT_EQ(out["hashes"].size(), 2U);
  EXPECT_EQ(out["hashes"][1]["result"], "timeout");
  EXPECT_EQ(out["hashes"][1]["error"], "timeout");
  EXPECT_EQ(out["matches"].size(), 1U);
  EXPECT_EQ(out["matches"][0]["flags"][0]["flag"], 11);
  EXPECT_TRUE(out["reply"].is_string());
  for (const char* member : {"features", "names", "counters", "headers", "removed", "defects"})
    EXPECT_TRUE(out.contains(member)) << member;
}

TEST(ScanJson, BytesOfAStrangerBecomeText) {
  Settings settings;
  rules::Facts facts;
  facts.defects = {"\xff\xfe"};
  const actions::Decision decision{};
  const std::vector<std::string> misses = {"no colon\x80"};
  const std::string text = json_text(scan_json({facts, decision, settings, misses}));
  EXPECT_EQ(Json::parse(text)["rules"][0]["rule"], "no colon\xEF\xBF\xBD");
}

}  // namespace
}  // namespace shingled::milter::view
