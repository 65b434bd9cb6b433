#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/judge/message/message_view.h"
#include "milter/rules/facts.h"
#include "mime/analyze.h"
#include "storage/client/prober.h"
#include "storage/client/remote_store.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::judge {

/// When the names of remote servers are looked up.
enum class ServerNames : std::uint8_t {
  kNow,    ///< when they are opened; it fails if one has no address
  kLater,  ///< by the user of `services`; such a server is unreachable until then
};

/// Looks up the hashes of a message by the rules of some settings: in the embedded store, and in
/// all remote stores at the same time over UDP.
///
///   begin -> ask_local -> ask_remotes
///
/// Threads: any thread.
class HashLookups {
 public:
  /// Adds the hashes of the rules to `plan`. `local` answers the rules without servers; null =
  /// their look-ups are kUnreachable. `settings`, `local` and `clock` must outlive it.
  /// Errors: a remote store that cannot be opened; names its rule.
  static Result<HashLookups> open(const Settings& settings, const storage::FuzzyStore* local,
                                  Clock& clock, Random& random, ServerNames names, ViewPlan& plan);

  /// Puts the look-ups of a message into `facts`, at most `milter.lookups_max` of each rule.
  void begin(const MessageView& message, rules::Facts& facts) const;
  /// Asks for all hashes in one call, so that a store that is reached over a network waits only
  /// once; each look-up gets this time.
  void ask_local(rules::Facts& facts) const;
  /// The same for a message that is only tried: no hit of a stored hash is counted. One hash is
  /// asked for after another.
  void try_local(rules::Facts& facts) const;
  /// Whether remote servers have to be asked for this message.
  [[nodiscard]] bool has_remote(const rules::Facts& facts) const;
  void ask_remotes(rules::Facts& facts, TimePoint deadline, const std::stop_token& stop) const;
  /// The remote services that it asks; they may outlive it.
  [[nodiscard]] std::vector<storage::client::ProbedService> services() const;

 private:
  HashLookups(const Settings& settings, const storage::FuzzyStore* local, Clock& clock)
      : settings_(settings), local_(local), clock_(clock) {}

  /// Asks the store for all questions; false if it cannot be reached.
  using AskStore = std::function<bool(std::span<const storage::Question>, std::uint32_t now,
                                      std::span<std::optional<storage::Match>>)>;
  void ask_local(rules::Facts& facts, const AskStore& ask) const;

  const Settings& settings_;
  const storage::FuzzyStore* local_;
  Clock& clock_;
  std::vector<std::size_t> hash_of_rule_;  ///< into MessageView::asked()
  std::vector<std::shared_ptr<storage::client::RemoteStore>> remotes_;  ///< by rule; null = local
};

/// Copies the answer of a remote server into a look-up. Status 401 (the server knows the hash, but
/// does not report it) is a miss.
void take_answer(rules::Lookup& lookup, const storage::client::RemoteAnswer& answer);

/// The hashes of a message in the order in which they are looked up, at most `count_max`: first
/// those of the visible body in their order, then other texts, attachments and images, archives;
/// within a group the larger part first. So the least useful hashes are left out, and hiding a part
/// by padding costs more bytes than the part has. Pure.
std::vector<mime::PartHash> in_order_of_value(std::vector<mime::PartHash> hashes,
                                              std::size_t count_max);

}  // namespace shingled::milter::judge
