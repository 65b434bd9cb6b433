#include "milter/api/client/daemon_client.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "milter/api/reply.h"

namespace shingled::milter::api {

namespace {

constexpr unsigned kDone = 200;
constexpr std::size_t kAnswerBytesMax = 256UL * 1024 * 1024;

}  // namespace

Result<Json> object_of(std::string_view answer) {
  Json object = Json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return Error{ErrorCode::kCorrupt, "the answer is not JSON"};
  return object;
}

Result<http::HttpReply> DaemonClient::ask(const http::HttpCall& call, Duration patience,
                                          const http::HttpTaker& take) const {
  if (!server_) return server_.error();
  return http::http_call(*server_, call, clock_, patience, take);
}

Status DaemonClient::send(const http::HttpCall& call, Duration patience,
                          const http::HttpTaker& take) const {
  const auto reply = ask(call, patience, take);
  if (!reply) return reply.error();
  return reply->status == kDone ? Status() : Status(error_of(*reply));
}

Result<Json> DaemonClient::call(const http::HttpCall& call, Duration patience) const {
  std::string answer;
  const Status sent = send(call, patience, [&](std::string_view piece) -> Status {
    if (answer.size() + piece.size() > kAnswerBytesMax)
      return Error{ErrorCode::kLimit, "the answer is too long"};
    answer += piece;
    return {};
  });
  if (!sent) return sent.error();
  auto object = object_of(answer);
  if (!object) return object.error().in(server_->name());
  return object;
}

Result<Json> DaemonClient::get(std::string target, Duration patience) const {
  return call({.method = http::HttpMethod::kGet, .target = std::move(target)}, patience);
}

Result<Json> DaemonClient::remove(std::string target, Duration patience) const {
  return call({.method = http::HttpMethod::kDelete, .target = std::move(target)}, patience);
}

Result<Json> DaemonClient::post(std::string target, std::string body, std::string_view type,
                                Duration patience) const {
  return call({.method = http::HttpMethod::kPost,
               .target = std::move(target),
               .body = std::move(body),
               .type = std::string(type)},
              patience);
}

}  // namespace shingled::milter::api
