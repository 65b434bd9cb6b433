#include "milter/api/counters/counter_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "milter/api/counters/counter_json.h"
#include "milter/api/counters/counter_lines.h"
#include "milter/api/counters/counter_request.h"
#include "milter/api/counters/counter_top.h"
#include "milter/api/reply.h"
#include "storage/counters/counter_key.h"

namespace shingled::milter::api {

namespace {

using storage::counters::CounterKey;
using storage::counters::CounterStore;
using storage::counters::Direction;
using storage::counters::Entry;
using storage::counters::Window;
using Field = CounterField;

constexpr const char* kJsonType = "application/json";
constexpr unsigned kOk = 200;
constexpr unsigned kWrongRequest = 400;
constexpr std::size_t kExportPieceBytes = 64UL * 1024;

std::vector<CounterKey> keys_of(const CounterRequest& request) {
  std::vector<CounterKey> keys;
  keys.reserve(request.pieces.size());
  for (const RequestedPiece& piece : request.pieces) keys.push_back(piece.key);
  return keys;
}

/// One request, and what it needs.
struct CounterCall {
  SiteCounters counters;
  CounterResource::Names names;
  const Clock& clock;
  std::string body;
  std::stop_token stop;

  [[nodiscard]] CounterStore& store() const { return *counters.store; }
  [[nodiscard]] TimePoint deadline() const { return clock.now() + CounterResource::kPatience; }
  [[nodiscard]] TimePoint long_deadline() const {
    return clock.now() + CounterResource::kLongPatience;
  }
  [[nodiscard]] Result<CounterRequest> read(const CounterForm& form) const {
    return parse_counter_request(body, form, counters.key);
  }
};

http::HttpReply ask_counters(const CounterCall& call, CounterRequest& request) {
  if (request.windows.empty()) {
    for (const char* window : {"10m", "1h", "1d", "14d"})
      request.windows.push_back(storage::counters::parse_window(window).value());
  }
  const auto answers = call.store().ask(keys_of(request), request.windows, call.deadline());
  return {kOk, kJsonType, answers_json(request.pieces, request.windows, answers)};
}

http::HttpReply ask_page(const CounterCall& call) {
  constexpr CounterForm kForm = {{Field::kSpace, Field::kPieces, Field::kWindows},
                                 {Field::kPieces}};
  auto request = call.read(kForm);
  return request ? ask_counters(call, *request) : problem(request.error());
}

http::HttpReply add_page(const CounterCall& call) {
  constexpr CounterForm kForm = {
      {Field::kSpace, Field::kPieces, Field::kAdd}, {Field::kPieces, Field::kAdd}, true};
  const auto request = call.read(kForm);
  if (!request) return problem(request.error());
  const Status added = call.store().add(request->addition(), call.deadline());
  return added ? json_reply({{"added", request->pieces.size()}}) : problem(added.error());
}

http::HttpReply take_page(const CounterCall& call) {
  constexpr CounterForm kForm = {{Field::kSpace, Field::kPieces, Field::kWindows, Field::kAdd},
                                 {Field::kPieces, Field::kAdd},
                                 true};
  auto request = call.read(kForm);
  if (!request) return problem(request.error());
  http::HttpReply reply = ask_counters(call, *request);
  const Status added = call.store().add(request->addition(), call.deadline());
  return added ? reply : problem(added.error());
}

/// One object for each window.
Json said_json(std::span<const storage::people::PeopleSums> sums) {
  Json list = Json::array();
  for (const storage::people::PeopleSums& said : sums)
    list.push_back({{"complainers", said.complainers},
                    {"rescuers", said.rescuers},
                    {"own_complaint", said.own_complaint},
                    {"own_rescue", said.own_rescue},
                    {"complaint", said.complaints},
                    {"rescue", said.rescues}});
  return list;
}

/// The people of the addresses, sorted, each once.
std::vector<std::uint64_t> persons_of(const CounterCall& call,
                                      std::span<const std::string> recipients) {
  std::vector<std::uint64_t> out;
  if (!call.counters.person) return out;
  for (const std::string& recipient : recipients) out.push_back(call.counters.person(recipient));
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

http::HttpReply people_page(const CounterCall& call) {
  constexpr CounterForm kForm = {
      {Field::kSpace, Field::kPieces, Field::kWindows, Field::kRecipients},
      {Field::kPieces},
      /*adds=*/false,
      /*long_windows=*/true};
  auto request = call.read(kForm);
  if (!request) return problem(request.error());
  if (call.counters.people == nullptr)
    return problem({ErrorCode::kUnavailable, "what people said is not known"});
  std::vector<Window>& windows = request->windows;
  if (windows.empty())
    windows.push_back({storage::counters::Period::Unit::kDay, storage::counters::kSaidDaysMax, 0});
  std::vector<std::uint64_t> signs;
  for (const CounterKey& key : keys_of(*request))
    for (const bool proved : {false, true}) signs.push_back(storage::people::sign_of(key, proved));
  const auto voices = call.counters.people->ask(signs, call.deadline());
  if (!voices) return problem(voices.error());
  const std::vector<std::uint64_t> persons = persons_of(call, request->recipients);
  std::vector<std::vector<storage::people::PeopleSums>> sums;
  for (const storage::people::Voices& of_sign : *voices) {
    auto& said = sums.emplace_back(windows.size());
    storage::people::sum_voices(of_sign, windows, call.clock.wall(), persons, call.counters.weights,
                                said);
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < request->pieces.size(); ++i) {
    const CounterKey& key = request->pieces[i].key;
    list.push_back({{"type", to_string(key.type)},
                    {"shingle", shingle_text(key.shingle)},
                    {"said", said_json(sums[2 * i])},
                    {"said_of_proved", said_json(sums[2 * i + 1])}});
  }
  Json texts = Json::array();
  for (const Window& window : windows) texts.push_back(storage::counters::to_string(window));
  return json_reply({{"windows", std::move(texts)},
                     {"recipients", persons.size()},
                     {"counters", std::move(list)}});
}

http::HttpReply series_page(const CounterCall& call) {
  constexpr CounterForm kForm = {{Field::kSpace, Field::kPieces}, {Field::kPieces}};
  const auto request = call.read(kForm);
  if (!request) return problem(request.error());
  std::vector<std::vector<Entry>> found;
  for (const CounterKey& key : keys_of(*request)) {
    auto entries = call.store().series(key, call.deadline());
    if (!entries) return problem(entries.error());
    found.push_back(*std::move(entries));
  }
  return {kOk, kJsonType, series_json(call.store().present_slot(), request->pieces, found)};
}

http::HttpReply top_page(const CounterCall& call) {
  constexpr CounterForm kForm = {
      {Field::kSpace, Field::kType, Field::kMeasure, Field::kWindow, Field::kRising, Field::kMost},
      {}};
  const auto request = call.read(kForm);
  if (!request) return problem(request.error());
  const TopQuestion question{request->direction, request->type,   request->measure,
                             request->window,    request->rising, request->most};
  const auto found = find_top(call.store(), question, call.stop);
  if (!found) return problem(found.error());
  Json list = Json::array();
  for (const TopCounter& counter : *found) {
    Json one = {{"space", to_string(counter.key.direction)},
                {"type", to_string(counter.key.type)},
                {"shingle", shingle_text(counter.key.shingle)},
                {"piece", nullptr},
                {"count", counter.count}};
    if (call.names) {
      if (auto text = call.names(counter.key.type, counter.key.shingle))
        one["piece"] = *std::move(text);
    }
    if (question.rising) one["before"] = counter.before;
    list.push_back(std::move(one));
  }
  return json_reply({{"counters", std::move(list)}});
}

http::HttpReply forget_page(const CounterCall& call) {
  constexpr CounterForm kForm = {{Field::kSpace, Field::kPieces}, {Field::kPieces}};
  const auto request = call.read(kForm);
  if (!request) return problem(request.error());
  std::vector<CounterKey> keys = keys_of(*request);
  const std::size_t count = keys.size();
  for (std::size_t i = 0; !request->direction && i < count; ++i)
    keys.push_back({keys[i].shingle, keys[i].type, Direction::kOut});
  const Status done = call.store().forget(keys, call.long_deadline());
  return done ? json_reply({{"forgotten", keys.size()}}) : problem(done.error());
}

http::HttpReply learn_page(const CounterCall& call) {
  constexpr CounterForm kForm = {{Field::kAdditions}, {Field::kAdditions}, true};
  const auto request = call.read(kForm);
  if (!request) return problem(request.error());
  const storage::counters::Slot present = call.store().present_slot();
  for (std::size_t i = 0; i < request->additions.size(); ++i) {
    if (request->additions[i].slot > present)
      return problem(kWrongRequest, fmt::format("additions[{}].time: is in the future", i));
  }
  const Status done = call.store().learn(request->additions, call.long_deadline());
  return done ? json_reply({{"learnt", request->additions.size()}}) : problem(done.error());
}

http::HttpReply import_page(const CounterCall& call) {
  std::string_view lines = call.body;
  if (const auto mark = take_mark_line(lines)) {
    const std::uint64_t ours = storage::counters::key_mark(call.counters.key);
    if (!*mark) return problem(mark->error());
    if (**mark != ours)
      return problem(kWrongRequest, storage::counters::other_key_error("the export", **mark, ours));
  }
  const auto found = parse_count_lines(lines, call.store().present_slot());
  if (!found) return problem(found.error());
  const Status done = call.store().import(*found, call.long_deadline());
  return done ? json_reply({{"imported", found->size()}}) : problem(done.error());
}

http::HttpReply verify_page(const CounterCall& call) {
  const auto asked = Json::parse(call.body, nullptr, /*allow_exceptions=*/false);
  const bool repairs = asked.is_object() && asked.contains("repair") && asked["repair"] == true;
  Status done = repairs ? call.store().repair(call.stop) : Status();
  if (done) done = call.store().verify(call.stop);
  if (done) {
    Json page = {{"ok", true}};
    const auto losses = call.store().losses();
    if (!losses.empty()) {
      const auto last = std::ranges::max(losses, {}, &storage::counters::CounterLoss::day_last);
      page["lost_files"] = losses.size();
      page["unknown_until"] =
          storage::counters::date_text(last.day_last + storage::counters::kDaysKept);
    }
    return json_reply(page);
  }
  if (done.error().code != ErrorCode::kCorrupt) return problem(done.error());
  return json_reply({{"ok", false}, {"error", done.error().message}});
}

http::HttpReply export_page(const CounterCall& call) {
  auto opened = call.store().scan();
  if (!opened) return problem(opened.error());
  // The store lives as long as the cursor, so it is named first.
  struct Export {
    std::shared_ptr<CounterStore> store;
    std::unique_ptr<storage::counters::CounterCursor> cursor;
    std::uint64_t mark;
    bool begun = false;
    bool ended = false;
  };
  auto work = std::make_shared<Export>(Export{call.counters.store, *std::move(opened),
                                              storage::counters::key_mark(call.counters.key)});
  http::HttpReply reply{kOk, "application/jsonl"};
  reply.more = [work]() -> Result<std::string> {
    std::string lines;
    while (!work->ended && lines.size() < kExportPieceBytes) {
      const auto next = work->cursor->next();
      if (!next) return next.error();
      work->ended = *next == nullptr;
      if (work->ended) break;
      if (!std::exchange(work->begun, true)) append_mark_line(work->mark, lines);
      append_count_lines(**next, lines);
    }
    return lines;
  };
  return reply;
}

http::HttpReply counted(http::HttpReply reply, CounterRequests& requests) {
  constexpr unsigned kRefused = 400;
  constexpr unsigned kFailed = 500;
  EventCount& of = reply.status >= kFailed    ? requests.failed
                   : reply.status >= kRefused ? requests.refused
                                              : requests.answered;
  of.add();
  return reply;
}

}  // namespace

std::vector<Route> CounterResource::routes() const {
  using http::HttpMethod;
  using http::Right;
  using Pace = Route::Pace;
  constexpr std::string_view kCounterJson = "application/json";
  const auto with = [this](http::HttpReply (*answer)(const CounterCall&)) {
    return [this, answer](const Call& call) {
      const CounterCall asked{counters_(), names_, clock_, call.request.body, call.stop};
      if (asked.counters.store != nullptr) return counted(answer(asked), *requests_);
      const std::string& why = asked.counters.why_off;
      return counted(problem({ErrorCode::kUnavailable,
                              why.empty() ? "counters are off" : "counters are off: " + why}),
                     *requests_);
    };
  };
  const auto post = [&](std::string_view path, Right right, Pace pace, std::string_view summary,
                        std::string_view members, http::HttpReply (*answer)(const CounterCall&)) {
    return Route{HttpMethod::kPost, path,    right,       pace, summary, {},
                 kCounterJson,      members, with(answer)};
  };
  return {
      post("/api/1/counters/ask", Right::kAsk, Pace::kAtOnce, "How often pieces were seen.",
           "windows counters", &ask_page),
      post("/api/1/counters/add", Right::kCount, Pace::kAtOnce, "Adds to the counters of pieces.",
           "added", &add_page),
      post("/api/1/counters/take", Right::kCount, Pace::kAtOnce, "Asks, and then adds.",
           "windows counters", &take_page),
      post("/api/1/counters/people", Right::kAsk, Pace::kAtOnce, "What people said of pieces.",
           "windows recipients counters", &people_page),
      post("/api/1/counters/series", Right::kAsk, Pace::kLater, "All that is kept of counters.",
           "now counters", &series_page),
      post("/api/1/counters/top", Right::kRead, Pace::kLater, "The greatest or rising counters.",
           "counters", &top_page),
      post("/api/1/counters/forget", Right::kChange, Pace::kLater, "Removes counters.", "forgotten",
           &forget_page),
      post("/api/1/counters/learn", Right::kChange, Pace::kLater, "Adds what happened earlier.",
           "learnt", &learn_page),
      Route{HttpMethod::kGet,
            "/api/1/counters/export",
            Right::kRead,
            Pace::kLater,
            "All counters, a line of JSON each.",
            {},
            "",
            "",
            with(&export_page)},
      Route{HttpMethod::kPost,
            "/api/1/counters/import",
            Right::kChange,
            Pace::kLater,
            "Adds the counters of an export.",
            {},
            "application/jsonl",
            "imported",
            with(&import_page)},
      post("/api/1/counters/verify", Right::kChange, Pace::kLater, "Checks all that is stored.",
           "ok", &verify_page),
  };
}

}  // namespace shingled::milter::api
