#include "milter/desk/servers/asking_servers.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "milter/desk/servers/service_failure.h"

namespace shingled::milter::desk {

using storage::client::RemoteAnswer;
using storage::client::RemoteRequest;

std::vector<RemoteAnswer> ask_in_groups(storage::client::RemoteStore& store,
                                        std::span<const RemoteRequest> requests,
                                        const RemoteOptions& remote, const Clock& clock) {
  std::vector<RemoteAnswer> all;
  while (!requests.empty()) {
    const auto group = requests.first(std::min(requests.size(), kRequestsAtOnce));
    requests = requests.subspan(group.size());
    const storage::client::RemoteBatch batch{&store, group};
    auto answers = storage::client::ask({&batch, 1}, patience(remote, clock)).front();
    const bool silent = std::all_of(answers.begin(), answers.end(), [](const auto& answer) {
      return answer.outcome == RemoteAnswer::Outcome::kTimeout ||
             answer.outcome == RemoteAnswer::Outcome::kUnreachable;
    });
    all.insert(all.end(), std::make_move_iterator(answers.begin()),
               std::make_move_iterator(answers.end()));
    if (silent) break;
  }
  return all;
}

std::vector<RemoteOptions> each_taught(const RemoteOptions& remote) {
  std::vector<RemoteOptions> out;
  for (const ServerSpec& server : remote.to_write().servers) {
    RemoteOptions one = remote;
    one.servers = {};
    one.servers.servers = {server};
    one.read_servers = one.write_servers = {};
    one.encryption_key = remote.key_to_write();
    one.read_encryption_key.reset();
    one.write_encryption_key.reset();
    out.push_back(std::move(one));
  }
  return out;
}

RemoteAnswer ask_who(storage::client::RemoteStore& store, const RemoteOptions& remote,
                     const Clock& clock) {
  RemoteRequest request;
  request.kind = RemoteRequest::Kind::kStat;
  const auto answers = storage::client::ask_each(store, request, patience(remote, clock));
  const auto worst = std::find_if(answers.begin(), answers.end(), [](const auto& answer) {
    return failure_of(answer) || !answer.deletes_from_list;
  });
  return worst != answers.end() ? *worst : answers.front();
}

}  // namespace shingled::milter::desk
