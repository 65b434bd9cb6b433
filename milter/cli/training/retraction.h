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
#include "milter/cli/access/server_choice.h"
#include "milter/cli/input/message_source.h"
#include "milter/cli/terminal/console.h"
#include "mime/analyze.h"
#include "storage/client/remote_store.h"

namespace shingled::milter::cli {

/// Which hashes `del` deletes.
struct RetractionScope {
  std::uint32_t flag = 0;  ///< from this list alone; 0 = from all of them
  std::string list;        ///< the flag for people: "denied (11)"
  bool matching = false;   ///< also what the message only resembles
};

/// Takes messages back from the servers of one rule, and says of each what was there.
///
/// Every server is asked before and after, for a deletion is acknowledged whether or not there was
/// something to delete: what stood on which list is known from the first answer, and what the
/// message still resembles from the second. Such a hash is somebody else's report: it is named with
/// the command that deletes it, or deleted as well with `matching`, one after the other, at most
/// kMatchingMax of them a hash. Messages go in groups, so that a server commits many in one
/// transaction.
/// Threads: one thread.
class Retraction {
 public:
  static constexpr std::size_t kMatchingMax = 100;

  /// Errors: those of RemoteStore::open; with a list also kInvalid for a server that can delete
  /// only from all lists, and a failure to ask it (`exit_code`).
  static Result<std::unique_ptr<Retraction>> open(const Destination& destination,
                                                  const Settings& settings,
                                                  const RetractionScope& scope, Clock& clock,
                                                  Random& random, Console& console);

  /// One JSON object per line instead of text.
  void set_json(bool json) { json_ = json; }
  /// Called with the hashes of a message, on the list meant (0 = all), when they were deleted:
  /// withdraws the reports of them and what is like them, so that the next one does not bring
  /// them back. Returns how many people's they were.
  using Withdraw =
      std::function<Result<std::uint64_t>(std::span<const Digest> hashes, std::uint32_t flag)>;
  void set_withdraw(Withdraw withdraw) { withdraw_ = std::move(withdraw); }

  /// Each returns the worst exit code of the messages sent by this call: EX_DATAERR for a message
  /// without a hash, and for one that still resembles a stored hash.
  int take(const SourceMessage& message);
  int take(std::string name, std::vector<Fingerprint> hashes);
  /// Sends the remaining messages; call once, at the end.
  int finish();

 private:
  struct Server {
    RemoteOptions remote;
    std::unique_ptr<storage::client::RemoteStore> store;
  };

  /// A hash of the message, or a stored one that it resembles, and its lists at a server.
  struct Found {
    const Server* server = nullptr;
    Digest digest;
    std::uint32_t slots = 0;  ///< equal ones of 32
    bool exact = false;       ///< the message's own
    std::vector<storage::FlagValue> flags;
  };

  struct Pending {
    std::string name;
    std::vector<Fingerprint> hashes;
    std::vector<Found> deleted;
    std::vector<Found> staying;   ///< its own hashes, on other lists than the one meant
    std::vector<Found> matching;  ///< what it still resembles
    std::uint64_t withdrawn = 0;  ///< people whose reports were
    bool unseen = false;          ///< a server does not answer questions of ours
    std::size_t done = 0;         ///< deletions that were acknowledged
    bool given_up = false;        ///< at the server that is asked now; the others have their turn
    std::optional<storage::client::RemoteAnswer> failure;  ///< the first one
  };

  Retraction(const Destination& destination, const Settings& settings, RetractionScope scope,
             const Clock& clock, Console& console);

  int send();
  void withdraw_reports();
  void send_to(const Server& server);
  void delete_matching(const Server& server, Pending& message, const Fingerprint& hash,
                       std::optional<storage::Match> match);
  void note_failure(Pending& message, const storage::client::RemoteAnswer& answer);
  [[nodiscard]] bool concerns(const std::vector<storage::FlagValue>& flags) const;
  [[nodiscard]] storage::client::RemoteRequest deletion_of(const Digest& digest) const;
  std::vector<storage::client::RemoteAnswer> ask(const Server& server,
                                                 storage::client::RemoteRequest::Kind kind);
  [[nodiscard]] std::string list_name(std::uint32_t flag) const;
  [[nodiscard]] std::string command_for(const Found& found) const;
  [[nodiscard]] std::string summary(const Pending& message) const;
  [[nodiscard]] Json json_of(const std::vector<Found>& all) const;
  int report(const Pending& message);

  const Destination& destination_;
  const MimeOptions& mime_;
  const mime::HashRule hash_rule_;
  const RetractionScope scope_;
  const Clock& clock_;
  Console& console_;
  std::vector<Server> servers_;
  bool json_ = false;
  Withdraw withdraw_;
  std::vector<Pending> pending_;
  std::size_t pending_hashes_ = 0;
  std::size_t taken_ = 0;
  std::size_t deleted_ = 0;
  std::size_t without_hash_ = 0;
  std::size_t unknown_ = 0;   ///< not stored at all
  std::size_t matching_ = 0;  ///< found all the same
  std::size_t failed_ = 0;
};

}  // namespace shingled::milter::cli
