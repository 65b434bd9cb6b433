#include "milter/view/scan_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "config/base/hex.h"
#include "milter/rules/fuzzy_evidence.h"
#include "milter/view/feature_json.h"
#include "milter/view/message_json.h"
#include "milter/view/model_json.h"

namespace shingled::milter::view {

namespace {

using rules::Evidence;
using rules::Lookup;

std::span<const storage::FlagValue> flags_of(const storage::Match& match) {
  return {match.flags.data(), std::min<std::size_t>(match.flag_count, match.flags.size())};
}

bool is_hit(const Lookup& lookup) {
  return lookup.outcome == Lookup::Outcome::kHit && lookup.match.flag_count > 0;
}

Json number_or_null(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json required_json(const ActionOptions& actions) {
  return {{"add_header", number_or_null(actions.add_header)},
          {"tempfail", number_or_null(actions.tempfail)},
          {"quarantine", number_or_null(actions.quarantine)},
          {"reject", number_or_null(actions.reject)},
          {"discard", number_or_null(actions.discard)}};
}

const rules::Detail* find_detail(const rules::Explanation& explanation, std::string_view name) {
  const auto found = std::ranges::find(explanation.details, name, &rules::Detail::name);
  return found == explanation.details.end() ? nullptr : &*found;
}

/// The digest of the stored hash that a piece of evidence is about; null if it is about none.
Json matched_digest(const rules::Explanation& explanation, const rules::Facts& facts) {
  const rules::Detail* const lookup = find_detail(explanation, "lookup");
  const auto* const place = lookup == nullptr ? nullptr : std::get_if<std::int64_t>(&lookup->value);
  if (place == nullptr || static_cast<std::uint64_t>(*place) >= facts.lookups.size())
    return nullptr;
  return to_hex(facts.lookups[static_cast<std::size_t>(*place)].match.digest.bytes);
}

Json evidence_json(const Evidence& item, const rules::Findings& findings,
                   const rules::Facts& facts) {
  const rules::Explanation explanation = item.explanation();
  return {{"symbol", item.symbol},
          {"score", item.score},
          {"source", findings.source == &rules::kFuzzySource ? "hashes" : findings.source->key},
          {"effect", effect_text(item.effect)},
          {"shadow", item.effect == Evidence::Effect::kTried},
          {"text", explanation.arithmetic},
          {"part", item.part.empty() ? Json(nullptr) : Json(item.part)},
          {"place", item.place.empty() ? Json(nullptr) : Json(item.place)},
          {"hash", matched_digest(explanation, facts)}};
}

/// Of a rule of the policy that fires.
Json fired_json(const Evidence& item) {
  const rules::Explanation explanation = item.explanation();
  Json out = {{"rule", item.symbol}, {"fired", true}};
  for (const char* name : {"shadow", "score", "action", "why"}) {
    const rules::Detail* const detail = find_detail(explanation, name);
    Json& value = out[name == std::string_view("why") ? "text" : name] = nullptr;
    if (detail != nullptr) std::visit([&](const auto& given) { value = given; }, detail->value);
  }
  return out;
}

/// `miss`: "RULE: why".
Json near_miss_json(const std::string& miss) {
  const std::size_t colon = std::min(miss.find(": "), miss.size());
  return {{"rule", miss.substr(0, colon)},
          {"fired", false},
          {"shadow", nullptr},
          {"score", nullptr},
          {"action", nullptr},
          {"text", miss.substr(std::min(colon + 2, miss.size()))}};
}

Json rules_json(const Scanned& scanned) {
  Json out = Json::array();
  for (const rules::Findings& findings : scanned.facts.findings) {
    if (!findings.source->key.ends_with("policy")) continue;
    for (const Evidence& item : findings.evidence) out.push_back(fired_json(item));
  }
  for (const std::string& miss : scanned.near_misses) out.push_back(near_miss_json(miss));
  return out;
}

Json counters_json(const rules::CounterFacts& counters) {
  Json out = Json::array();
  for (const rules::PieceCounts& counts : counters.pieces) {
    const features::CounterNeed* const need =
        counters.needs == nullptr ? nullptr
                                  : features::find_need(*counters.needs, counts.piece.type);
    Json sums = Json::object();
    for (std::size_t w = 0; need != nullptr && w < counts.sums.size(); ++w) {
      if (need->windows[w].skipped > 0) continue;  // days for what is usual
      sums[to_string(need->windows[w])] = sums_json(counts.sums[w]);
    }
    out.push_back({{"type", type_text(counts.piece.type)},
                   {"piece", text_of(counts.piece)},
                   {"known", counts.known},
                   {"sums", counts.known ? std::move(sums) : Json(nullptr)}});
  }
  return out;
}

Json match_json(const Lookup& lookup, const RuleOptions& rule) {
  return {{"rule", lookup.rule},
          {"kind", mime::to_string(lookup.hash.kind)},
          {"part", lookup.hash.part},
          {"digest", to_hex(lookup.hash.fingerprint.digest.bytes)},
          {"matched", to_hex(lookup.match.digest.bytes)},
          {"exact", lookup.match.exact},
          {"slots", lookup.match.slots},
          {"prob", lookup.probability},
          {"flags", flags_json(rule, flags_of(lookup.match))},
          {"created", lookup.match.created == 0 ? Json(nullptr) : Json(lookup.match.created)},
          {"updated", lookup.match.updated == 0 ? Json(nullptr) : Json(lookup.match.updated)}};
}

void put_lookups(const Scanned& scanned, Json& object) {
  Json hashes = Json::array();
  Json matches = Json::array();
  for (const Lookup& lookup : scanned.facts.lookups) {
    const RuleOptions& rule = scanned.settings.rules[lookup.rule_index];
    Json one = lookup_json(lookup, rule);
    if (lookup.failed()) {
      const std::string outcome(rules::to_string(lookup.outcome));
      one["error"] = lookup.error.empty() ? outcome : lookup.error;
    }
    hashes.push_back(std::move(one));
    if (is_hit(lookup)) matches.push_back(match_json(lookup, rule));
  }
  object["hashes"] = std::move(hashes);
  object["matches"] = std::move(matches);
}

}  // namespace

std::string symbol_of(const RuleOptions& rule, std::uint32_t flag) {
  const FlagOptions* named = rule.flags.find(flag);
  return named != nullptr ? named->symbol : rule.symbol;
}

Json flags_json(const RuleOptions& rule, std::span<const storage::FlagValue> flags) {
  Json list = Json::array();
  for (const auto& [flag, value] : flags) {
    list.push_back({{"flag", flag}, {"symbol", symbol_of(rule, flag)}, {"value", value}});
  }
  return list;
}

Json lookup_json(const Lookup& lookup, const RuleOptions& rule) {
  const auto flags = flags_of(lookup.match);
  Json object = {{"rule", lookup.rule},
                 {"server", lookup.server},
                 {"part", lookup.hash.part},
                 {"kind", mime::to_string(lookup.hash.kind)},
                 {"method", mime::to_string(lookup.hash.method)},
                 {"digest", to_hex(lookup.hash.fingerprint.digest.bytes)},
                 {"result", rules::to_string(lookup.outcome)},
                 {"flag", nullptr},
                 {"symbol", nullptr},
                 {"value", nullptr},
                 {"prob", lookup.probability},
                 {"matched", nullptr},
                 {"slots", nullptr},
                 {"created", nullptr},
                 {"time", static_cast<double>(lookup.time.count()) / 1e6}};
  if (!is_hit(lookup)) return object;
  object["flag"] = flags.front().flag;
  object["symbol"] = symbol_of(rule, flags.front().flag);
  object["value"] = flags.front().value;
  object["matched"] = to_hex(lookup.match.digest.bytes);
  object["slots"] = lookup.match.slots;
  if (lookup.match.created != 0) object["created"] = lookup.match.created;
  object["flags"] = flags_json(rule, flags);
  return object;
}

Json findings_json(const rules::Findings& findings) {
  Json hits = Json::array();
  for (const Evidence& item : findings.evidence) {
    Json& hit = hits.emplace_back(Json::object());
    for (const rules::Detail& detail : item.explanation().details) {
      std::visit([&](const auto& value) { hit[std::string(detail.name)] = value; }, detail.value);
    }
  }
  if (findings.source->title.empty()) return hits;
  if (!findings.asked) return nullptr;
  Json object = Json::object();
  for (const rules::Figure& figure : findings.figures) {
    if (figure.label.empty()) object[std::string(figure.name)] = figure.amount;
  }
  object["notes"] = findings.notes;
  object["hits"] = std::move(hits);
  return object;
}

Json sum_json(const rules::Verdict& verdict) {
  Json out = Json::array();
  for (const rules::Symbol& symbol : verdict.symbols)
    out.push_back({{"symbol", symbol.name}, {"score", symbol.score}});
  return out;
}

void put_changes(const actions::Decision& decision, Json& object) {
  Json headers = Json::array();
  Json removed = Json::array();
  for (const actions::HeaderEdit& edit : decision.edits) {
    if (edit.kind == actions::HeaderEdit::Kind::kAdd) {
      headers.push_back({{"name", edit.name}, {"value", edit.value}});
    } else {
      removed.push_back({{"name", edit.name}, {"index", edit.index}});
    }
  }
  object["headers"] = std::move(headers);
  object["removed"] = std::move(removed);
  object["reply"] = nullptr;
  if (const auto& reply = decision.reply)
    object["reply"] = reply->code + " " + reply->enhanced_code + " " + reply->text;
}

void put_bounds(const rules::Facts& facts, Json& object) {
  object["defects"] = facts.defects;
  object["unasked"] = facts.unasked;
  object["incomplete"] =
      facts.incomplete || std::ranges::any_of(facts.findings, &rules::Findings::incomplete);
  object["time"] = static_cast<double>(facts.time.count()) / 1e6;
}

Json scan_json(const Scanned& scanned) {
  const rules::Facts& facts = scanned.facts;
  const rules::Verdict& verdict = scanned.decision.verdict;
  Json symbols = Json::array();
  for (const rules::Findings& findings : facts.findings) {
    for (const Evidence& item : findings.evidence)
      symbols.push_back(evidence_json(item, findings, facts));
  }
  Json out = {{"action", rules::to_string(verdict.action)},
              {"reason", verdict.reason},
              {"score", verdict.score},
              {"dry_run", scanned.settings.milter.dry_run},
              {"required", required_json(scanned.settings.milter.actions)},
              {"symbols", std::move(symbols)},
              {"sum", sum_json(verdict)},
              {"rules", rules_json(scanned)},
              {"features", features_json(facts.features)},
              {"names", names_json(facts.names)},
              {"counters", counters_json(facts.counters)}};
  put_lookups(scanned, out);
  put_changes(scanned.decision, out);
  out["truncated"] = facts.truncated;
  out["model"] = model_json(facts.model.get());
  put_bounds(facts, out);
  return out;
}

}  // namespace shingled::milter::view
