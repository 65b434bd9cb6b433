#include "storage/redis/hashes/match_cache.h"

#include <span>
#include <utility>

#include "mime/fingerprint/secret_hash.h"

namespace shingled::storage::redis {

namespace {

/// The hash of the shingles; 0 if there are none. The hash has a secret key. Otherwise an attacker
/// could find shingles with the same hash that match nothing, and ask for the digest of the message
/// with these first. The cached miss would then hide the near matches of the message for a while.
std::uint64_t mix(const Shingles* shingles) {
  if (shingles == nullptr) return 0;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(shingles->data());
  return SecretHash::of_process()(std::span(bytes, sizeof *shingles)) | 1;
}

}  // namespace

std::optional<MatchCache::Answer> MatchCache::find(const Question& question, TimePoint now) const {
  auto shard = shard_of(*question.digest).lock();
  for (const Entries* entries : {&shard->young, &shard->old}) {
    const auto found = entries->find(*question.digest);
    if (found == entries->end()) continue;
    const Entry& entry = found->second;
    if (now >= entry.end || entry.shingles != mix(question.shingles)) return std::nullopt;
    return entry.answer;
  }
  return std::nullopt;
}

std::uint64_t MatchCache::forgotten(const Digest& digest) const {
  return shard_of(digest).lock()->forgotten;
}

void MatchCache::put(const Question& question, const Answer& answer, TimePoint now,
                     std::uint64_t forgotten) {
  auto shard = shard_of(*question.digest).lock();
  if (shard->forgotten != forgotten) return;
  if (shard->young.size() >= half_) shard->old = std::exchange(shard->young, {});
  shard->young[*question.digest] = {mix(question.shingles), now + keep_, answer};
}

void MatchCache::forget(const Digest& digest) {
  auto shard = shard_of(digest).lock();
  ++shard->forgotten;
  shard->young.erase(digest);
  shard->old.erase(digest);
}

}  // namespace shingled::storage::redis
