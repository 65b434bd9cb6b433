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

inline constexpr std::uint32_t kRepeatSeconds = 30;  ///< beyond any client's retransmits
inline constexpr std::size_t kFlagsMax = 8;          ///< lists one digest may stand on
inline constexpr std::uint32_t kMatchSlotsMin =
    17;  ///< fewer equal slots are no match (PROTOCOL.md 5.2)

/// On how many reports a digest stands on one list.
struct FlagValue {
  std::uint32_t flag = 0;
  std::int32_t value = 0;
  friend bool operator==(const FlagValue&, const FlagValue&) = default;
};

/// A stored hash that answers a question.
struct Match {
  Digest digest;            ///< the stored one
  std::uint32_t slots = 0;  ///< equal shingle slots of 32; for an exact digest 32
  bool exact = false;       ///< found by digest
  std::uint8_t flag_count = 0;
  std::array<FlagValue, kFlagsMax> flags{};  ///< largest value first
  std::uint32_t created = 0;                 ///< Unix seconds
  std::uint32_t updated = 0;                 ///< Unix seconds

  /// 1.0 for an exact digest, else min(slots, 31) / 32: what goes on the wire.
  [[nodiscard]] float probability() const {
    return exact ? 1.0F : static_cast<float>(slots < 31 ? slots : 31) / 32.0F;
  }
  friend bool operator==(const Match&, const Match&) = default;
};

/// Equal for an update and its repeats, for no other one. All zeros: it has no name.
using UpdateName = std::array<std::uint8_t, 16>;

/// For hash tables. Of packets that differ in a byte one finds names that begin alike.
struct UpdateNameHash {
  std::size_t operator()(const UpdateName& name) const { return SecretHash::of_process()(name); }
};

/// A change to the storage.
struct Update {
  enum class Kind : std::uint8_t { kAdd, kDelete };
  Kind kind = Kind::kAdd;
  std::uint32_t flag = 0;  ///< delete: 0 = the digest with all flags, else this flag alone
  std::int32_t value = 0;  ///< add: how much more; negative takes away; saturates
  bool weak = false;       ///< add: never pushes out another flag when all eight are taken
  Fingerprint fingerprint;
  std::uint64_t source = 0;  ///< who said so (hash of address or key), for explain; 0 = unknown
  UpdateName name{};         ///< stored with it, for `recent_updates`
  std::uint64_t seal = 0;    ///< likewise: that of the packet it came in (`seal_name`); 0 = none
  /// Add: another hash of the same text, deleted with this one, for who deletes may not know its
  /// form. The embedded store keeps the last one named.
  std::optional<Digest> companion = std::nullopt;
  friend bool operator==(const Update&, const Update&) = default;
};

/// What a CHECK asks. Lent.
struct Question {
  const Digest* digest = nullptr;
  const Shingles* shingles = nullptr;  ///< null = an exact digest or nothing
};

/// How often a stored hash answered a question.
struct HitCount {
  Digest digest;
  std::uint32_t hits = 0;
  friend bool operator==(const HitCount&, const HitCount&) = default;
};

/// Called once when an update is durable (success) or was refused. May come on another thread; must
/// not block.
using UpdateDone = std::function<void(const Status&)>;

/// The storage as the server and the milter see it; the engine implements it.
///
/// Threads: any thread; `check` never waits for a disk.
class FuzzyStore {
 public:
  virtual ~FuzzyStore() = default;

  /// The best match: an exact digest, else most slots (at least kMatchSlotsMin), ties by the newer
  /// `updated`. An expired record is no match. `now` in Unix seconds.
  [[nodiscard]] virtual std::optional<Match> check(const Digest& digest, const Shingles* shingles,
                                                   std::uint32_t now) const = 0;
  /// `check` for each question; `answers` has as many places. A store that must fetch from memory
  /// or from a server fetches for all of them at once. False: the store cannot be reached, and a
  /// question without an answer is not known to be a miss.
  [[nodiscard]] virtual bool check_batch(std::span<const Question> questions, std::uint32_t now,
                                         std::span<std::optional<Match>> answers) const {
    for (std::size_t i = 0; i < questions.size(); ++i)
      answers[i] = check(*questions[i].digest, questions[i].shingles, now);
    return true;
  }
  /// Every match over the threshold, best first, at most `most`.
  [[nodiscard]] virtual std::vector<Match> check_all(const Fingerprint& fingerprint,
                                                     std::uint32_t now, std::size_t most) const = 0;
  /// Those that answered most questions since the store was opened, most first; none where that is
  /// not counted. What a client may not see counts, too; `check_all` does not.
  [[nodiscard]] virtual std::vector<HitCount> most_hit(std::size_t /*most*/) const { return {}; }
  /// Hands an update to the writer; `done` comes after its commit. kLimit when the queue is full,
  /// kUnavailable when the disk refuses (both through `done`).
  virtual void submit(Update update, UpdateDone done) = 0;
  /// Names of the updates that were made shortly before the store was opened, oldest first: what
  /// comes again is a repeat, also after a crash. As long as kRepeatSeconds by the wall clock.
  [[nodiscard]] virtual std::vector<UpdateName> recent_updates() const { return {}; }
  /// The seals of the updates that were made before the store was opened, oldest first, as far as
  /// RepeatOptions have them kept.
  [[nodiscard]] virtual std::vector<std::uint64_t> recent_seals() const { return {}; }
  /// Live records.
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Tells what it has measured. Does not wait for a disk or a peer.
  virtual void report(MetricReport& /*report*/) const {}
};

/// An update on its way somewhere else, with the time it was submitted. The update is lent.
struct TimedUpdate {
  const Update* update = nullptr;
  std::uint32_t time = 0;  ///< Unix seconds
};

}  // namespace shingled::storage
