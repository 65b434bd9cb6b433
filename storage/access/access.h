#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "config/base/leaky_bucket.h"
#include "config/base/result.h"
#include "config/options/storage_options.h"
#include "config/system/socket_address.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/access/disclosure.h"
#include "storage/access/network_set.h"
#include "storage/access/request_tally.h"
#include "storage/access/source_limits.h"
#include "storage/crypto/keypair.h"
#include "storage/protocol/command.h"

namespace shingled::storage::access {

/// Both clocks at one instant.
struct Moment {
  TimePoint steady{};
  WallTime wall{};
};

/// The bucket of one key, for all workers.
using KeyBucket = std::atomic<LeakyBucket>;

/// What outlives the rights: the levels of all buckets, what was counted. Made once a server.
struct AccessState {
  LimitState sources;
  std::map<crypto::PublicKey, std::shared_ptr<KeyBucket>> keys;
  std::map<crypto::PublicKey, std::shared_ptr<KeyTally>> tallies;
  std::shared_ptr<KeyTally> plain;  ///< of requests in the clear
};

/// What clients may do that know one of our keys.
struct KeyAccess {
  bool may_read = true;
  bool may_write = false;
  bool may_delete = false;
  std::optional<FlagBits> forbidden;  ///< none = what is forbidden to all
  std::optional<WallTime> expire;
  std::optional<LeakRate> rate;  ///< of CHECKs; with it there is a bucket
  std::shared_ptr<KeyBucket> bucket;
  std::shared_ptr<KeyTally> tally;

  [[nodiscard]] bool is_expired(WallTime now) const { return expire && now >= *expire; }
  /// Counts one CHECK; whether it is within the rate.
  [[nodiscard]] bool take(TimePoint now) const;
};

/// Who may do what, and the keys: everything a reload replaces (PROTOCOL.md 5.4, 5.7, 5.9).
/// Threads: immutable, any thread.
/// Cost: nothing here allocates after `make`.
class Access {
 public:
  /// `state` keeps what buckets hold from one call to the next; null begins with empty ones.
  /// Files are not read: see ListReader.
  /// Errors: kInvalid for key pairs that cannot work, see `Keyring::make`.
  static Result<Access> make(const ServerOptions& options, AccessState* state = nullptr);

  /// Its packets are dropped unread.
  [[nodiscard]] bool is_blocked(const IpAddress& ip) const { return blocked_.contains(ip); }
  /// How often each may come; asked for every packet and connection, before anything is read of it.
  [[nodiscard]] const SourceLimits& sources() const { return sources_; }
  /// How many keys one worker may agree on.
  [[nodiscard]] const LeakRate& agreement_rate() const { return agreement_rate_; }
  [[nodiscard]] bool needs_encryption() const { return encrypted_only_; }
  /// May have 144 bytes for 76 in the clear: its source address is hardly forged. Anybody else's
  /// may be a victim's.
  [[nodiscard]] bool is_trusted(const IpAddress& ip) const {
    return ip.is_loopback() || trusted_.contains(ip);
  }

  [[nodiscard]] const crypto::Keyring& keyring() const { return keyring_; }
  /// What belongs to the key a request names; null if it opens nothing.
  [[nodiscard]] const KeyAccess* key(const crypto::KeyId& id) const;

  /// Where the requests of those who know a key are counted; null = in the clear.
  [[nodiscard]] const std::shared_ptr<KeyTally>& tally(const KeyAccess* key) const {
    return key == nullptr ? plain_ : key->tally;
  }
  /// What was counted, of every key and in the clear.
  [[nodiscard]] std::vector<KeyReading> key_readings() const;

  /// WRITE and DEL, with the key the request was sealed with or none. Where addresses are listed
  /// they alone decide; else the key does.
  [[nodiscard]] bool may_update(const IpAddress& ip, const KeyAccess* key,
                                protocol::CommandCode code, WallTime now) const;
  /// CHECK: 0, or the status it is refused with. Counts it against the key's rate.
  static std::int32_t check_refusal(const KeyAccess* key, const Moment& now);

  /// What of the hashes that match this client sees.
  [[nodiscard]] Visibility visibility_for(const IpAddress& ip, const KeyAccess* key) const;
  /// This digest is neither stored nor shown.
  [[nodiscard]] bool is_skipped(const Digest& digest) const;
  /// WRITEs to this list never push out another one.
  [[nodiscard]] bool is_weak(std::uint8_t flag) const { return weak_.test(flag); }
  /// Rights of keys are given that nobody can use: addresses decide.
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
  std::vector<KeyAccess> keys_;  // of keyring_.all()
  std::shared_ptr<KeyTally> plain_;
};

}  // namespace shingled::storage::access
