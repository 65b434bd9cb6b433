#include "storage/access/access.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "config/base/zbase32.h"
#include "storage/crypto/keypair.h"
#include "storage/protocol/codec.h"

namespace shingled::storage::access {

namespace {

FlagBits bits_of(const std::vector<std::uint8_t>& flags) {
  FlagBits bits;
  for (const std::uint8_t flag : flags) bits.set(flag);
  return bits;
}

std::vector<Digest> sorted(const std::vector<std::array<std::uint8_t, 64>>& digests) {
  std::vector<Digest> out;
  out.reserve(digests.size());
  for (const auto& bytes : digests) out.push_back(Digest{bytes});
  std::sort(out.begin(), out.end());
  return out;
}

KeyAccess access_of(const KeyRights& rights) {
  KeyAccess access{.may_read = rights.may_read,
                   .may_write = rights.may_write,
                   .may_delete = rights.may_delete,
                   .forbidden = std::nullopt,
                   .expire = rights.expire,
                   .rate = std::nullopt,
                   .bucket = nullptr,
                   .tally = nullptr};
  if (rights.forbidden_ids) access.forbidden = bits_of(*rights.forbidden_ids);
  if (rights.ratelimit) access.rate.emplace(rights.ratelimit->rate, rights.ratelimit->burst);
  return access;
}

}  // namespace

bool KeyAccess::take(TimePoint now) const {
  if (!rate) return true;
  LeakyBucket is = bucket->load(std::memory_order_relaxed);
  while (true) {
    LeakyBucket will = is;
    if (!will.try_add(1, *rate, now)) return false;
    if (bucket->compare_exchange_weak(is, will, std::memory_order_relaxed)) return true;
  }
}

Result<Access> Access::make(const ServerOptions& options, AccessState* state) {
  auto keyring = crypto::Keyring::make(options.keypair, options.dynamic_keypair);
  if (!keyring) return keyring.error();
  AccessState fresh;
  return Access(options, std::move(*keyring), state != nullptr ? *state : fresh);
}

Access::Access(const ServerOptions& options, crypto::Keyring keyring, AccessState& state)
    : blocked_(options.blocked),
      allow_update_(options.allow_update),
      trusted_(options.trusted),
      delay_whitelist_(options.delay_whitelist),
      sources_(options.ratelimit, state.sources, options.trusted, options.agreements.source),
      agreement_rate_(options.agreements.thread.rate, options.agreements.thread.burst),
      encrypted_only_(options.encrypted_only),
      read_only_(options.read_only),
      addresses_decide_(!options.allow_update.empty() || !options.files.allow_update.empty()),
      forbidden_(bits_of(options.forbidden_ids)),
      weak_(bits_of(options.weak_ids)),
      delay_(options.delay),
      skipped_(sorted(options.skip_hashes)),
      keyring_(std::move(keyring)) {
  const auto before = std::exchange(state.keys, {});
  const auto counted = std::exchange(state.tallies, {});
  if (state.plain == nullptr) state.plain = std::make_shared<KeyTally>();
  plain_ = state.plain;
  const auto& updaters = options.allow_update_keys;
  for (const Keypair& keypair : keyring_.all()) {
    KeyAccess access = access_of(keypair.rights);
    if (std::find(updaters.begin(), updaters.end(), crypto::long_key_id(keypair.public_key)) !=
        updaters.end()) {
      access.may_write = true;
      access.may_delete = true;
    }
    if (access.may_write || access.may_delete) ignores_keys_ = addresses_decide_;
    if (access.rate) {
      const auto kept = before.find(keypair.public_key);
      access.bucket = kept != before.end() ? kept->second : std::make_shared<KeyBucket>();
      state.keys[keypair.public_key] = access.bucket;
    }
    const auto tally = counted.find(keypair.public_key);
    access.tally = tally != counted.end() ? tally->second : std::make_shared<KeyTally>();
    state.tallies[keypair.public_key] = access.tally;
    keys_.push_back(std::move(access));
  }
}

const KeyAccess* Access::key(const crypto::KeyId& id) const {
  const auto index = keyring_.index_of(id);
  return index ? &keys_[*index] : nullptr;
}

std::vector<KeyReading> Access::key_readings() const {
  std::vector<KeyReading> out = {{"none", "", plain_->read()}};
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const Keypair& keypair = keyring_.all()[i];
    out.push_back({to_zbase32(crypto::key_id(keypair.public_key)), keypair.rights.name,
                   keys_[i].tally->read()});
  }
  return out;
}

