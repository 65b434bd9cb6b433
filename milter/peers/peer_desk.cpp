#include "milter/peers/peer_desk.h"

#include <algorithm>
#include <string_view>
#include <thread>
#include <utility>

#include "milter/api/client/client_key.h"
#include "milter/api/client/daemon_client.h"

namespace shingled::milter::peers {

namespace {

/// As people name a host: the URL without its scheme.
std::string host_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  return std::string(scheme == std::string_view::npos ? url : url.substr(scheme + 3));
}

}  // namespace

Result<std::string> PeerDesk::ask_one(const HistoryOptions& options, const std::string& url,
                                      const std::string& target, TimePoint deadline) const {
  auto server = http::parse_endpoint(url);
  if (!server) return server.error().in("history.peers");
  auto key = api::read_client_key(options.peers_key_file);
  if (!key) return key.error().in("history.peers_key_file");
  server->key = *std::move(key);
  server->ca_file = options.peers_ca_file;
  const api::DaemonClient client(*std::move(server), clock_);
  const http::HttpCall call{
      .method = http::HttpMethod::kGet, .target = target, .deadline = deadline};
  std::string answer;
  const Status sent = client.send(call, kPatience, [&](std::string_view piece) {
    if (answer.size() + piece.size() > kAnswerBytesMax)
      return Status(Error{ErrorCode::kLimit, "the answer is too long"});
    answer += piece;
    return Status();
  });
  if (!sent) return sent.error();
  return answer;
}

std::vector<api::PeerAnswer> PeerDesk::ask(const std::string& target) const {
  const HistoryOptions options = *options_.lock();
  const TimePoint deadline = clock_.now() + kPatience;
  std::vector<api::PeerAnswer> out;
  for (const std::string& url : options.peers)
    out.push_back({host_of(url), Error{ErrorCode::kTimeout, "it was not asked"}});
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < out.size(); ++i) {
    threads.emplace_back(
        [&, i] { out[i].answer = ask_one(options, options.peers[i], target, deadline); });
  }
  threads.clear();  // joins them
  return out;
}

}  // namespace shingled::milter::peers
