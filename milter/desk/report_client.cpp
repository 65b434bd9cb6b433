#include "milter/desk/report_client.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "config/base/hex.h"

namespace shingled::milter::desk {

namespace {

constexpr std::chrono::seconds kReportPatience{30};

}  // namespace

Result<Json> ReportClient::send(const SentReport& report) const {
  if (report.reporter.size() > kReporterBytesMax)
    return Error{ErrorCode::kInvalid, "the name of the reporter is too long"};
  return daemon_.post(
      fmt::format("/api/1/reports?kind={}&reporter={}", report.spam ? "spam" : "ham",
                  http::percent_encoded(report.reporter)),
      report.message, "message/rfc822", kReportPatience);
}

Result<Json> ReportClient::send_named(std::string_view message, const SentReport& report) const {
  return daemon_.post(
      fmt::format("/api/1/messages/{}/report?kind={}&reporter={}", http::percent_encoded(message),
                  report.spam ? "spam" : "ham", http::percent_encoded(report.reporter)),
      "", "", kReportPatience);
}

Result<Json> ReportClient::reporters(std::size_t most) const {
  return daemon_.get(fmt::format("/api/1/reporters?most={}", most), kReportPatience);
}

Result<std::uint64_t> ReportClient::withdraw(std::span<const Digest> digests,
                                             std::uint32_t flag) const {
  std::string body;
  for (const Digest& digest : digests) body += to_hex(digest.bytes) + "\n";
  const std::string list = flag == 0 ? "" : fmt::format("?flag={}", flag);
  const auto page = daemon_.post("/api/1/reports/withdraw" + list, std::move(body), "text/plain",
                                 kReportPatience);
  if (!page) return page.error();
  return page->value("people", std::uint64_t{0});
}

Result<Json> ReportClient::cases(std::int64_t since, std::size_t most, bool names) const {
  return daemon_.get(
      fmt::format("/api/1/cases?since={}&most={}&names={}", since, most, names ? "yes" : "no"),
      kReportPatience);
}

Result<Json> ReportClient::one_case(std::string_view id, std::string_view ruling,
                                    bool names) const {
  const std::string target = "/api/1/cases/" + http::percent_encoded(id);
  if (!ruling.empty())
    return daemon_.post(fmt::format("{}/{}", target, ruling), "", "", kReportPatience);
  return daemon_.get(target + (names ? "?names=yes" : ""), kReportPatience);
}

}  // namespace shingled::milter::desk
