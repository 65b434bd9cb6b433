#include "milter/cli/access/status_page.h"

#include "config/system/connect_socket.h"
#include "milter/http/http_client.h"

namespace shingled::milter::cli {

namespace {
constexpr std::chrono::seconds kPagePatience{5};
constexpr unsigned kPageFound = 200;
}  // namespace

Result<Json> StatusPage::get(const std::string& target) const {
  if (options_.listen.empty()) return Error{ErrorCode::kUnavailable, "status.listen is empty"};
  const SocketSpec server = spec_to_connect(options_.listen.front());
  const auto reply = http::http_get(server, target, clock_, clock_.now() + kPagePatience);
  if (!reply) return reply.error();
  if (reply->status != kPageFound) {
    return Error{ErrorCode::kUnavailable,
                 server.to_string() + ": HTTP status " + std::to_string(reply->status)};
  }
  Json page = Json::parse(reply->body, nullptr, /*allow_exceptions=*/false);
  if (!page.is_object()) {
    return Error{ErrorCode::kInvalid, server.to_string() + ": the answer is not JSON"};
  }
  return page;
}

}  // namespace shingled::milter::cli