std::string_view to_string(UpdateRefusal refusal) {
  switch (refusal) {
    case UpdateRefusal::kReadOnly:
      return "this storage takes no updates (storage.read_only, or it is a mirror)";
    case UpdateRefusal::kAddress:
      return "its address is not in storage.allow_update";
    case UpdateRefusal::kNoKey:
      return "it has no key, and storage.allow_update names no addresses";
    case UpdateRefusal::kExpiredKey:
      return "its key has expired";
    case UpdateRefusal::kKeyMayNot:
      return "its key has not this right";
  }
  return {};
}

std::optional<UpdateRefusal> Access::update_refusal(const IpAddress& ip, const KeyAccess* key,
                                                    protocol::CommandCode code,
                                                    WallTime now) const {
  if (read_only_) return UpdateRefusal::kReadOnly;
  if (addresses_decide_)
    return allow_update_.contains(ip) ? std::nullopt : std::optional(UpdateRefusal::kAddress);
  if (key == nullptr) return UpdateRefusal::kNoKey;
  if (key->is_expired(now)) return UpdateRefusal::kExpiredKey;
  const bool may = code == protocol::CommandCode::kWrite ? key->may_write : key->may_delete;
  return may ? std::nullopt : std::optional(UpdateRefusal::kKeyMayNot);
}

std::int32_t Access::check_refusal(const KeyAccess* key, const Moment& now) {
  if (key == nullptr) return 0;
  const bool within = key->take(now.steady);
  if (key->is_expired(now.wall) || !key->may_read) return protocol::kStatusNotPermitted;
  return within ? 0 : protocol::kStatusForbidden;
}

Visibility Access::visibility_for(const IpAddress& ip, const KeyAccess* key) const {
  const bool own = key != nullptr && key->forbidden;
  return {own ? *key->forbidden : forbidden_,
          delay_whitelist_.contains(ip) ? std::chrono::seconds(0) : delay_};
}

bool Access::is_skipped(const Digest& digest) const {
  return std::binary_search(skipped_.begin(), skipped_.end(), digest);
}

namespace {

bool is_forbidden(const Visibility& visibility, std::uint32_t flag) {
  return flag < visibility.forbidden.size() && visibility.forbidden.test(flag);
}

bool is_young(const Match& match, std::chrono::seconds delay, WallTime now) {
  if (delay.count() <= 0) return false;
  std::uint64_t spread = 0;  // digests are evenly distributed
  std::memcpy(&spread, match.digest.bytes.data(), sizeof spread);
  const auto more =
      static_cast<std::int64_t>(spread % static_cast<std::uint64_t>(delay.count() / 2 + 1));
  const std::int64_t age = std::int64_t{unix_seconds(now)} - std::int64_t{match.created};
  return age < delay.count() + more;
}

/// Writes the visible lists into `reply`, in their order. Returns false if no list is visible.
bool fill_flags(const Match& match, const Visibility& visibility, protocol::ReplyForm form,
                protocol::Reply& reply) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < match.flag_count; ++i) {
    const FlagValue& list = match.flags[i];
    if (is_forbidden(visibility, list.flag)) {
      if (i == 0 && form != protocol::ReplyForm::kV2) return false;
      continue;
    }
    if (seen == 0) {
      reply.flag = list.flag;
      reply.value = list.value;
    } else {
      reply.extra[seen - 1] = list;
    }
    ++seen;
  }
  reply.extra_count = static_cast<std::uint8_t>(seen == 0 ? 0 : seen - 1);
  return seen != 0;
}

}  // namespace

Shown disclose(const Match& match, bool skipped, const Visibility& visibility,
               protocol::ReplyForm form, WallTime now, protocol::Reply& reply) {
  if (!fill_flags(match, visibility, form, reply)) return Shown::kHidden;
  reply.digest = match.digest;
  if (skipped && reply.value > 0) {
    reply.value = protocol::kStatusSkipped;
    reply.time = match.created;
    reply.extra_count = 0;
    reply.extra = {};
    return Shown::kSkipped;
  }
  if (is_young(match, visibility.delay, now)) {
    reply.value = 0;
    return Shown::kDelayed;
  }
  reply.probability = match.probability();
  reply.time = match.created;
  reply.matched = true;
  return Shown::kHit;
}

}  // namespace shingled::storage::access
