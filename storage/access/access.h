#pragma once

#include <atomic>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/leaky_bucket.h"
#include "config/base/result.h"
#include "config/options/storage_options.h"
#include "config/system/socket_address.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/access/network_set.h"
#include "storage/access/request_tally.h"
#include "storage/access/source_limits.h"
#include "storage/crypto/keypair.h"
#include "storage/model/fuzzy_store.h"
#include "storage/protocol/codec.h"

namespace shingled::storage::access {

/// A set of lists, by flag. It cannot contain a flag above 255: on the wire a flag has eight bits.
using FlagBits = std::bitset<256>;

/// Which matching hashes are hidden from one client.
struct Visibility {
  FlagBits forbidden;             ///< hits on these lists are hidden
  std::chrono::seconds delay{0};  ///< hashes younger than this are hidden
};

/// How a match was shown to the client.
enum class Shown : std::uint8_t {
  kHit,
  kSkipped,  ///< answered 401: the digest is in skip_hashes
  kDelayed,  ///< too young: the reply names its list and digest, but is not a hit
  kHidden,   ///< only on forbidden lists: the reply is a miss
};

/// Writes into `reply` what the client may see of `match` (PROTOCOL.md 5.2, 5.7). The caller has
/// set the tag and the digest of the question; if the client may see nothing, `reply` stays a miss.
/// `skipped`: the matched digest is in skip_hashes.
///
/// In form v2, if the first list is forbidden, the first list that is not forbidden takes its
/// place. In the other forms a forbidden first list hides the whole match. A hash is young for
/// `delay` and up to 50 % more, depending on its digest. The extra time is the same for each client
/// and each question, so a client learns nothing by asking often.
/// Threads: stateless.
Shown disclose(const Match& match, bool skipped, const Visibility& visibility,
               protocol::ReplyForm form, WallTime now, protocol::Reply& reply);

/// The time of both clocks at one instant.
struct Moment {
  TimePoint steady{};
  WallTime wall{};
};

/// The rate limit bucket of one key, shared by all workers.
using KeyBucket = std::atomic<LeakyBucket>;

/// The state that is kept when a reload replaces the rights: the levels of all buckets and the
/// counts of requests. Each server has one.
struct AccessState {
  LimitState sources;
  std::map<crypto::PublicKey, std::shared_ptr<KeyBucket>> keys;
  std::map<crypto::PublicKey, std::shared_ptr<KeyTally>> tallies;
  std::shared_ptr<KeyTally> plain;  ///< counts requests that are not encrypted
};

/// The rights of clients that use one of our keys.
struct KeyAccess {
  bool may_read = true;
  bool may_write = false;
  bool may_delete = false;
  std::optional<FlagBits> forbidden;  ///< nullopt = the lists that are forbidden to all
  std::optional<WallTime> expire;
  std::optional<LeakRate> rate;  ///< of CHECKs; if set, `bucket` is set, too
  std::shared_ptr<KeyBucket> bucket;
  std::shared_ptr<KeyTally> tally;

  [[nodiscard]] bool is_expired(WallTime now) const { return expire && now >= *expire; }
  /// Counts one CHECK. Returns whether it is within the rate.
  [[nodiscard]] bool take(TimePoint now) const;
};

/// Why an update is refused.
enum class UpdateRefusal : std::uint8_t { kReadOnly, kAddress, kNoKey, kExpiredKey, kKeyMayNot };
inline constexpr std::size_t kUpdateRefusals = 5;

/// The setting to look at, as a sentence of the log.
std::string_view to_string(UpdateRefusal refusal);

/// The rights of clients, and the keys of the server: all that a reload replaces (PROTOCOL.md 5.4,
/// 5.7, 5.9).
/// Threads: immutable, any thread.
/// Cost: no allocation after `make`, except by `key_readings`.
class Access {
 public:
  /// `state` keeps the levels of the buckets from one call to the next; null: all buckets are
  /// empty. Does not read the files that the options name; ListReader does.
  /// Errors: kInvalid for key pairs that are not valid, see `Keyring::make`.
  static Result<Access> make(const ServerOptions& options, AccessState* state = nullptr);

