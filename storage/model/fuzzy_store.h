#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "mime/fingerprint/fingerprint.h"
#include "mime/fingerprint/secret_hash.h"

namespace shingled {
class MetricReport;  // config/metrics/metric_report.h
}

namespace shingled::storage {

inline constexpr std::uint32_t kRepeatSeconds = 30;  ///< longer than any client retransmits
inline constexpr std::size_t kFlagsMax = 8;          ///< lists that can contain one digest
inline constexpr std::uint32_t kMatchSlotsMin =
    17;  ///< fewer equal slots are not a match (PROTOCOL.md 5.2)

/// One list that contains a digest, and how many reports put the digest there.
struct FlagValue {
  std::uint32_t flag = 0;
  std::int32_t value = 0;
  friend bool operator==(const FlagValue&, const FlagValue&) = default;
};

/// A stored hash that matches a question.
struct Match {
  Digest digest;            ///< of the stored hash
  std::uint32_t slots = 0;  ///< equal shingle slots, of 32; for an exact digest 32
  bool exact = false;       ///< found by digest
  std::uint8_t flag_count = 0;
  std::array<FlagValue, kFlagsMax> flags{};  ///< largest value first
  std::uint32_t created = 0;                 ///< Unix seconds
  std::uint32_t updated = 0;                 ///< Unix seconds

  /// The probability as sent on the wire: 1.0 for an exact digest, else min(slots, 31) / 32.
  [[nodiscard]] float probability() const {
    return exact ? 1.0F : static_cast<float>(slots < 31 ? slots : 31) / 32.0F;
  }
  friend bool operator==(const Match&, const Match&) = default;
};

/// The id of an update: an update and its repeats have the same id, no other update has it. All
/// zeros: the update has no id.
using UpdateId = std::array<std::uint8_t, 16>;

/// For hash tables. It uses a secret, because a client that varies a packet can find ids that
/// begin with the same bytes.
struct UpdateIdHash {
  std::size_t operator()(const UpdateId& name) const { return SecretHash::of_process()(name); }
};

/// A change to the storage.
struct Update {
  enum class Kind : std::uint8_t { kAdd, kDelete };
  Kind kind = Kind::kAdd;
  std::uint32_t flag = 0;  ///< delete: 0 = the digest from all lists, else from this list only
  std::int32_t value = 0;  ///< add: added to the stored value; may be negative; saturates
  bool weak = false;       ///< add: never replaces another flag when the digest has eight
  Fingerprint fingerprint = {};
  std::uint64_t source = 0;  ///< hash of the address or key of the sender, for explain; 0 = unknown
  UpdateId name{};           ///< stored with the update, for `recent_updates`
  std::uint64_t seal = 0;    ///< stored, too: `seal_id` of the packet it came in; 0 = none
  /// Add: another hash of the same text. It is deleted together with this one, because a client
  /// that deletes may not know the other form of the text. If several updates name a companion, the
  /// embedded store keeps the last.
  std::optional<Digest> companion = std::nullopt;
  friend bool operator==(const Update&, const Update&) = default;
};

/// The question of a CHECK. It points to the caller's data.
struct Question {
  const Digest* digest = nullptr;
  const Shingles* shingles = nullptr;  ///< null = only an exact digest matches
};

/// How often a stored hash matched a question.
struct HitCount {
  Digest digest;
  std::uint32_t hits = 0;
  friend bool operator==(const HitCount&, const HitCount&) = default;
};

/// Called once, when an update is durable (success) or was refused. The call may come on another
/// thread. The function must not block.
using UpdateDone = std::function<void(const Status&)>;

/// The storage as the server and the milter use it.
///
/// Threads: any thread; `check` never waits for a disk.
class FuzzyStore {
 public:
  virtual ~FuzzyStore() = default;

  /// The best match: the exact digest, else the hash with most equal slots (at least
  /// kMatchSlotsMin); of several with equal slots the one with the newest `updated`. An expired
  /// record does not match. `now` is in Unix seconds.
  [[nodiscard]] virtual std::optional<Match> check(const Digest& digest, const Shingles* shingles,
                                                   std::uint32_t now) const = 0;
  /// Does `check` for each question and writes the result to the same place in `answers`, which has
  /// the same size. A store that must fetch data from memory or from a server fetches for all
  /// questions at once. Returns false if the store cannot be reached: then a question without an
  /// answer may still have a match.
  [[nodiscard]] virtual bool check_batch(std::span<const Question> questions, std::uint32_t now,
                                         std::span<std::optional<Match>> answers) const {
    for (std::size_t i = 0; i < questions.size(); ++i)
      answers[i] = check(*questions[i].digest, questions[i].shingles, now);
    return true;
  }
  /// All matches over the threshold, best first, at most `most`.
  [[nodiscard]] virtual std::vector<Match> check_all(const Fingerprint& fingerprint,
                                                     std::uint32_t now, std::size_t most) const = 0;
  /// The hashes that matched most questions since the store was opened, most first. Empty if the
  /// store does not count this. Matches that were hidden from the client count, too; calls of
  /// `check_all` do not.
  [[nodiscard]] virtual std::vector<HitCount> most_hit(std::size_t /*most*/) const { return {}; }
  /// Gives an update to the writer, which calls `done` after the commit.
  /// Errors (all through `done`): kLimit if the queue is full, kUnavailable if the disk refuses.
  virtual void submit(Update update, UpdateDone done) = 0;
  /// False from an update that the disk refused to one that it took.
  [[nodiscard]] virtual bool takes_updates() const { return true; }
  /// The names of the updates of the last kRepeatSeconds (wall clock) before the store was opened,
  /// oldest first. With them a repeat is recognised even after a crash.
  [[nodiscard]] virtual std::vector<UpdateId> recent_updates() const { return {}; }
  /// The seals of updates that were made before the store was opened, oldest first. RepeatOptions
  /// say how many are kept.
  [[nodiscard]] virtual std::vector<std::uint64_t> recent_seals() const { return {}; }
  /// The number of live records.
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Reports the store's measurements. Does not wait for a disk or a peer.
  virtual void report(MetricReport& /*report*/) const {}
};

/// An update that is sent to another place, and when it was submitted. Does not own the update.
struct TimedUpdate {
  const Update* update = nullptr;
  std::uint32_t time = 0;  ///< Unix seconds
};

/// The lists that contain one digest: at most kFlagsMax, each flag once, sorted by value, largest
/// first (for equal values, smaller flag first). A value type.
class FlagSet {
 public:
  /// Adds the value to the flag; the sum saturates at the ends of i32. A ninth flag replaces the
  /// flag with the smallest value if its own value is larger and the add is not `weak`; otherwise
  /// it is dropped (PROTOCOL.md 5.6).
  void add(FlagValue what, bool weak = false);
  /// Removes the digest from one list. Does nothing if the digest is not on that list.
  void remove(std::uint32_t flag);
  void clear() { count_ = 0; }

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::span<const FlagValue> all() const { return {flags_.data(), count_}; }
  [[nodiscard]] const FlagValue& front() const { return flags_.front(); }
  friend bool operator==(const FlagSet& a, const FlagSet& b);

 private:
  void sort();
  std::array<FlagValue, kFlagsMax> flags_{};
  std::uint32_t count_ = 0;
};

}  // namespace shingled::storage
