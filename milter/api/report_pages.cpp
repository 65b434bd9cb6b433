#include "milter/api/report_pages.h"

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

#include "config/base/hex.h"
#include "config/base/number_text.h"
#include "milter/api/error_status.h"

namespace shingled::milter::api {

namespace {

using ReportJson = nlohmann::ordered_json;

constexpr unsigned kReportDone = 200;
constexpr unsigned kReportWrong = 400;
constexpr unsigned kReportForbidden = 403;
constexpr unsigned kReportUnknown = 404;
constexpr unsigned kReportMethod = 405;

http::HttpReply report_json(unsigned status, const ReportJson& object) {
  return {status, "application/json",
          object.dump(-1, ' ', false, ReportJson::error_handler_t::replace) + "\n"};
}

http::HttpReply report_error(unsigned status, const std::string& text) {
  return report_json(status, {{"error", text}});
}

http::HttpReply report_failure(const Error& error) {
  return report_error(error_status(error.code), error.message);
}

const char* standing_text(reports::Standing standing) {
  if (standing == reports::Standing::kTrusted) return "trusted";
  return standing == reports::Standing::kResident ? "resident" : "newcomer";
}

std::string argument(const http::HttpRequest& request, const char* name) {
  const auto found = request.arguments.find(name);
  return found == request.arguments.end() ? "" : found->second;
}

void put_figures(const reports::CaseFigures& figures, ReportJson& object) {
  const auto or_null = [](const std::optional<std::uint64_t>& number) {
    return number ? ReportJson(*number) : ReportJson(nullptr);
  };
  object["effect"] = to_string(figures.effect);
  object["people"] = {{"spam", figures.sides.spam.people}, {"ham", figures.sides.ham.people}};
  object["marked_at"] = or_null(figures.marked_at);
  object["rejected_at"] = or_null(figures.rejected_at);
  object["text"] = to_text(figures);
}

http::HttpReply take_report(reports::ReportDesk& desk, const http::HttpRequest& request) {
  const std::string kind = argument(request, "kind");
  if (kind != "spam" && kind != "ham") return report_error(kReportWrong, "kind: takes spam or ham");
  const std::string reporter = argument(request, "reporter");
  const auto receipt =
      desk.take({kind == "spam" ? reports::ReportKind::kSpam : reports::ReportKind::kHam, reporter,
                 request.body});
  if (!receipt) return report_failure(receipt.error());
  ReportJson object = {{"what", to_string(receipt->what)},
                       {"hashes", receipt->hashes},
                       {"changed", receipt->changed},
                       {"counted", receipt->counted}};
  if (!receipt->not_taught.empty()) object["not_taught"] = receipt->not_taught;
  if (receipt->figures) put_figures(*receipt->figures, object);
  return report_json(kReportDone, object);
}

/// A number of the query, or `otherwise` without one; nullopt for one that is out of range.
template <typename T>
std::optional<T> number_of(const http::HttpRequest& request, const char* name, T otherwise, T least,
                           T most) {
  const std::string asked = argument(request, name);
  return asked.empty() ? std::optional(otherwise) : parse_whole<T>(asked, least, most);
}

http::HttpReply list_reporters(reports::ReportDesk& desk, const http::HttpRequest& request) {
  const auto most = number_of<std::size_t>(request, "most", 100, 1, ReportPages::kReportersMost);
  if (!most) return report_error(kReportWrong, "most: must be 1 to 100000");
  const auto found = desk.reporters(*most);
  if (!found) return report_failure(found.error());
  ReportJson list = ReportJson::array();
  for (const reports::KnownReporter& one : *found) {
    list.push_back({{"reporter", fmt::format("{:016x}", one.row.name)},
                    {"name", one.name.empty() ? ReportJson(nullptr) : ReportJson(one.name)},
                    {"standing", standing_text(one.standing)},
                    {"reports", one.row.reports},
                    {"agreed", one.row.agreed},
                    {"disagreed", one.row.disagreed},
                    {"reputation", reports::reputation(one.row)},
                    {"first", one.row.first},
                    {"last", one.row.last}});
  }
  return report_json(kReportDone, {{"reporters", std::move(list)}});
}

/// The digests of a request, one per line; nullopt if something else is there.
std::optional<std::vector<Digest>> digests_of(std::string_view body) {
  std::vector<Digest> out;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    const auto bytes = from_hex(body.substr(0, end));
    if (!bytes || bytes->size() != kDigestBytes || out.size() == ReportPages::kDigestsMost)
      return std::nullopt;
    std::copy(bytes->begin(), bytes->end(), out.emplace_back().bytes.begin());
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return out;
}

http::HttpReply withdraw(reports::ReportDesk& desk, const http::HttpRequest& request) {
  constexpr std::uint32_t kFlagMost = 255;
  const auto flag = number_of<std::uint32_t>(request, "flag", 0, 1, kFlagMost);
  if (!flag) return report_error(kReportWrong, "flag: must be 1 to 255");
  const auto digests = digests_of(request.body);
  if (!digests) {
    return report_error(kReportWrong,
                        "takes digests of 128 hexadecimal digits, one per line, at most 10000");
  }
  const auto people = desk.withdraw(*digests, *flag);
  if (!people) return report_failure(people.error());
  return report_json(kReportDone, {{"people", *people}});
}

ReportJson people_json(const reports::KnownCase& one) {
  ReportJson out = ReportJson::array();
  for (const reports::CasePerson& person : one.people) {
    out.push_back({{"reporter", fmt::format("{:016x}", person.word.reporter.name)},
                   {"name", person.name.empty() ? ReportJson(nullptr) : ReportJson(person.name)},
                   {"standing", standing_text(person.standing)},
                   {"says", to_string(person.word.kind)}});
  }
  return out;
}

ReportJson case_json(const reports::KnownCase& one) {
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

bool wants_names(const http::HttpRequest& request) { return argument(request, "names") == "yes"; }

http::HttpReply list_cases(reports::ReportDesk& desk, const http::HttpRequest& request) {
  const auto most = number_of<std::size_t>(request, "most", 100, 1, ReportPages::kCasesMost);
  if (!most) return report_error(kReportWrong, "most: must be 1 to 10000");
  const auto since =
      number_of<std::int64_t>(request, "since", 0, 0, std::numeric_limits<std::int64_t>::max());
  if (!since) return report_error(kReportWrong, "since: must be a time in Unix seconds");
  const auto found = desk.cases(*since, *most, wants_names(request));
  if (!found) return report_failure(found.error());
  ReportJson list = ReportJson::array();
  for (const reports::KnownCase& one : *found) {
    ReportJson object = case_json(one);
    if (wants_names(request)) object["people"] = people_json(one);
    list.push_back(std::move(object));
  }
  return report_json(kReportDone, {{"cases", std::move(list)}});
}

http::HttpReply one_case(reports::ReportDesk& desk, const http::HttpRequest& request) {
  using storage::sqlite::Ruling;
  const std::string id = argument(request, "id");
  const std::string wanted = argument(request, "do");
  const bool rules = request.method == http::HttpMethod::kPost;
  if (rules && wanted != "close" && wanted != "reopen")
    return report_error(kReportWrong, "do: takes close or reopen");
  const auto found =
      rules ? desk.rule_case(id, wanted == "close" ? Ruling::kCloses : Ruling::kReopens)
            : desk.find_case(id, wants_names(request));
  if (!found) return report_failure(found.error());
  ReportJson object = case_json(*found);
  object["people"] = people_json(*found);
  ReportJson digests = ReportJson::array();
  for (const storage::sqlite::HashChange& hash : found->row.hashes) {
    if (digests.size() == ReportPages::kDigestsShown) break;
    digests.push_back({{"digest", to_hex(hash.hash.fingerprint.digest.bytes)},
                       {"flag", hash.hash.flag},
                       {"weight", hash.taught},
                       {"closed", hash.hash.closed}});
  }
  object["digests"] = std::move(digests);
  return report_json(kReportDone, object);
}

struct ReportPage {
  std::string_view path;
  bool posts;  ///< takes POST
  bool gets;   ///< takes GET and HEAD
  http::HttpReply (*answer)(reports::ReportDesk& desk, const http::HttpRequest& request);
};

constexpr std::array<ReportPage, 5> kReportPages = {{{"/report", true, false, take_report},
                                                     {"/reporters", false, true, list_reporters},
                                                     {"/withdraw", true, false, withdraw},
                                                     {"/cases", false, true, list_cases},
                                                     {"/case", true, true, one_case}}};

const ReportPage* find_report_page(std::string_view path) {
  const auto found = std::ranges::find(kReportPages, path, &ReportPage::path);
  return found == kReportPages.end() ? nullptr : &*found;
}

}  // namespace

bool ReportPages::is_page(const std::string& path) { return find_report_page(path) != nullptr; }

http::HttpReply ReportPages::answer(const http::HttpRequest& request) const {
  if (!request.direct && !request.authorised) {
    return report_error(kReportForbidden,
                        std::string("only for programs on this machine that send ") +
                            http::kDirectHeader + ", or on counters.listen");
  }
  const ReportPage* page = find_report_page(request.path);
  if (page == nullptr) return report_error(kReportUnknown, "no such page");
  if (!(request.method == http::HttpMethod::kPost ? page->posts : page->gets))
    return report_error(kReportMethod, page->gets ? "only GET and HEAD" : "only POST");
  http::HttpReply reply;
  reply.slow = request.method == http::HttpMethod::kPost;  // it waits for the storage
  reply.later = [&desk = desk_, page, &request](const std::stop_token&) {
    return page->answer(desk, request);
  };
  return reply;
}

}  // namespace shingled::milter::api
