#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "milter/desk/servers/asking_servers.h"

namespace shingled::milter::training {

/// Of a message that has nothing to teach or to take back.
inline constexpr std::string_view kNoHash =
    "no hash: the message is too short for this rule (see min_length, min_bytes)";

/// Collects messages and hands them on in groups of about kRequestsAtOnce hashes, so that a server
/// commits many in one transaction. `Message` has a container `hashes`.
/// Threads: one thread.
template <typename Message>
class MessageGroups {
 public:
  using Send = std::function<void(std::span<Message> group)>;
  explicit MessageGroups(Send send) : send_(std::move(send)) {}

  void add(Message message) {
    hashes_ += message.hashes.size();
    group_.push_back(std::move(message));
    if (hashes_ >= desk::kRequestsAtOnce) finish();
  }

  /// Hands on what is left.
  void finish() {
    if (!group_.empty()) send_(group_);
    group_.clear();
    hashes_ = 0;
  }

 private:
  Send send_;
  std::vector<Message> group_;
  std::size_t hashes_ = 0;
};

}  // namespace shingled::milter::training
