#include "milter/cli/reports/report_client.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "config/base/ascii.h"
#include "config/base/hex.h"
#include "config/system/connect_socket.h"
#include "milter/cli/access/counter_desk.h"
#include "milter/http/http_call.h"

namespace shingled::milter::cli {

namespace {
constexpr std::chrono::seconds kReportPatience{30};
constexpr unsigned kReportTaken = 200;
}  // namespace

bool is_for_later(const Error& error) {
  return error.code != ErrorCode::kInvalid && error.code != ErrorCode::kLimit;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (ascii::is_alpha(c) || ascii::is_digit(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

Result<Json> ReportClient::send(const SentReport& report) const {
  if (report.reporter.size() > kReporterBytesMax)
    return Error{ErrorCode::kInvalid, "the name of the reporter is too long"};
  return call(true,
              fmt::format("/report?kind={}&reporter={}", report.spam ? "spam" : "ham",
                          percent_encoded(report.reporter)),
              report.message);
}

Result<Json> ReportClient::reporters(std::size_t most) const {
  return call(false, fmt::format("/reporters?most={}", most), "");
}

Result<std::uint64_t> ReportClient::withdraw(std::span<const Digest> digests,
                                             std::uint32_t flag) const {
  std::string body;
  for (const Digest& digest : digests) body += to_hex(digest.bytes) + "\n";
  const auto page =
      call(true, flag == 0 ? "/withdraw" : fmt::format("/withdraw?flag={}", flag), body);
  if (!page) return page.error();
  return page->value("people", std::uint64_t{0});
}

Result<Json> ReportClient::cases(std::int64_t since, std::size_t most, bool names) const {
  return call(false,
              fmt::format("/cases?since={}&most={}{}", since, most, names ? "&names=yes" : ""), "");
}

Result<Json> ReportClient::one_case(std::string_view id, std::string_view ruling,
                                    bool names) const {
  std::string target = "/case?id=" + percent_encoded(id);
  if (names) target += "&names=yes";
  if (!ruling.empty()) target += fmt::format("&do={}", ruling);
  return call(!ruling.empty(), std::move(target), "");
}

Result<Json> ReportClient::call(bool post, std::string target, const std::string& body) const {
  if (options_.listen.empty()) {
    return Error{ErrorCode::kUnavailable, "no daemon can be asked, as status.listen is empty"};
  }
  const SocketSpec daemon = spec_to_connect(options_.listen.front());
  std::string text;
  const auto reply =
      http::http_call(daemon,
                      {.method = post ? http::HttpMethod::kPost : http::HttpMethod::kGet,
                       .target = std::move(target),
                       .body = body,
                       .type = post ? "message/rfc822" : "application/json"},
                      clock_, kReportPatience, [&](std::string_view piece) {
                        text += piece;
                        return Status();
                      });
  // The fault is not that of the report.
  if (!reply && reply.error().code == ErrorCode::kInvalid)
    return Error{ErrorCode::kUnavailable, reply.error().message};
  if (!reply) return reply.error();
  if (reply->status != kReportTaken) return error_of(*reply);
  Json page = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!page.is_object())
    return Error{ErrorCode::kCorrupt, daemon.to_string() + ": the answer is not JSON"};
  return page;
}

}  // namespace shingled::milter::cli
