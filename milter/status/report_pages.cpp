#include "milter/status/report_pages.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "config/base/number_text.h"

namespace shingled::milter::status {

namespace {

using ReportJson = nlohmann::ordered_json;

constexpr unsigned kReportDone = 200;
constexpr unsigned kReportWrong = 400;
constexpr unsigned kReportForbidden = 403;
constexpr unsigned kReportMethod = 405;
constexpr unsigned kReportBroken = 500;
constexpr unsigned kReportLater = 503;

HttpReply report_json(unsigned status, const ReportJson& object) {
  return {status, "application/json",
          object.dump(-1, ' ', false, ReportJson::error_handler_t::replace) + "\n"};
}

HttpReply report_error(unsigned status, const std::string& text) {
  return report_json(status, {{"error", text}});
}

HttpReply report_failure(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalid:
      return report_error(kReportWrong, error.message);
    case ErrorCode::kDenied:
      return report_error(kReportForbidden, error.message);
    case ErrorCode::kCorrupt:
    case ErrorCode::kInternal:
      return report_error(kReportBroken, error.message);
    default:
      return report_error(kReportLater, error.message);
  }
}

const char* standing_text(reports::Standing standing) {
  if (standing == reports::Standing::kTrusted) return "trusted";
  return standing == reports::Standing::kEstablished ? "established" : "newcomer";
}

std::string argument(const HttpRequest& request, const char* name) {
  const auto found = request.arguments.find(name);
  return found == request.arguments.end() ? "" : found->second;
}

HttpReply take_report(reports::ReportDesk& desk, const HttpRequest& request) {
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
  return report_json(kReportDone, object);
}

HttpReply list_reporters(reports::ReportDesk& desk, const HttpRequest& request) {
  std::size_t most = 100;
  if (const std::string asked = argument(request, "most"); !asked.empty()) {
    const auto number = parse_whole<std::size_t>(asked, 1, ReportPages::kReportersMost);
    if (!number) return report_error(kReportWrong, "most: must be 1 to 100000");
    most = *number;
  }
  const auto found = desk.reporters(most);
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

}  // namespace

HttpReply ReportPages::answer(const HttpRequest& request) const {
  if (!request.direct && !request.authorised) {
    return report_error(kReportForbidden,
                        std::string("only for programs on this machine that send ") +
                            kDirectHeader + ", or on counters.listen");
  }
  const bool is_report = request.path == "/report";
  if (is_report != (request.method == HttpMethod::kPost))
    return report_error(kReportMethod, is_report ? "only POST" : "only GET and HEAD");
  HttpReply reply;
  reply.slow = true;  // it waits for the storage
  reply.later = [&desk = desk_, is_report, &request](const std::stop_token&) {
    return is_report ? take_report(desk, request) : list_reporters(desk, request);
  };
  return reply;
}

}  // namespace shingled::milter::status
