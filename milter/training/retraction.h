#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/options/settings.h"
#include "milter/desk/servers/server_choice.h"
#include "milter/desk/servers/service_failure.h"
#include "milter/input/message_source.h"
#include "milter/training/message_groups.h"
#include "mime/analyze.h"
#include "storage/client/remote_store.h"

namespace shingled::milter::training {

/// Which hashes `del` deletes.
struct RetractionScope {
  std::uint32_t flag = 0;  ///< from this list alone; 0 = from all of them
  std::string list;        ///< the flag for people: "denied (11)"
  bool matching = false;   ///< also what the message only resembles
};

/// A hash of a message, or a stored one that it resembles, and its lists at a server.
struct FoundHash {
  std::string server;
  Digest digest;
  std::uint32_t slots = 0;  ///< equal ones of 32
  bool exact = false;       ///< the message's own
  std::vector<storage::FlagValue> flags;

  /// A server with old replies tells that something matched, but not what.
  [[nodiscard]] bool is_named() const { return digest != Digest{}; }
};

/// What became of a message.
struct RetractedMessage {
  std::string name;
  std::vector<Fingerprint> hashes;  ///< empty = there was nothing to delete
  std::vector<FoundHash> deleted = {};
  std::vector<FoundHash> staying = {};   ///< its own hashes, on other lists than the one meant
  std::vector<FoundHash> matching = {};  ///< what it still resembles
  std::uint64_t withdrawn = 0;           ///< people whose reports were
  std::string not_withdrawn = {};        ///< why reports of it were not
  bool unseen = false;                   ///< a server does not answer questions of ours
  std::size_t done = 0;                  ///< deletions that were acknowledged
  bool given_up = false;  ///< at the server that is asked now; the others have their turn
  std::optional<desk::ServiceFailure> failure = {};  ///< the first one
};

/// Takes messages back from the servers of one rule, and says of each what was there.
///
/// Every server is asked before and after, for a deletion is acknowledged whether or not there was
/// something to delete: what stood on which list is known from the first answer, and what the
/// message still resembles from the second. Such a hash is somebody else's report: it stays, or is
/// deleted as well with `matching`, one after the other, at most kMatchingMax of them a hash.
/// Threads: one thread.
class Retraction {
 public:
  static constexpr std::size_t kMatchingMax = 100;

  using Tell = std::function<void(const RetractedMessage&)>;

  /// Errors: those of RemoteStore::open; with a list also kInvalid for a server that can delete
  /// only from all lists, and a failure to ask it.
  static Result<std::unique_ptr<Retraction>> open(const desk::Destination& destination,
                                                  const Settings& settings,
                                                  const RetractionScope& scope, Clock& clock,
                                                  Random& random, Tell tell);

  /// Called with the hashes of a message, on the list meant (0 = all), when they were deleted:
  /// withdraws the reports of them and what is like them, so that the next one does not bring
  /// them back. Returns how many people's they were.
  using Withdraw =
      std::function<Result<std::uint64_t>(std::span<const Digest> hashes, std::uint32_t flag)>;
  void set_withdraw(Withdraw withdraw) { withdraw_ = std::move(withdraw); }

  [[nodiscard]] std::size_t server_count() const { return servers_.size(); }

  void take(const input::SourceMessage& message);
  void take(std::string name, std::vector<Fingerprint> hashes);
  /// Sends the remaining messages; call once, at the end.
  void finish() { groups_.finish(); }

 private:
  struct Server {
    std::string name;
    RemoteOptions remote;
    std::unique_ptr<storage::client::RemoteStore> store;
  };
  using Group = std::span<RetractedMessage>;

  Retraction(const desk::Destination& destination, const Settings& settings, RetractionScope scope,
             const Clock& clock, Tell tell);
  void send(Group group);
  void withdraw_reports(Group group);
  void send_to(const Server& server, Group group);
  void delete_matching(const Server& server, RetractedMessage& message, const Fingerprint& hash,
                       std::optional<storage::Match> match);
  [[nodiscard]] bool concerns(const std::vector<storage::FlagValue>& flags) const;
  [[nodiscard]] storage::client::RemoteRequest deletion_of(const Digest& digest) const;
  std::vector<storage::client::RemoteAnswer> ask(const Server& server, Group group,
                                                 storage::client::RemoteRequest::Kind kind);

  const MimeOptions& mime_;
  const mime::HashRule hash_rule_;
  const RetractionScope scope_;
  const Clock& clock_;
  const Tell tell_;
  std::vector<Server> servers_;
  Withdraw withdraw_;
  MessageGroups<RetractedMessage> groups_;
};

}  // namespace shingled::milter::training
