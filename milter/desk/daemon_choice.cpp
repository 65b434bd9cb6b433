#include "milter/desk/daemon_choice.h"

#include <algorithm>
#include <map>
#include <stop_token>
#include <string>
#include <utility>

#include "config/system/connect_socket.h"
#include "milter/api/client/client_key.h"
#include "milter/api/reply.h"
#include "mime/model/escapes.h"

namespace shingled::milter::desk {

namespace {

constexpr unsigned kAnswered = 200;

http::HttpRequest request_of(const http::HttpCall& call) {
  http::HttpRequest request;
  std::string_view query = call.target;
  request.path = mime::percent_decoded(query.substr(0, query.find('?')));
  query.remove_prefix(std::min(query.find('?'), query.size()));
  while (!query.empty()) {
    query.remove_prefix(1);  // '?' or '&'
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(one.size());
    const std::size_t equals = std::min(one.find('='), one.size());
    request.arguments.emplace(mime::percent_decoded(one.substr(0, equals)),
                              mime::percent_decoded(one.substr(std::min(equals + 1, one.size()))));
  }
  request.method = call.method;
  request.caller.role = http::Role::kChange;
  request.body = call.body;
  request.type = call.type;
  return request;
}

Result<http::Endpoint> daemon_of(const ClientOptions& options) {
  auto out = http::parse_endpoint(options.server);
  if (!out) return out.error().in("client.server");
  auto key = api::read_client_key(options.key_file);
  if (!key) return key.error().in("client.key_file");
  out->key = *std::move(key);
  out->ca_file = options.ca_file;
  return out;
}

}  // namespace

api::DaemonClient daemon_of(const Settings& settings, const Clock& clock) {
  if (asks_another_machine(settings)) return {daemon_of(settings.client), clock};
  if (settings.http.listen.empty()) {
    return {Error{ErrorCode::kUnavailable, "no daemon can be asked, as http.listen is empty"},
            clock};
  }
  const auto& listen = settings.http.listen;
  // A unix socket needs neither a name nor TLS.
  const auto local = std::ranges::find(listen, SocketSpec::Kind::kUnix, &SocketSpec::kind);
  const SocketSpec& chosen = local == listen.end() ? listen.front() : *local;
  http::Endpoint daemon;
  daemon.socket = spec_to_connect(chosen);
  daemon.own = daemon.tls =
      chosen.kind != SocketSpec::Kind::kUnix && !settings.http.certificate.empty();
  daemon.ca_file = settings.http.certificate;
  return {std::move(daemon), clock};
}

Status answer_here(const api::Router& router, const http::HttpCall& call,
                   const http::HttpTaker& take) {
  const http::HttpRequest request = request_of(call);
  http::HttpReply reply = router.answer(request);
  while (reply.later) reply = reply.later(std::stop_token());
  if (reply.status != kAnswered) return api::error_of(reply);
  std::string piece = std::exchange(reply.body, {});
  for (;;) {
    if (!piece.empty()) {
      if (Status taken = take(piece); !taken) return taken;
    }
    if (!reply.more) return {};
    auto next = reply.more();
    if (!next) return next.error();
    if (next->empty()) return {};
    piece = *std::move(next);
  }
}

}  // namespace shingled::milter::desk
