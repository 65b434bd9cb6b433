// The replies of RequestHandler, and how they are counted.
#include <utility>

#include "storage/server/request_handler.h"

namespace shingled::storage::server {

namespace {

/// A reply with the fields that it repeats from its request.
template <typename Request>
protocol::Reply reply_to(const Request& request) {
  protocol::Reply reply;
  reply.flag = request.flag;
  reply.tag = request.tag;
  reply.digest = request.digest;
  return reply;
}

}  // namespace

Answer RequestHandler::finish_check(const PendingCheck& check, const std::optional<Match>& match,
                                    WallTime now, std::span<std::uint8_t> out) {
  const ReplyTicket& ticket = check.ticket;
  counters_.checks.add(1);
  protocol::Reply reply = reply_to(ticket);
  reply.flag = 0;
  access::RequestOutcome outcome = access::RequestOutcome::kUnmatched;
  if (match) {
    const bool skipped = access_->is_skipped(match->digest);
    const access::Visibility visibility = access_->visibility_for(check.ip, check.rights);
    outcome = count(access::disclose(*match, skipped, visibility, ticket.form, now, reply));
  }
  tally(check.ip, check.rights, outcome);
  return dress(reply, ticket.form, ticket.key, out);
}

Answer RequestHandler::finish_unasked(const PendingCheck& check, std::span<std::uint8_t> out) {
  counters_.refused.add(1);
  tally(check.ip, check.rights, access::RequestOutcome::kRefused);
  protocol::Reply reply = reply_to(check.ticket);
  reply.flag = 0;
  reply.value = protocol::kStatusStoreAway;
  return dress(reply, check.ticket.form, check.ticket.key, out);
}

access::RequestOutcome RequestHandler::count(access::Shown shown) {
  switch (shown) {
    case access::Shown::kHit:
      counters_.hits.add(1);
      return access::RequestOutcome::kMatched;
    case access::Shown::kSkipped:
      counters_.refused.add(1);
      return access::RequestOutcome::kRefused;
    case access::Shown::kDelayed:
      counters_.delayed.add(1);
      return access::RequestOutcome::kUnmatched;
    case access::Shown::kHidden:
      counters_.hidden.add(1);
      return access::RequestOutcome::kUnmatched;
  }
  return access::RequestOutcome::kUnmatched;
}

Answer RequestHandler::finish(const UpdateTicket& ticket, bool stored,
                              std::span<std::uint8_t> out) {
  const bool added = ticket.code == protocol::CommandCode::kWrite;
  const access::RequestOutcome made =
      added ? access::RequestOutcome::kAdded : access::RequestOutcome::kDeleted;
  const access::RequestOutcome outcome = stored ? made : access::RequestOutcome::kRefused;
  sources_.count(ticket.ip, outcome);
  ticket.tally->count(worker_, outcome);
  if (stored) {
    (added ? counters_.adds : counters_.deletes).add(1);
    return acknowledge(ticket, out);
  }
  counters_.refused.add(1);
  protocol::Reply reply = reply_to(ticket);
  reply.value = protocol::kStatusNotPermitted;
  return dress(reply, ticket.form, ticket.key, out);
}

Answer RequestHandler::repeat(const UpdateTicket& ticket, std::span<std::uint8_t> out) {
  sources_.count(ticket.ip, access::RequestOutcome::kOther);
  ticket.tally->count(worker_, access::RequestOutcome::kOther);
  return acknowledge(ticket, out);
}

Answer RequestHandler::acknowledge(const ReplyTicket& ticket, std::span<std::uint8_t> out) {
  protocol::Reply reply = reply_to(ticket);
  reply.probability = 1;
  return dress(reply, ticket.form, ticket.key, out);
}

protocol::Reply RequestHandler::stat(const protocol::Command& command) {
  counters_.stats.add(1);
  const std::uint64_t count = store_.size();
  protocol::Reply reply = reply_to(command);
  reply.flag = static_cast<std::uint32_t>(count);
  reply.value = static_cast<std::int32_t>(count >> 32);
  reply.time = protocol::kOurMark | protocol::kKnowsDeleteFromList | protocol::kKnowsOldCompanion |
               protocol::kKnowsCompanion;
  // 1 and not the count, as in rspamd 4.x: a client treats 1 as an answer, even from an empty
  // store.
  reply.probability = 1;
  return reply;
}

protocol::Reply RequestHandler::ping(const protocol::Command& command) {
  counters_.pings.add(1);
  protocol::Reply reply = reply_to(command);
  reply.value = command.value;
  reply.probability = 1;
  return reply;
}

protocol::Reply RequestHandler::refuse(const protocol::Command& command, std::int32_t status) {
  counters_.refused.add(1);
  protocol::Reply reply = reply_to(command);
  reply.value = status;
  return reply;
}

Answer RequestHandler::dress(const protocol::Reply& reply, protocol::ReplyForm form,
                             const std::optional<crypto::SharedKey>& key,
                             std::span<std::uint8_t> out) {
  if (!key) return {protocol::encode_reply(reply, form, out)};
  std::array<std::uint8_t, protocol::kReplyBytesMax> plain{};
  const std::size_t length = protocol::encode_reply(reply, form, plain);
  return {crypto::seal(*key, nonces_.next(), BytesView(plain).first(length), out)};
}

}  // namespace shingled::storage::server
