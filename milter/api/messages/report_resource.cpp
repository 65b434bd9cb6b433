#include "milter/api/messages/report_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/byte_reader.h"
#include "config/base/hex.h"
#include "milter/api/reply.h"
#include "storage/sqlite/reports/change_feed.h"

namespace shingled::milter::api {

namespace {

constexpr unsigned kTooManyReports = 429;

const char* standing_text(reports::Standing standing) {
  if (standing == reports::Standing::kTrusted) return "trusted";
  return standing == reports::Standing::kResident ? "resident" : "newcomer";
}

void put_figures(const reports::CaseFigures& figures, Json& object) {
  const auto or_null = [](const std::optional<std::uint64_t>& number) {
    return number ? Json(*number) : Json(nullptr);
  };
  object["effect"] = to_string(figures.effect);
  object["people"] = {{"spam", figures.sides.spam.people}, {"ham", figures.sides.ham.people}};
  object["marked_at"] = or_null(figures.marked_at);
  object["rejected_at"] = or_null(figures.rejected_at);
  object["text"] = to_text(figures);
}

}  // namespace

Json people_json(const reports::KnownCase& one) {
  Json out = Json::array();
  for (const reports::CasePerson& person : one.people) {
    out.push_back({{"reporter", fmt::format("{:016x}", person.word.reporter.name)},
                   {"name", person.name.empty() ? Json(nullptr) : Json(person.name)},
                   {"standing", standing_text(person.standing)},
                   {"says", to_string(person.word.kind)}});
  }
  return out;
}

std::vector<Parameter> report_parameters() {
  using Kind = Parameter::Kind;
  return {{"kind", "what the person says", Kind::kWord, true, 0, 0, {"spam", "ham"}},
          {"reporter", "who says it: an address", Kind::kText, true}};
}

reports::ReportKind report_kind(const Call& call) {
  return call.text("kind") == "spam" ? reports::ReportKind::kSpam : reports::ReportKind::kHam;
}

http::HttpReply report_reply(const Result<reports::ReportReceipt>& receipt) {
  // The rate of a person: the same report may come again later.
  if (!receipt && receipt.error().code == ErrorCode::kLimit)
    return problem(kTooManyReports, receipt.error().message);
  if (!receipt) return problem(receipt.error());
  Json object = {{"what", to_string(receipt->what)},
                 {"hashes", receipt->hashes},
                 {"changed", receipt->changed},
                 {"counted", receipt->counted}};
  if (!receipt->not_taught.empty()) object["not_taught"] = receipt->not_taught;
  if (receipt->figures) put_figures(*receipt->figures, object);
  return json_reply(object);
}

Route::Pace report_pace(const ReportHome& home) {
  return home.url.empty() ? Route::Pace::kSlow : Route::Pace::kLater;
}

namespace {

http::HttpReply list_reporters(reports::ReportDesk& desk, const Call& call) {
  const auto found = desk.reporters(static_cast<std::size_t>(call.integer("most", 100)));
  if (!found) return problem(found.error());
  Json list = Json::array();
  for (const reports::KnownReporter& one : *found) {
    list.push_back({{"reporter", fmt::format("{:016x}", one.row.name)},
                    {"name", one.name.empty() ? Json(nullptr) : Json(one.name)},
                    {"standing", standing_text(one.standing)},
                    {"reports", one.row.reports},
                    {"agreed", one.row.agreed},
                    {"disagreed", one.row.disagreed},
                    {"reputation", reports::reputation(one.row)},
                    {"first", one.row.first},
                    {"last", one.row.last}});
  }
  return json_reply({{"reporters", std::move(list)}});
}

/// The digests of a request, one per line; nullopt if something else is there.
std::optional<std::vector<Digest>> digests_of(std::string_view body) {
  std::vector<Digest> out;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    const auto bytes = from_hex(body.substr(0, end));
    if (!bytes || bytes->size() != kDigestBytes || out.size() == ReportResource::kDigestsMost)
      return std::nullopt;
    std::copy(bytes->begin(), bytes->end(), out.emplace_back().bytes.begin());
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return out;
}

http::HttpReply withdraw(reports::ReportDesk& desk, const Call& call) {
  const auto digests = digests_of(call.request.body);
  if (!digests) {
    return problem({ErrorCode::kInvalid,
                    "takes digests of 128 hexadecimal digits, one per line, at most 10000"});
  }
  const auto flag = static_cast<std::uint32_t>(call.integer("flag", 0));
  const auto people = desk.withdraw(*digests, flag);
  if (!people) return problem(people.error());
  return json_reply({{"people", *people}});
}

Json case_json(const reports::KnownCase& one) {
  const auto newcomers =
      std::ranges::count(one.people, reports::Standing::kNewcomer, &reports::CasePerson::standing);
  return {{"id", one.id},
          {"effect", to_string(one.effect)},
          {"lists", one.lists},
          {"spam", one.sides.spam.people},
          {"ham", one.sides.ham.people},
          {"newcomers", newcomers},
          {"messages", one.row.messages},
          {"hashes", one.row.hashes.size()},
          {"last", one.row.last}};
}

http::HttpReply list_cases(reports::ReportDesk& desk, const Call& call) {
  const bool names = call.flag("names");
  const auto found = desk.cases(call.integer("since", 0),
                                static_cast<std::size_t>(call.integer("most", 100)), names);
  if (!found) return problem(found.error());
  Json list = Json::array();
  for (const reports::KnownCase& one : *found) {
    Json object = case_json(one);
    if (names) object["people"] = people_json(one);
    list.push_back(std::move(object));
  }
  return json_reply({{"cases", std::move(list)}});
}

http::HttpReply case_page(const Result<reports::KnownCase>& found) {
  if (!found) return problem(found.error());
  Json object = known_case_json(*found);
  Json digests = Json::array();
  for (const storage::sqlite::HashChange& hash : found->row.hashes) {
    if (digests.size() == ReportResource::kDigestsShown) break;
    digests.push_back({{"digest", to_hex(hash.hash.fingerprint.digest.bytes)},
                       {"flag", hash.hash.flag},
                       {"weight", hash.taught},
                       {"closed", hash.hash.closed}});
  }
  object["digests"] = std::move(digests);
  return json_reply(object);
}

http::HttpReply one_case(reports::ReportDesk& desk, const Call& call) {
  return case_page(desk.find_case(call.part, call.flag("names")));
}

http::HttpReply close_case(reports::ReportDesk& desk, const Call& call) {
  return case_page(desk.rule_case(call.part, storage::sqlite::Ruling::kCloses));
}

http::HttpReply reopen_case(reports::ReportDesk& desk, const Call& call) {
  return case_page(desk.rule_case(call.part, storage::sqlite::Ruling::kReopens));
}

Json change_json(const storage::sqlite::ReportChange& change) {
  using What = storage::sqlite::ReportChange::What;
  if (change.what == What::kLabel) {
    return {{"what", "label"},
            {"message", fmt::format("{:016x}", change.message)},
            {"label", change.value == 0   ? "ham"
                      : change.value == 1 ? "spam"
                                          : "none"}};
  }
  const char* const what = change.what == What::kClosed     ? "closed"
                           : change.what == What::kReopened ? "reopened"
                                                            : "withdrawn";
  return {{"what", what}, {"digest", to_hex(change.digest.bytes)}, {"flag", change.value}};
}

}  // namespace

Json known_case_json(const reports::KnownCase& one) {
  Json object = case_json(one);
  object["people"] = people_json(one);
  return object;
}

std::optional<http::HttpReply> ReportResource::why_not_home() const {
  constexpr unsigned kMisdirected = 421;
  if (home_.url.empty()) return std::nullopt;
  return problem(kMisdirected, "this daemon is not the home of reports: its own reports.home is " +
                                   home_.url + "; name that one");
}

http::HttpReply ReportResource::take(const Call& call) const {
  const std::string reporter = call.text("reporter");
  if (home_.url.empty())
    return report_reply(desk_.take({report_kind(call), reporter, call.request.body}));
  if (call.flag("forwarded")) return *why_not_home();
  return home_.send({report_kind(call), reporter, call.request.body});
}

http::HttpReply ReportResource::take_kept(const Call& call) const {
  constexpr unsigned kConflict = 409;
  constexpr unsigned kWrong = 400;
  if (auto why = why_not_home()) return *std::move(why);
  const auto kept = desk_.read_kept(as_bytes(call.request.body));
  if (!kept && kept.error().code == ErrorCode::kInvalid)
    return problem(kConflict, kept.error().message);
  if (!kept && kept.error().code == ErrorCode::kCorrupt)
    return problem(kWrong, "not what a history keeps of a message: " + kept.error().message);
  if (!kept) return problem(kept.error());
  return report_reply(desk_.take({.kind = report_kind(call),
                                  .reporter = call.text("reporter"),
                                  .message = {},
                                  .kept = &*kept}));
}

http::HttpReply ReportResource::changes(const Call& call) const {
  if (auto why = why_not_home()) return *std::move(why);
  constexpr auto kMost = static_cast<std::int64_t>(storage::sqlite::ChangeFeed::kPageMost);
  const auto found =
      desk_.changes(call.text("cursor"), static_cast<std::size_t>(call.integer("most", kMost)));
  if (!found) return problem(found.error());
  Json list = Json::array();
  for (const auto& change : found->page.changes) list.push_back(change_json(change));
  return json_reply({{"site", fmt::format("{:016x}", found->site)},
                     {"changes", std::move(list)},
                     {"next", found->page.next},
                     {"anew", found->page.is_anew},
                     {"more", found->page.has_more}});
}

http::HttpReply ReportResource::with_home(http::HttpReply reply) const {
  Json object = Json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  if (home_.url.empty() || reply.status != 200 || !object.is_object()) return reply;
  object["off"] = "reports are kept by " + home_.url + " (reports.home); ask there";
  return json_reply(object);
}

std::vector<Route> ReportResource::routes() const {
  using http::HttpMethod;
  using http::Right;
  using Kind = Parameter::Kind;
  const auto with = [this](http::HttpReply (*answer)(reports::ReportDesk&, const Call&)) {
    return [this, answer](const Call& call) { return answer(desk_, call); };
  };
  constexpr std::string_view kCase =
      "id effect lists spam ham newcomers messages hashes last people digests";
  constexpr std::int64_t kTimeMost = 253'402'300'799;  // the end of the year 9999
  const Parameter names{"names", "who reported, too", Kind::kFlag};
  std::vector<Parameter> for_home = report_parameters();
  for_home.push_back({"forwarded", "another daemon hands it on, to its home", Kind::kFlag});
  return {
      {HttpMethod::kPost, "/api/1/reports", Right::kReport, report_pace(home_),
       "Takes a report: the message as it is. It is on the disk when the reply comes.", for_home,
       "message/rfc822", "what hashes changed counted",
       [this](const Call& call) { return take(call); }},
      {HttpMethod::kPost, "/api/1/reports/kept", Right::kReport, report_pace(home_),
       "Takes a report of a message by what the history of another daemon kept of it.", for_home,
       "application/octet-stream", "what hashes changed counted",
       [this](const Call& call) { return take_kept(call); }},
      {HttpMethod::kGet,
       "/api/1/reports/changes",
       Right::kReport,
       Route::Pace::kLater,
       "What reports changed, the oldest first, for daemons whose home this is.",
       {{"cursor", "\"next\" of the page before; nothing = from the beginning"},
        {"most", "in the answer", Kind::kInteger, false, 1,
         static_cast<std::int64_t>(storage::sqlite::ChangeFeed::kPageMost)}},
       "",
       "site changes next anew more",
       [this](const Call& call) { return changes(call); }},
      {HttpMethod::kPost,
       "/api/1/reports/withdraw",
       Right::kChange,
       Route::Pace::kSlow,
       "Withdraws the reports of hashes: digests in hexadecimal, one per line.",
       {{"flag", "of one list alone", Kind::kInteger, false, 1, 255}},
       "text/plain",
       "people",
       with(&withdraw)},
      {HttpMethod::kGet,
       "/api/1/reporters",
       Right::kRead,
       Route::Pace::kLater,
       "People who report, and how often others agreed.",
       {{"most", "in the answer", Kind::kInteger, false, 1, kReportersMost}},
       "",
       "reporters",
       [this](const Call& call) { return with_home(list_reporters(desk_, call)); }},
      {HttpMethod::kGet,
       "/api/1/cases",
       Right::kRead,
       Route::Pace::kLater,
       "What people report, the latest first.",
       {{"since", "Unix seconds", Kind::kInteger, false, 0, kTimeMost},
        {"most", "in the answer", Kind::kInteger, false, 1, kCasesMost},
        names},
       "",
       "cases",
       [this](const Call& call) { return with_home(list_cases(desk_, call)); }},
      {HttpMethod::kGet,
       "/api/1/cases/{id}",
       Right::kRead,
       Route::Pace::kLater,
       "One case.",
       {names},
       "",
       kCase,
       with(&one_case)},
      {HttpMethod::kPost,
       "/api/1/cases/{id}/close",
       Right::kChange,
       Route::Pace::kSlow,
       "Closes a case: its hashes are forgotten, and reports teach them no more.",
       {},
       "",
       kCase,
       with(&close_case)},
      {HttpMethod::kPost,
       "/api/1/cases/{id}/reopen",
       Right::kChange,
       Route::Pace::kSlow,
       "Reopens a case that was closed.",
       {},
       "",
       kCase,
       with(&reopen_case)},
  };
}

}  // namespace shingled::milter::api
