#include "milter/peers/home_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/base/hex.h"
#include "config/base/number_text.h"
#include "milter/api/client/client_key.h"
#include "milter/api/client/daemon_client.h"
#include "milter/api/reply.h"
#include "milter/http/endpoint.h"

namespace shingled::milter::peers {

namespace {

using storage::sqlite::ReportChange;

constexpr unsigned kDone = 200;

/// Whether a daemon says in a problem object that this very report is wrong. Any server answers
/// with some status to what it does not know.
bool is_refusal(const http::HttpReply& reply) {
  constexpr std::array<unsigned, 4> kNever = {400, 409, 413, 415};
  if (std::ranges::find(kNever, reply.status) == kNever.end()) return false;
  const Json object = Json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  return object.is_object() && object.contains("detail") && object.contains("status") &&
         object["status"] == Json(reply.status);
}

bool is_receipt(const http::HttpReply& reply) {
  const Json object = Json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || !object.contains("what") || !object.contains("hashes")) return false;
  const Json& what = object["what"];
  return what == Json("new") || what == Json("same") || what == Json("turned");
}

/// The text of a member; "" without one.
std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::uint64_t> name_in(const Json& object, const char* name) {
  const auto bytes = from_hex(text_in(object, name));
  if (!bytes || bytes->size() != sizeof(std::uint64_t)) return std::nullopt;
  std::uint64_t out = 0;
  for (const std::uint8_t byte : *bytes) out = out << 8U | byte;
  return out;
}

bool read_digest(const Json& object, ReportChange& change) {
  const auto bytes = from_hex(text_in(object, "digest"));
  const auto flag = object.find("flag");
  if (!bytes || bytes->size() != kDigestBytes || flag == object.end() ||
      !flag->is_number_unsigned())
    return false;
  std::copy(bytes->begin(), bytes->end(), change.digest.bytes.begin());
  change.value = flag->get<std::uint32_t>();
  return true;
}

std::optional<ReportChange> change_of(const Json& object) {
  if (!object.is_object()) return std::nullopt;
  const std::string what = text_in(object, "what");
  ReportChange out;
  if (what == "label") {
    const auto message = name_in(object, "message");
    const std::string label = text_in(object, "label");
    if (!message || (label != "spam" && label != "ham" && label != "none")) return std::nullopt;
    out.message = *message;
    out.value = label == "ham" ? 0 : label == "spam" ? 1 : 2;
    return out;
  }
  if (what == "closed") out.what = ReportChange::What::kClosed;
  if (what == "reopened") out.what = ReportChange::What::kReopened;
  if (what == "withdrawn") out.what = ReportChange::What::kWithdrawn;
  if (out.what == ReportChange::What::kLabel || !read_digest(object, out)) return std::nullopt;
  return out;
}

Result<HomeChanges> changes_of(std::string_view body) {
  const Error bad{ErrorCode::kCorrupt, "the answer is not that of a home of reports"};
  const auto object = api::object_of(body);
  if (!object) return object.error();
  HomeChanges out;
  const auto site = name_in(*object, "site");
  const auto list = object->find("changes");
  const auto next = object->find("next");
  if (!site || list == object->end() || !list->is_array() || next == object->end() ||
      !next->is_string() || list->size() > storage::sqlite::ChangeFeed::kPageMost)
    return bad;
  out.site = *site;
  out.page.next = next->get<std::string>();
  out.page.is_anew = object->value("anew", Json()) == Json(true);
  out.page.has_more = object->value("more", Json()) == Json(true);
  for (const Json& one : *list) {
    // A newer version may tell more than this one knows.
    if (const auto change = change_of(one)) out.page.changes.push_back(*change);
  }
  return out;
}

}  // namespace

Result<http::HttpReply> HomeClient::call(http::HttpMethod method, std::string target,
                                         std::string body, std::string_view type,
                                         Duration patience) const {
  auto server = http::parse_endpoint(url_);
  if (!server) return server.error().in("reports.home");
  auto key = api::read_client_key(key_file_);
  if (!key) return key.error().in("reports.home_key_file");
  server->key = *std::move(key);
  server->ca_file = ca_file_;
  http::HttpCall request{.method = method,
                         .target = std::move(target),
                         .body = std::move(body),
                         .type = std::string(type),
                         .deadline = clock_.now() + patience};
  std::string answer;
  auto reply = http::http_call(*server, request, clock_, patience, [&](std::string_view piece) {
    if (answer.size() + piece.size() > kAnswerBytesMax)
      return Status(Error{ErrorCode::kCorrupt, "the answer is too long"});
    answer += piece;
    return Status();
  });
  if (reply && reply->status == kDone) reply->body = std::move(answer);
  return reply;
}

HomeAnswer HomeClient::send(const SentReport& report, Duration patience) const {
  using What = HomeAnswer::What;
  std::string target = fmt::format("/api/1/reports{}?kind={}&reporter={}&forwarded=yes",
                                   report.is_kept ? "/kept" : "", report.spam ? "spam" : "ham",
                                   http::percent_encoded(report.reporter));
  auto reply = call(http::HttpMethod::kPost, std::move(target), report.message,
                    report.is_kept ? "application/octet-stream" : "message/rfc822", patience);
  if (!reply) {
    // A certificate that is wrong, or a key that cannot be read, is so for every report.
    return {What::kAway, {}, reply.error().message};
  }
  HomeAnswer out;
  if (reply->status == kDone) {
    out.what = is_receipt(*reply) ? What::kTaken : What::kAway;
    if (out.what == What::kAway) out.why = "what answers at reports.home is not such a daemon";
  } else {
    out.what = is_refusal(*reply) ? What::kRefused : What::kNotNow;
    out.why = api::error_of(*reply).message;
  }
  out.reply = *std::move(reply);
  return out;
}

Result<HomeChanges> HomeClient::changes(std::string_view cursor, Duration patience) const {
  const auto reply =
      call(http::HttpMethod::kGet,
           fmt::format("/api/1/reports/changes?most={}&cursor={}",
                       storage::sqlite::ChangeFeed::kPageMost, http::percent_encoded(cursor)),
           {}, {}, patience);
  if (!reply) return reply.error();
  if (reply->status != kDone) return api::error_of(*reply);
  return changes_of(reply->body);
}

}  // namespace shingled::milter::peers