  /// Packets from this address are dropped before they are parsed.
  [[nodiscard]] bool is_blocked(const IpAddress& ip) const { return blocked_.contains(ip); }
  /// The rate limits by source. They are checked for each packet and connection, before it is read.
  [[nodiscard]] const SourceLimits& sources() const { return sources_; }
  /// The rate of key agreements of one worker.
  [[nodiscard]] const LeakRate& agreement_rate() const { return agreement_rate_; }
  [[nodiscard]] bool needs_encryption() const { return encrypted_only_; }
  /// Whether a plain request of 76 bytes may get a reply of 144 bytes. Loopback and the networks of
  /// `storage.trusted` may, because their source addresses are probably real. Any other source
  /// address may be forged, and then the larger reply would go to a victim.
  [[nodiscard]] bool is_trusted(const IpAddress& ip) const {
    return ip.is_loopback() || trusted_.contains(ip);
  }

  [[nodiscard]] const crypto::Keyring& keyring() const { return keyring_; }
  /// The rights of the key that a request names; null if no key of the server can open the request.
  [[nodiscard]] const KeyAccess* key(const crypto::KeyId& id) const;

  /// The counters for requests with this key; for null, the counters for plain requests.
  [[nodiscard]] const std::shared_ptr<KeyTally>& tally(const KeyAccess* key) const {
    return key == nullptr ? plain_ : key->tally;
  }
  /// The counts of each key and of plain requests.
  [[nodiscard]] std::vector<KeyReading> key_readings() const;

  /// Why WRITE or DEL is not allowed, or nullopt. `key` is the key that the request was sealed
  /// with, or null. If `allow_update` lists addresses, only the address decides; otherwise only the
  /// key does.
  [[nodiscard]] std::optional<UpdateRefusal> update_refusal(const IpAddress& ip,
                                                            const KeyAccess* key,
                                                            protocol::CommandCode code,
                                                            WallTime now) const;
  [[nodiscard]] bool may_update(const IpAddress& ip, const KeyAccess* key,
                                protocol::CommandCode code, WallTime now) const {
    return !update_refusal(ip, key, code, now);
  }
  /// Returns 0 if a CHECK is allowed, else the status to refuse it with. Counts the CHECK against
  /// the rate of the key.
  static std::int32_t check_refusal(const KeyAccess* key, const Moment& now);

  /// Which of the matching hashes this client may see.
  [[nodiscard]] Visibility visibility_for(const IpAddress& ip, const KeyAccess* key) const;
  /// Whether this digest is in `skip_hashes`: never stored and never shown.
  [[nodiscard]] bool is_skipped(const Digest& digest) const;
  /// Whether this list is weak: a WRITE to it never replaces another list of the digest.
  [[nodiscard]] bool is_weak(std::uint8_t flag) const { return weak_.test(flag); }
  /// True if keys have rights to update that have no effect, because addresses decide.
  [[nodiscard]] bool ignores_keys() const { return ignores_keys_; }

 private:
  Access(const ServerOptions& options, crypto::Keyring keyring, AccessState& state);

  NetworkSet blocked_;
  NetworkSet allow_update_;
  NetworkSet trusted_;
  NetworkSet delay_whitelist_;
  SourceLimits sources_;
  LeakRate agreement_rate_;
  bool encrypted_only_;
  bool read_only_;
  bool addresses_decide_;
  bool ignores_keys_ = false;
  FlagBits forbidden_;
  FlagBits weak_;
  std::chrono::seconds delay_;
  std::vector<Digest> skipped_;  // sorted
  crypto::Keyring keyring_;
  std::vector<KeyAccess> keys_;  // in the order of keyring_.all()
  std::shared_ptr<KeyTally> plain_;
};

}  // namespace shingled::storage::access
