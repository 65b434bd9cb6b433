#include "milter/api/messages/effect_json.h"

#include <nlohmann/json.hpp>
#include <string>

#include "milter/replay/history_span.h"

namespace shingled::milter::api {

namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

Json effect_json(const replay::PastEffect& effect) {
  Json examples = Json::array();
  for (const replay::PastChange& one : effect.examples) {
    examples.push_back({{"id", one.id},
                        {"time", replay::moment_text(one.time)},
                        {"sender", text_or_null(one.sender)},
                        {"subject", text_or_null(one.subject)},
                        {"action", rules::to_string(one.from)},
                        {"would_be", rules::to_string(one.to)},
                        {"score", one.score_from},
                        {"would_score", one.score_to}});
  }
  return {{"since", replay::moment_text(effect.since)},
          {"messages", effect.messages},
          {"matched", effect.met},
          {"would_change", effect.changed},
          {"examples", std::move(examples)},
          {"unknown", effect.unknown}};
}

Json unknown_effect_json(std::string_view why) {
  return {{"off", why},         {"since", nullptr},        {"messages", 0},
          {"matched", nullptr}, {"would_change", nullptr}, {"examples", Json::array()},
          {"unknown", nullptr}};
}

}  // namespace shingled::milter::api
