#include "milter/desk/counters/counter_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace shingled::milter::desk {

namespace {

using storage::counters::Measure;
using storage::counters::Period;

constexpr std::chrono::seconds kAnswerPatience{30};
/// A search through all counters, or a change of many.
constexpr std::chrono::minutes kSearchPatience{10};
constexpr std::chrono::hours kVerifyPatience{6};
constexpr std::size_t kAnswerBytesMax = 256UL * 1024 * 1024;

Error nonsense(std::string_view page) {
  return {ErrorCode::kCorrupt, fmt::format("the answer of {} makes no sense", page)};
}

/// A member of an object; null if it is not there.
const Json* member(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? nullptr : &*found;
}

std::string text_of(const Json& object, const char* name) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

/// 0 if it is not there, or not such a number.
std::uint64_t count_of(const Json& object, const char* name) {
  const Json* value = member(object, name);
  return value != nullptr && value->is_number_unsigned() ? value->get<std::uint64_t>() : 0;
}

Amounts amounts_of(const Json& object) {
  Amounts amounts;
  for (std::size_t i = 0; i < storage::counters::kMeasures; ++i) {
    const std::string name(to_string(static_cast<Measure>(i)));
    amounts.counts[i] = std::min(count_of(object, name.c_str()), storage::counters::kCountMax);
  }
  return amounts;
}

/// The array `counters` of an answer with `count` elements; nullptr otherwise.
const Json* counters_in(const Json& answer, std::optional<std::size_t> count) {
  const Json* list = member(answer, "counters");
  if (list == nullptr || !list->is_array() || (count && list->size() != *count)) return nullptr;
  return list;
}

/// The two texts of a pair.
std::optional<std::string> joined(const Json& pair) {
  if (pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) return std::nullopt;
  return pair[0].get<std::string>() + " + " + pair[1].get<std::string>();
}

Json direction_json(Direction direction) { return std::string(to_string(direction)); }

std::string body_text(const Json& body) {
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Json amounts_json(const Amounts& amounts) {
  Json object = Json::object();
  for (std::size_t i = 0; i < storage::counters::kMeasures; ++i) {
    if (amounts.counts[i] == 0) continue;
    object[std::string(to_string(static_cast<Measure>(i)))] = amounts.counts[i];
  }
  return object;
}

Result<Json> CounterClient::post(const std::string& page, std::string body, Duration patience) {
  std::string answer;
  const Status sent =
      desk_.send({.method = http::HttpMethod::kPost, .target = page, .body = std::move(body)},
                 patience, [&](std::string_view piece) -> Status {
                   if (answer.size() + piece.size() > kAnswerBytesMax) {
                     return Error{ErrorCode::kLimit, "the answer is too long"};
                   }
                   answer += piece;
                   return {};
                 });
  if (!sent) return sent.error();
  Json object = Json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return nonsense(page);
  return object;
}

Result<Json> CounterClient::post(const std::string& page, const Json& body) {
  return post(page, body_text(body), kAnswerPatience);
}

Result<std::uint64_t> CounterClient::number_of(const std::string& page, std::string body,
                                               const char* name) {
  const auto answer = post(page, std::move(body), kSearchPatience);
  if (!answer) return answer.error();
  const Json* value = member(*answer, name);
  if (value == nullptr || !value->is_number_unsigned()) return nonsense(page);
  return value->get<std::uint64_t>();
}

Result<std::vector<AskedCounter>> CounterClient::ask(Direction direction, const Json& pieces,
                                                     std::span<const std::string> windows) {
  const auto answer =
      post("/api/1/counters/ask",
           Json{{"space", direction_json(direction)}, {"pieces", pieces}, {"windows", windows}});
  if (!answer) return answer.error();
  const Json* list = counters_in(*answer, pieces.size());
  if (list == nullptr) return nonsense("/api/1/counters/ask");
  std::vector<AskedCounter> out;
  for (const Json& counter : *list) {
    if (!counter.is_object()) return nonsense("/api/1/counters/ask");
    AskedCounter& asked = out.emplace_back();
    asked.shingle = text_of(counter, "shingle");
    const Json* known = member(counter, "known");
    asked.known = known != nullptr && known->is_boolean() && known->get<bool>();
    const Json* sums = member(counter, "sums");
    if (sums == nullptr || !sums->is_array()) {
      if (asked.known) return nonsense("/api/1/counters/ask");
      asked.sums.resize(windows.size());
      asked.lost.assign(windows.size(), true);
      continue;
    }
    for (const Json& sum : *sums) {
      asked.sums.push_back(sum.is_object() ? amounts_of(sum) : Amounts{});
      asked.lost.push_back(!sum.is_object());
    }
    if (asked.known && asked.sums.size() != windows.size()) return nonsense("/api/1/counters/ask");
    asked.sums.resize(windows.size());
    asked.lost.resize(windows.size(), !asked.known);
    // Nothing says what is lost: then it is all, as older daemons mean it.
    const bool says_what = std::ranges::find(asked.lost, true) != asked.lost.end();
    if (!asked.known && !says_what) asked.lost.assign(windows.size(), true);
  }
  return out;
}

Result<std::vector<SaidOfPiece>> CounterClient::people(Direction direction, const Json& pieces,
                                                       std::span<const std::string> windows,
                                                       std::span<const std::string> recipients) {
  constexpr const char* kPage = "/api/1/counters/people";
  Json question{{"space", direction_json(direction)}, {"pieces", pieces}, {"windows", windows}};
  // A daemon before them does not take the member.
  if (!recipients.empty()) question["recipients"] = recipients;
  const auto answer = post(kPage, question);
  if (!answer) return answer.error();
  const std::uint64_t persons = count_of(*answer, "recipients");
  const Json* list = counters_in(*answer, pieces.size());
  if (list == nullptr) return nonsense(kPage);
  std::vector<SaidOfPiece> out;
  for (const Json& counter : *list) {
    SaidOfPiece& piece = out.emplace_back();
    for (const auto& [name, sums] :
         {std::pair("said", &piece.unproved), std::pair("said_of_proved", &piece.proved)}) {
      const Json* said = member(counter, name);
      if (said == nullptr || !said->is_array() || said->size() != windows.size())
        return nonsense(kPage);
      for (std::size_t w = 0; w < windows.size(); ++w) {
        features::Sums& of_window = sums->emplace_back();
        of_window.of(Measure::kComplainers) = count_of((*said)[w], "complainers");
        of_window.of(Measure::kRescuers) = count_of((*said)[w], "rescuers");
        of_window.of(Measure::kOwnComplaint) = count_of((*said)[w], "own_complaint");
        of_window.of(Measure::kOwnRescue) = count_of((*said)[w], "own_rescue");
        of_window.recipients = persons;
        if (storage::counters::parse_window(windows[w])) continue;  // counters know better
        of_window.of(Measure::kComplaint) = count_of((*said)[w], "complaint");
        of_window.of(Measure::kRescue) = count_of((*said)[w], "rescue");
      }
    }
  }
  return out;
}

Result<CounterHistory> CounterClient::history(Direction direction, const Json& piece) {
  const auto answer = post("/api/1/counters/series", Json{{"space", direction_json(direction)},
                                                          {"pieces", Json::array({piece})}});
  if (!answer) return answer.error();
  const Json* list = counters_in(*answer, 1);
  const Json* entries = list == nullptr ? nullptr : member(list->front(), "entries");
  if (entries == nullptr || !entries->is_array()) return nonsense("/api/1/counters/series");
  CounterHistory out;
  out.now = static_cast<storage::counters::Slot>(count_of(*answer, "now"));
  for (const Json& entry : *entries) {
    const auto unit = text_of(entry, "unit") == "1d" ? Period::Unit::kDay : Period::Unit::kSlot;
    out.entries.push_back(
        {{unit, static_cast<std::uint32_t>(count_of(entry, "number"))}, amounts_of(entry)});
  }
  return out;
}

Result<std::vector<TopCounter>> CounterClient::top(const TopQuestion& question) {
  Json body = {{"measure", std::string(to_string(question.measure))},
               {"window", question.window},
               {"rising", question.rising},
               {"most", question.most}};
  if (question.direction) body["space"] = direction_json(*question.direction);
  if (question.type) body["type"] = *question.type;
  const auto answer = post("/api/1/counters/top", body_text(body), kSearchPatience);
  if (!answer) return answer.error();
  const Json* list = counters_in(*answer, std::nullopt);
  if (list == nullptr) return nonsense("/api/1/counters/top");
  std::vector<TopCounter> out;
  for (const Json& counter : *list) {
    TopCounter& one = out.emplace_back();
    one.direction = text_of(counter, "space");
    one.type = text_of(counter, "type");
    one.shingle = text_of(counter, "shingle");
    const Json* piece = member(counter, "piece");
    if (piece != nullptr && piece->is_string()) one.piece = piece->get<std::string>();
    if (piece != nullptr && piece->is_array()) one.piece = joined(*piece);
    one.count = count_of(counter, "count");
    one.before = count_of(counter, "before");
  }
  return out;
}

Result<std::uint64_t> CounterClient::add(Direction direction, const Json& pieces,
                                         const Amounts& amounts) {
  return number_of("/api/1/counters/add",
                   body_text({{"space", direction_json(direction)},
                              {"pieces", pieces},
                              {"add", amounts_json(amounts)}}),
                   "added");
}

Result<std::uint64_t> CounterClient::forget(std::optional<Direction> direction,
                                            const Json& pieces) {
  Json body = {{"pieces", pieces}};
  if (direction) body["space"] = direction_json(*direction);
  return number_of("/api/1/counters/forget", body_text(body), "forgotten");
}

Result<std::uint64_t> CounterClient::learn(const std::string& additions) {
  return number_of("/api/1/counters/learn", "{\"additions\":[" + additions + "]}", "learnt");
}

Status CounterClient::export_to(const http::HttpTaker& take) {
  return desk_.send({.method = http::HttpMethod::kGet, .target = "/api/1/counters/export"},
                    kSearchPatience, take);
}

Result<std::uint64_t> CounterClient::import_from(std::string lines) {
  return number_of("/api/1/counters/import", std::move(lines), "imported");
}

Result<Json> CounterClient::verify(bool repair) {
  return post("/api/1/counters/verify", repair ? R"({"repair":true})" : "{}", kVerifyPatience);
}

}  // namespace shingled::milter::desk
