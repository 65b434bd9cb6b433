#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/options/settings.h"
#include "milter/cli/access/server_choice.h"
#include "milter/cli/input/message_source.h"
#include "milter/cli/terminal/console.h"
#include "milter/cli/training/weight_needed.h"
#include "mime/analyze.h"
#include "storage/client/remote_store.h"

namespace shingled::milter::cli {

/// What `add` does with each hash.
struct TrainingRequest {
  std::uint32_t flag = 0;
  std::int32_t weight = 1;
  std::string list;  ///< the flag for people: "denied (11)"
};

/// Teaches messages to the servers of one rule: every one of them must accept every hash.
///
/// Messages are sent in groups, so that the server commits many in one transaction, and a message
/// of many hashes in several; each is reported by itself, on one line. Of a message that failed the
/// line says how many of its hashes every server has; of one that was taught, its weight now and
/// from which weight on the milter does something, where the server says it: a shingled, whose
/// answer to an update comes after its commit.
/// Threads: one thread.
class Trainer {
 public:
  Trainer(const Destination& destination, const Settings& settings, const TrainingRequest& request,
          storage::client::RemoteStore& store, const Clock& clock, Console& console)
      : destination_(destination),
        mime_(settings.mime),
        actions_(settings.milter.actions),
        hash_rule_(hash_options(destination)),
        request_(request),
        store_(store),
        clock_(clock),
        console_(console) {}

  /// One JSON object per line instead of text.
  void set_json(bool json) { json_ = json; }
  /// Also what looks like many others, and what is no mail (message_shape.h).
  void set_force(bool force) { force_ = force; }

  /// The worst exit code of what was sent by this call: EX_DATAERR for a message without any hash,
  /// and for one that is not taught because it looks like many others or is no mail.
  int take(const SourceMessage& message);
  /// Sends the remaining messages; call once, at the end.
  int finish();

 private:
  struct Pending {
    std::string name;
    rules::TextAmount text = rules::TextAmount::kNone;
    std::vector<ListedHash> hashes;  ///< the lists: as they are after the request
    std::size_t stored = 0;          ///< hashes that every server has now
    std::optional<storage::client::RemoteAnswer> failure;  ///< the first one
  };

  int leave_out(const std::string& name, const char* result, const std::string& why);
  int send();
  /// Asks for the present weights of the messages that were taught.
  void look_again();
  /// The answer of the servers to STAT.
  const storage::client::RemoteAnswer& who();
  bool tells_weights();
  int report(const Pending& message);

  const Destination& destination_;
  const MimeOptions& mime_;
  const ActionOptions& actions_;
  const mime::HashRule hash_rule_;
  const TrainingRequest& request_;
  storage::client::RemoteStore& store_;
  const Clock& clock_;
  Console& console_;
  bool json_ = false;
  bool force_ = false;
  std::vector<Pending> pending_;
  std::size_t pending_hashes_ = 0;
  std::optional<storage::client::RemoteAnswer> who_;
  std::size_t taken_ = 0;
  std::size_t done_ = 0;
  std::size_t without_hash_ = 0;
  std::size_t common_ = 0;  ///< not taught: like many others
};

}  // namespace shingled::milter::cli
