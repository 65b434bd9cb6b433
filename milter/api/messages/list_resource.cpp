#include "milter/api/messages/list_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "config/base/ascii.h"
#include "config/system/whole_file.h"
#include "milter/api/messages/effect_json.h"
#include "milter/api/reply.h"
#include "milter/http/endpoint.h"
#include "milter/names/list_entries.h"
#include "milter/replay/past_entry.h"

namespace shingled::milter::api {

namespace {

using names::ListForm;
using names::NamedEntry;

std::string_view word_of(ListForm::Kind kind) {
  return kind == ListForm::Kind::kAllow ? "allow" : "block";
}

const std::string& path_of(ListForm::Kind kind, const Settings& settings) {
  return kind == ListForm::Kind::kAllow ? settings.policy.allow_file : settings.policy.block_file;
}

std::string no_list(ListForm::Kind kind) {
  return fmt::format("policy.{}_file is \"\": there is no such list", word_of(kind));
}

/// What is wrong with an entry that is right by itself; null if nothing is.
Json note_of(ListForm::Kind kind, names::Name name, const Settings& settings) {
  const std::string note = names::missing_proof(kind, name, settings.counters.pieces.authserv_ids);
  return note.empty() ? Json(nullptr) : Json(note);
}

bool is_of_list(ListForm::Kind kind, names::Name name) {
  return kind == ListForm::Kind::kAllow ? names::is_allow_name(name) : names::is_block_name(name);
}

/// What a person wrote of a remark: add_to_list() puts the date before it.
std::string reason_in(const std::string& remark) {
  constexpr std::string_view kDate = "0000-00-00";
  const bool dated = remark.size() >= kDate.size() &&
                     std::ranges::equal(kDate, std::string_view(remark).substr(0, kDate.size()),
                                        [](char form, char c) {
                                          return form == '0' ? c >= '0' && c <= '9' : c == form;
                                        });
  if (!dated) return remark;
  return std::string(ascii::trim_space(std::string_view(remark).substr(kDate.size())));
}

Json undo_json(std::string_view method, ListForm::Kind kind, const std::string& entry,
               const std::string& reason = "") {
  std::string path =
      fmt::format("/api/1/lists/{}?entry={}", word_of(kind), http::percent_encoded(entry));
  if (!reason.empty()) path += "&reason=" + http::percent_encoded(reason);
  return {{"method", method}, {"path", path}};
}

}  // namespace

http::HttpReply ListResource::list(Kind kind, const Call& call) const {
  const auto settings = settings_();
  const std::string& path = path_of(kind, *settings);
  Json entries = Json::array();
  Json out = {{"file", path}};
  if (path.empty()) {
    out["off"] = no_list(kind);
    out["entries"] = std::move(entries);
    out["wrong"] = Json::array();
    out["next"] = nullptr;
    return json_reply(out);
  }
  const auto file = read_whole_file(path, names::kListBytesMax);
  if (!file && file.error().code != ErrorCode::kNotFound) return problem(file.error());
  const std::string text = file ? file->text : std::string();
  const ListForm form{kind, {}};
  const auto first = static_cast<std::size_t>(call.integer("cursor", 0));
  const auto most = static_cast<std::size_t>(call.integer("most", 100));
  const std::string part = ascii::to_lower(call.text("part"));
  Json next = nullptr;
  names::each_entry(text, form, [&](const names::ListedEntry& one) {
    if (one.line < first || !next.is_null() || !is_of_list(kind, one.name)) return;
    const std::string name(features::row_of(one.name).word);
    const std::string whole = name + " " + std::string(one.entry);
    if (ascii::to_lower(whole + " " + std::string(one.remark)).find(part) == std::string::npos)
      return;
    if (entries.size() == most) {
      next = one.line;
      return;
    }
    entries.push_back({{"entry", whole},
                       {"name", name},
                       {"value", std::string(one.entry)},
                       {"remark", std::string(one.remark)},
                       {"line", one.line},
                       {"note", note_of(kind, one.name, *settings)}});
  });
  Json wrong = Json::array();
  const names::NameList read(text, form);
  for (const names::ListProblem& problem : read.problems())
    wrong.push_back({{"line", problem.line}, {"what", problem.what}});
  out["entries"] = std::move(entries);
  out["wrong"] = std::move(wrong);
  out["next"] = std::move(next);
  return json_reply(out);
}

http::HttpReply ListResource::add(Kind kind, const Call& call) const {
  const auto settings = settings_();
  const std::string& path = path_of(kind, *settings);
  if (path.empty()) return problem({ErrorCode::kUnavailable, no_list(kind)});
  const auto entry = names::parse_named_entry(kind, call.text("entry"));
  if (!entry) return problem(entry.error().in("entry"));
  if (!names::is_reason(call.text("reason")))
    return problem({ErrorCode::kInvalid, "reason: " + names::reason_form()});
  Json out = {{"try", call.flag("try")},
              {"entry", entry->text()},
              {"note", note_of(kind, entry->name, *settings)}};
  if (call.flag("try")) {
    auto opened = history_();
    if (!opened) {
      out.update(unknown_effect_json(opened.error().message));
      return json_reply(out);
    }
    const replay::PastEntry past(kind, *entry, opened->site, settings->policy.block_action);
    if (!past.why_unknown().empty()) {
      out.update(unknown_effect_json(past.why_unknown()));
      return json_reply(out);
    }
    const auto effect =
        replay::past_effect(*opened->reader, clock_, call.stop,
                            [&](const history::FoundMessage& message) { return past.of(message); });
    if (!effect) return problem(effect.error());
    out.update(effect_json(*effect));
    return json_reply(out);
  }
  const auto added = names::add_to_list(path, kind, *entry, call.text("reason"), clock_.wall());
  if (!added) return problem(added.error());
  out["added"] = added->is_new;
  out["line"] = added->line;
  out["undo"] = added->is_new ? undo_json("DELETE", kind, entry->text()) : Json(nullptr);
  return json_reply(out);
}

http::HttpReply ListResource::take(Kind kind, const Call& call) const {
  const auto settings = settings_();
  const std::string& path = path_of(kind, *settings);
  if (path.empty()) return problem({ErrorCode::kUnavailable, no_list(kind)});
  const auto entry = names::parse_named_entry(kind, call.text("entry"));
  if (!entry) return problem(entry.error().in("entry"));
  const auto taken = names::take_from_list(path, kind, {&*entry, 1});
  if (!taken) return problem(taken.error());
  return json_reply({{"removed", taken->lines},
                     {"entry", entry->text()},
                     {"undo", undo_json("POST", kind, entry->text(), reason_in(taken->remark))}});
}

void ListResource::add_routes(Kind kind, std::vector<Route>& out) const {
  using http::HttpMethod;
  using http::Right;
  using Form = Parameter::Kind;
  const bool allow = kind == Kind::kAllow;
  const std::string_view path = allow ? "/api/1/lists/allow" : "/api/1/lists/block";
  const Parameter entry{"entry", "a line of the list, such as: from news@shop.example", Form::kText,
                        true};
  out.push_back({HttpMethod::kGet,
                 path,
                 Right::kRead,
                 Route::Pace::kLater,
                 allow ? "Entries of the allow list." : "Entries of the block list.",
                 {{"part", "in the entry or its remark"},
                  {"cursor", "\"next\" of the page before", Form::kInteger, false, 0,
                   static_cast<std::int64_t>(names::kListBytesMax)},
                  {"most", "in the answer", Form::kInteger, false, 1, kEntriesMost}},
                 "",
                 "file entries wrong next",
                 [this, kind](const Call& call) { return list(kind, call); }});
  out.push_back(
      {HttpMethod::kPost,
       path,
       Right::kChange,
       Route::Pace::kSlow,
       allow ? "Lets mail pass whatever its score is; with try=yes tells only what would "
               "change."
             : "Refuses mail; with try=yes tells only what would change.",
       {entry, {"reason", "kept beside the entry"}, {"try", "change nothing", Form::kFlag}},
       "",
       "try entry note",
       [this, kind](const Call& call) { return add(kind, call); }});
  out.push_back({HttpMethod::kDelete,
                 path,
                 Right::kChange,
                 Route::Pace::kLater,
                 "Takes an entry away.",
                 {entry},
                 "",
                 "removed entry undo",
                 [this, kind](const Call& call) { return take(kind, call); }});
}

std::vector<Route> ListResource::routes() const {
  std::vector<Route> out;
  add_routes(Kind::kAllow, out);
  add_routes(Kind::kBlock, out);
  return out;
}

}  // namespace shingled::milter::api
