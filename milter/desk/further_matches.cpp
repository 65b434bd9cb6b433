#include "milter/desk/further_matches.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "config/base/hex.h"
#include "milter/api/system/match_question.h"
#include "milter/desk/daemon_choice.h"
#include "milter/desk/servers/server_choice.h"
#include "milter/view/scan_json.h"

namespace shingled::milter::desk {

namespace {

std::optional<RemoteOptions> local_or_nothing(const Settings& settings) {
  const auto local = local_service(settings.storage);
  return local ? std::optional(*local) : std::nullopt;
}

/// The daemon names lists by number; the rule knows their symbols.
void name_symbols(Json& match, const RuleOptions& rule) {
  for (Json& flag : match["flags"]) {
    if (!flag.is_object()) continue;
    const auto number = flag.value("flag", std::uint32_t{0});
    flag = {{"flag", number},
            {"symbol", view::symbol_of(rule, number)},
            {"value", flag.value("value", std::int64_t{0})}};
  }
}

}  // namespace

FurtherMatches::FurtherMatches(const Settings& settings, const Clock& clock)
    : local_(local_or_nothing(settings)), daemon_(daemon_of(settings, clock)) {}

Json FurtherMatches::of(const rules::Lookup& lookup, const RuleOptions& rule) {
  const bool is_local =
      local_ && (!rule.remote.is_remote() || local_->to_read() == rule.remote.to_read());
  if (lookup.outcome != rules::Lookup::Outcome::kHit || !is_local || !page_answers_) return nullptr;
  auto page = daemon_.get("/api/1/hashes/matches?" + api::match_question(lookup.hash.fingerprint));
  page_answers_ = page.has_value();
  if (!page_answers_) return nullptr;
  const std::string named = to_hex(lookup.match.digest.bytes);
  Json further = Json::array();
  for (Json& match : (*page)["matches"]) {
    if (!match.is_object() || match.value("digest", std::string()) == named) continue;
    name_symbols(match, rule);
    further.push_back(std::move(match));
  }
  return further;
}

}  // namespace shingled::milter::desk
