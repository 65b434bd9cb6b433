#include <algorithm>
#include <cmath>

#include "storage/client/exchange.h"

namespace shingled::storage {

namespace {

Match match_of(const Reply& reply) {
  Match match;
  match.digest = reply.digest;
  match.exact = reply.probability >= 1.0F;
  const float share = std::clamp(reply.probability, 0.0F, 1.0F);
  match.slots = static_cast<std::uint32_t>(std::lround(share * float{kShingleCount}));
  match.flag_count = static_cast<std::uint8_t>(1 + reply.extra_count);
  match.flags[0] = {reply.flag, reply.value};
  std::copy_n(reply.extra.begin(), reply.extra_count, match.flags.begin() + 1);
  match.created = reply.time;
  match.updated = reply.time;
  return match;
}

bool is_refusal(std::int32_t value) {
  return value == kStatusSkipped || value == kStatusForbidden || value == kStatusNotEncrypted ||
         value == kStatusNotPermitted;
}

}  // namespace

RemoteAnswer interpret(const Reply& reply, RemoteRequest::Kind kind) {
  using Outcome = RemoteAnswer::Outcome;
  RemoteAnswer answer;
  answer.probability = reply.probability;
  const bool yes = reply.probability > kHitProbability;
  switch (kind) {
    case RemoteRequest::Kind::kCheck:
      if (yes) {
        answer.outcome = Outcome::kHit;
        answer.match = match_of(reply);
        return answer;
      }
      answer.outcome = reply.value == 0 ? Outcome::kMiss : Outcome::kRefused;
      break;
    case RemoteRequest::Kind::kStat:
      // The count stands in value and flag; the probability is the count itself, 1 or, in an empty
      // store, 0. So only a code of refusal without a flag is a refusal.
      if (yes || !is_refusal(reply.value) || reply.flag != 0) {
        answer.outcome = Outcome::kDone;
        answer.count = std::uint64_t{static_cast<std::uint32_t>(reply.value)} << 32 |
                       std::uint64_t{reply.flag};
        return answer;
      }
      answer.outcome = Outcome::kRefused;
      break;
    case RemoteRequest::Kind::kAdd:
    case RemoteRequest::Kind::kDelete:
    case RemoteRequest::Kind::kDeleteFromList:
    case RemoteRequest::Kind::kPing:
      answer.outcome = yes ? Outcome::kDone : Outcome::kRefused;
      break;
  }
  if (answer.outcome == Outcome::kRefused) answer.status = reply.value;
  return answer;
}

}  // namespace shingled::storage
