#include "storage/access/disclosure.h"

#include <cstring>

namespace shingled::storage::access {

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
