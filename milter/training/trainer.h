#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/options/settings.h"
#include "milter/desk/servers/server_choice.h"
#include "milter/desk/servers/service_failure.h"
#include "milter/input/message_source.h"
#include "milter/training/message_groups.h"
#include "milter/training/weight_needed.h"
#include "mime/analyze.h"
#include "storage/client/remote_store.h"

namespace shingled::milter::training {

/// What is done with each hash.
struct TrainingRequest {
  std::uint32_t flag = 0;
  std::int32_t weight = 1;
  std::string list;    ///< the flag for people: "denied (11)"
  bool force = false;  ///< also what looks like many others, and what is no mail (message_shape.h)
};

/// What became of a message.
struct TaughtMessage {
  enum class Result : std::uint8_t {
    kAdded,
    kFailed,     ///< `failure` says why
    kNoMessage,  ///< a file that is no mail
    kCommon,     ///< it looks like many others
    kNoHash,
  };

  Result result = Result::kAdded;
  std::string name;
  std::string why;  ///< it was not sent
  rules::TextAmount text = rules::TextAmount::kNone;
  std::vector<ListedHash> hashes;                    ///< the lists: as they are now
  std::size_t stored = 0;                            ///< hashes that every server has now
  std::optional<desk::ServiceFailure> failure = {};  ///< the first one
  std::optional<std::int32_t> weight = {};           ///< on the list now, where the server says it
  WeightNeeded needed = {};  ///< from which weight on the milter does something
};

/// Teaches messages to the servers of one rule: every one of them must accept every hash.
///
/// Messages are sent in groups; each has an outcome of its own. Weights are known where the server
/// says them: a shingled, whose answer to an update comes after its commit.
/// Threads: one thread.
class Trainer {
 public:
  using Tell = std::function<void(const TaughtMessage&)>;

  /// All must outlive it.
  Trainer(const desk::Destination& destination, const Settings& settings,
          const TrainingRequest& request, storage::client::RemoteStore& store, const Clock& clock,
          Tell tell);

  void take(const input::SourceMessage& message);
  /// Sends the remaining messages; call once, at the end.
  void finish() { groups_.finish(); }

 private:
  void leave_out(TaughtMessage message, TaughtMessage::Result result, std::string why);
  void send(std::span<TaughtMessage> group);
  /// Asks for the present weights of the messages that were taught.
  void look_again(std::span<TaughtMessage> group);
  /// The answer of the servers to STAT.
  const storage::client::RemoteAnswer& who();

  const desk::Destination& destination_;
  const MimeOptions& mime_;
  const ActionOptions& actions_;
  const mime::HashRule hash_rule_;
  const TrainingRequest& request_;
  storage::client::RemoteStore& store_;
  const Clock& clock_;
  const Tell tell_;
  MessageGroups<TaughtMessage> groups_;
  std::optional<storage::client::RemoteAnswer> who_;
};

}  // namespace shingled::milter::training
