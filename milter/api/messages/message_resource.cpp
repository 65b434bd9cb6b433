#include "milter/api/messages/message_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "config/base/byte_reader.h"
#include "milter/api/messages/report_resource.h"
#include "milter/api/reply.h"
#include "milter/history/message_record.h"
#include "milter/history/message_search.h"
#include "milter/http/endpoint.h"
#include "milter/replay/history_span.h"
#include "milter/reports/kept_code.h"
#include "milter/view/message_json.h"
#include "milter/view/model_json.h"

namespace shingled::milter::api {

namespace {

using history::FoundMessage;
using history::MessageQuery;

constexpr unsigned kNotHere = 404;
constexpr unsigned kConflict = 409;

/// Errors: kInvalid.
Result<MessageQuery> query_of(const Call& call, const CounterKeyBytes& site, WallTime now) {
  MessageQuery query;
  const auto span = replay::span_of({call.text("since"), call.text("until")}, now);
  if (!span) {
    Error error = span.error();
    error.message.erase(0, error.message.find_first_not_of('-'));  // of a command
    return error;
  }
  query.span = *span;
  query.span.until = std::min(query.span.until, call.integer("cursor", query.span.until));
  query.queue_id = call.text("id");
  query.sender = call.text("sender");
  if (const std::uint64_t id = history::sender_id(site, query.sender); id != 0)
    query.sender_id = id;
  query.recipient = call.text("recipient");
  query.subject = call.text("subject");
  query.symbol = call.text("symbol");
  query.action = call.text("action");
  query.label = call.text("label");
  if (call.has("digest")) {
    auto digest = history::parse_digest_part(call.text("digest"));
    if (!digest) return digest.error();
    query.digest = *std::move(digest);
  }
  return query;
}

/// What somebody wants to know of the one message with a name; else why there is none.
// NOLINTNEXTLINE(bugprone-exception-escape): JSON that is moved throws nothing
struct Named {
  std::optional<http::HttpReply> why_not;
  Json whole;             ///< view::whole_message_json
  std::int64_t time = 0;  ///< of its row
  bool is_kept = false;
};

Named find_one(storage::sqlite::HistoryReader& reader, const std::string& name,
               const MessageResource::WordOf& word_of = {}) {
  Named out;
  std::size_t found = 0;
  std::string all;
  const auto broken = history::find_named(reader, name, [&](const FoundMessage& message) {
    if (++found == 1) {
      out.whole = view::whole_message_json(message);
      const auto word = word_of ? word_of(message.record) : nullptr;
      out.whole["model"] = view::model_json(word.get());
      out.time = message.row.time;
      out.is_kept = message.row.is_kept;
    }
    if (found > MessageResource::kNamedMost) return;
    all += fmt::format("{}{} ({}, {})", found == 1 ? "" : ", ", history::message_name(message.row),
                       replay::moment_text(message.row.time),
                       history::action_text(message.row.action));
  });
  if (!broken) {
    out.why_not = problem(broken.error());
  } else if (found > 1) {
    out.why_not = problem(
        kConflict, fmt::format("{} messages had this queue id; name one of them: {}{}", found, all,
                               found > MessageResource::kNamedMost ? " ..." : ""));
  } else if (found == 0 && *broken > 0) {
    out.why_not = problem({ErrorCode::kCorrupt, "the row of this message cannot be read"});
  } else if (found == 0) {
    out.why_not = problem({ErrorCode::kNotFound,
                           "the history has no message with this queue id; it was judged by "
                           "another host, or is older than history.keep"});
  }
  return out;
}

}  // namespace

http::HttpReply with_one_message(
    storage::sqlite::HistoryReader& reader, const std::string& name,
    const std::function<http::HttpReply(std::int64_t time, bool is_kept)>& use) {
  Named found = find_one(reader, name);
  return found.why_not ? *std::move(found.why_not) : use(found.time, found.is_kept);
}

http::HttpReply MessageResource::list(const Call& call) const {
  const auto opened = open_();
  if (!opened) return problem(opened.error());
  const auto query = query_of(call, opened->site, clock_.wall());
  if (!query) return problem(query.error());
  Json messages = Json::array();
  const auto most = static_cast<std::size_t>(call.integer("most", 100));
  const auto end = history::find_messages(*opened->reader, *query, {most, kLookedMost},
                                          [&](const FoundMessage& message) {
                                            messages.push_back(view::message_json(message));
                                            return !call.stop.stop_requested();
                                          });
  if (!end) return problem(end.error());
  Json page = {{"messages", std::move(messages)},
               {"next", end->next ? Json(*end->next) : Json(nullptr)},
               {"broken", end->broken}};
  if (!call.flag("peers")) return json_reply(page);
  std::optional<std::int64_t> cursor;
  if (call.has("cursor")) cursor = call.integer("cursor", 0);
  return json_reply(merged_messages(std::move(page), peers_.own_host,
                                    ask_others(call, "/api/1/messages"), most, cursor));
}

http::HttpReply MessageResource::named(const Call& call) const {
  const auto opened = open_();
  if (!opened) return problem(opened.error());
  Json messages = Json::array();
  const auto broken =
      history::find_named(*opened->reader, call.text("id"), [&](const FoundMessage& message) {
        if (messages.size() < kMessagesMost) messages.push_back(view::whole_message_json(message));
      });
  if (!broken) return problem(broken.error());
  return json_reply({{"messages", std::move(messages)}, {"broken", *broken}});
}

std::vector<PeerAnswer> MessageResource::ask_others(const Call& call, std::string_view path) const {
  if (!peers_.ask || call.stop.stop_requested()) return {};
  return peers_.ask(peer_target(call, path));
}

http::HttpReply MessageResource::from_others(const Call& call, http::HttpReply why_not) const {
  const auto answers = ask_others(call, "/api/1/messages/" + http::percent_encoded(call.part));
  if (answers.empty()) return why_not;
  const ElsewhereFound others = found_elsewhere(answers);
  if (others.found.size() == 1) return json_reply(others.found.front());
  if (others.found.empty()) {
    const std::string rest =
        others.missing.empty() ? "" : "; could not be asked: " + others.missing;
    return problem(why_not.status, error_of(why_not).message + rest);
  }
  std::string all;
  for (const Json& one : others.found)
    all += (all.empty() ? "" : ", ") + one.value("id", "") + " at " + one.value("host", "");
  return problem(kConflict, "several hosts had this queue id; name one of them: " + all);
}

http::HttpReply MessageResource::one(const Call& call) const {
  const auto opened = open_();
  if (!opened) return problem(opened.error());
  Named found = find_one(*opened->reader, call.part, word_of_);
  const bool asks_others = call.text("peers") != "no";
  if (found.why_not && found.why_not->status == kNotHere && asks_others)
    return from_others(call, *std::move(found.why_not));
  if (found.why_not) return *std::move(found.why_not);
  if (peers_.ask && asks_others) found.whole["host"] = peers_.own_host;
  return json_reply(found.whole);
}

http::HttpReply MessageResource::report(const Call& call) const {
  const auto opened = open_();
  if (!opened) return problem(opened.error());
  Named found = find_one(*opened->reader, call.part);
  if (found.why_not) return *std::move(found.why_not);
  const auto bytes = found.is_kept ? opened->reader->kept(found.time) : Result<Bytes>(Bytes());
  if (!bytes) return problem(bytes.error());
  if (bytes->empty()) {
    return problem(kConflict,
                   fmt::format("nothing is kept of this message of {} that could be reported: it "
                               "is older than history.act_for, it was not looked at as a whole, "
                               "or reports were off; report the message itself",
                               replay::moment_text(found.time)));
  }
  const auto kept = reports::decode_kept(*bytes, opened->site);
  if (!kept && kept.error().code == ErrorCode::kInvalid)
    return problem(kConflict, kept.error().message + "; report the message itself");
  if (!kept) return problem(kept.error());
  if (!home_.url.empty()) {
    const std::string reporter = call.text("reporter");
    return home_.send({report_kind(call), reporter, as_text(*bytes), true});
  }
  return report_reply(desk_.take({.kind = report_kind(call),
                                  .reporter = call.text("reporter"),
                                  .message = {},
                                  .kept = &*kept}));
}

std::vector<Route> MessageResource::routes() const {
  using http::HttpMethod;
  using http::Right;
  using Kind = Parameter::Kind;
  constexpr std::int64_t kTimeMost = INT64_MAX;
  return {
      {HttpMethod::kGet,
       "/api/1/messages",
       Right::kRead,
       Route::Pace::kLater,
       "Messages of the history, the newest first.",
       {{"since", "a time ago such as 7d, or a moment such as 2026-11-23T22:10 (UTC)"},
        {"until", "the same"},
        {"sender", "an address, or a part of one"},
        {"recipient", "a part of an address"},
        {"subject", "a part"},
        {"symbol", "of its evidence"},
        {"action",
         "of the verdict",
         Kind::kWord,
         false,
         0,
         0,
         {"pass", "add_header", "tempfail", "quarantine", "reject", "discard"}},
        {"label", "what people said", Kind::kWord, false, 0, 0, {"spam", "ham", "none"}},
        {"id", "a queue id"},
        {"digest", "16 or more digits of a hash of it, while it can be reported"},
        {"cursor", "\"next\" of the page before", Kind::kInteger, false, 0, kTimeMost},
        {"most", "in the answer", Kind::kInteger, false, 1, kMessagesMost},
        {"peers", "also those of the daemons of history.peers", Kind::kFlag}},
       "",
       "messages next broken",
       [this](const Call& call) { return list(call); }},
      {HttpMethod::kGet,
       "/api/1/messages/named",
       Right::kRead,
       Route::Pace::kLater,
       "All messages that had a queue id, each with all that is known of it.",
       {{"id", "a queue id, or the id of a message", Kind::kText, true}},
       "",
       "messages broken",
       [this](const Call& call) { return named(call); }},
      {HttpMethod::kGet,
       "/api/1/messages/{id}",
       Right::kRead,
       Route::Pace::kLater,
       "One message of the history; if it is not here, as the daemons of history.peers have it.",
       {{"peers", "no = only of this daemon", Kind::kFlag}},
       "",
       "id time queue_id action score label sender recipients subject can_report evidence features "
       "counters model",
       [this](const Call& call) { return one(call); }},
      {HttpMethod::kPost, "/api/1/messages/{id}/report", Right::kReport, report_pace(home_),
       "Takes a report of a message of the history, as if it were sent. It is on the disk when the "
       "reply comes.",
       report_parameters(), "", "what hashes changed counted",
       [this](const Call& call) { return report(call); }},
  };
}

}  // namespace shingled::milter::api
