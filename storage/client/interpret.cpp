#include <algorithm>
#include <cmath>

#include "storage/client/exchange.h"

namespace shingled::storage::client {

namespace {

using Kind = RemoteRequest::Kind;

protocol::CommandCode code_of(Kind kind) {
  switch (kind) {
    case Kind::kCheck:
      return protocol::CommandCode::kCheck;
    case Kind::kAdd:
      return protocol::CommandCode::kWrite;
    case Kind::kDelete:
      return protocol::CommandCode::kDelete;
    case Kind::kDeleteFromList:
      return protocol::CommandCode::kDeleteFromList;
    case Kind::kStat:
      return protocol::CommandCode::kStat;
    case Kind::kPing:
      break;
  }
  return protocol::CommandCode::kPing;
}

Match match_of(const protocol::Reply& reply) {
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
  return value == protocol::kStatusSkipped || value == protocol::kStatusForbidden ||
         value == protocol::kStatusNotEncrypted || value == protocol::kStatusNotPermitted;
}

}  // namespace

protocol::Command command_of(const RemoteRequest& request, std::uint8_t version,
                             std::uint32_t tag) {
  protocol::Command command;
  command.version = version;
  command.code = code_of(request.kind);
  command.tag = tag;
  command.value = request.value;
  const bool is_update = RemoteRequest::is_update(request.kind);
  if (is_update) command.flag = static_cast<std::uint8_t>(request.flag);
  if (!is_update && request.kind != Kind::kCheck) return command;
  command.digest = request.fingerprint.digest;
  if (request.fingerprint.shingles) {
    command.shingle_count = kShingleCount;
    command.shingles = *request.fingerprint.shingles;
  }
  return command;
}

RemoteAnswer interpret(const protocol::Reply& reply, RemoteRequest::Kind kind) {
  using Outcome = RemoteAnswer::Outcome;
  RemoteAnswer answer;
  answer.probability = reply.probability;
  const bool yes = reply.probability > protocol::kHitProbability;
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
      // The count is in value and flag. The probability may be the count itself, 1, or 0 in an
      // empty store. So the reply is a refusal only if value is a code of refusal and flag is 0.
      if (yes || !is_refusal(reply.value) || reply.flag != 0) {
        answer.outcome = Outcome::kDone;
        answer.count = std::uint64_t{static_cast<std::uint32_t>(reply.value)} << 32 |
                       std::uint64_t{reply.flag};
        if ((reply.time & ~std::uint32_t{0xff}) == protocol::kOurMark) {
          answer.deletes_from_list = (reply.time & protocol::kKnowsDeleteFromList) != 0;
          const bool fresh = (reply.time & protocol::kKnowsCompanion) != 0;
          const bool old = (reply.time & protocol::kKnowsOldCompanion) != 0;
          answer.knows_companions = fresh || old;
          answer.old_companions = old && !fresh;
        }
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

}  // namespace shingled::storage::client
