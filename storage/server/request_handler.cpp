#include "storage/server/request_handler.h"

#include <utility>

#include "storage/access/network_set.h"
#include "storage/crypto/packet_cipher.h"

namespace shingled::storage::server {

RequestHandler::RequestHandler(const FuzzyStore& store, Random& random, WorkerCounters& counters,
                               std::size_t worker, LossReport* losses)
    : sources_(random),
      store_(store),
      counters_(counters),
      losses_(losses),
      nonces_(random),
      worker_(worker),
      secret_(random.next_u64()),
      seals_(random.next_u64()) {}

void RequestHandler::use(std::shared_ptr<const access::Access> access, std::size_t key_cache_size) {
  const bool same_keys = access_ != nullptr && access_->keyring() == access->keyring() &&
                         keys_.capacity() == key_cache_size;
  access_ = std::move(access);
  if (!same_keys) keys_ = crypto::SharedKeyCache(key_cache_size, secret_);
}

bool RequestHandler::admits(const Peer& peer, TimePoint now) {
  return std::holds_alternative<Admitted>(admit(peer, now));
}

std::variant<Drop, RequestHandler::Admitted> RequestHandler::admit(const Peer& peer,
                                                                   TimePoint now) {
  if (access_->is_blocked(peer.ip)) {
    counters_.blocked.add(1);
    sources_.count(peer.ip, access::RequestOutcome::kDropped);
    return Drop::kBlocked;
  }
  const auto admission = access_->sources().admit(peer.ip, now);
  if (!admission) {
    counters_.ratelimited.add(1);
    sources_.count(peer.ip, access::RequestOutcome::kRateLimited);
    return Drop::kRateLimited;
  }
  return Admitted{admission.counted};
}

std::optional<Drop> RequestHandler::limit(const Peer& peer, TimePoint now, Admitted& admitted) {
  const auto verdict = admit(peer, now);
  if (const Drop* drop = std::get_if<Drop>(&verdict)) return *drop;
  admitted = std::get<Admitted>(verdict);
  return std::nullopt;
}

std::variant<Drop, RequestHandler::AdmittedPacket> RequestHandler::admit_and_open(BytesView packet,
                                                                                  const Peer& peer,
                                                                                  TimePoint now) {
  if (const auto request = crypto::parse_sealed_request(packet))
    return admit_and_open(*request, peer, now);
  Admitted admitted;
  if (const auto drop = limit(peer, now, admitted)) return *drop;
  return AdmittedPacket{Opened{packet, std::nullopt, {}, nullptr, 0}, admitted};
}

/// A packet from a client whose key is known does not count against the rate limit, unless the
/// options say so; it is cheap to find out. A packet from a new client counts like a packet in the
/// clear, even if it can be opened: anybody can make a key pair, and the key agreement costs a
/// hundred times as much.
std::variant<Drop, RequestHandler::AdmittedPacket> RequestHandler::admit_and_open(
    const crypto::SealedRequest& request, const Peer& peer, TimePoint now) {
  Admitted admitted;
  const bool counts = access_->sources().counts_sealed();
  const bool blocked = access_->is_blocked(peer.ip);
  const crypto::SharedKey* kept = blocked ? nullptr : keys_.find(request.key, request.client, now);
  const bool known = kept != nullptr && !counts;
  if (!known) {
    if (const auto drop = limit(peer, now, admitted)) return *drop;
  }
  std::optional<crypto::SharedKey> key;
  if (kept != nullptr) {
    key = *kept;
  } else {
    const auto agreed = agree(request, peer, now);
    if (const Drop* drop = std::get_if<Drop>(&agreed)) return *drop;
    key = std::get<crypto::SharedKey>(agreed);
  }
  const auto length = crypto::open(*key, request.sealed, opened_);
  if (!length) {
    if (known) {
      if (const auto drop = limit(peer, now, admitted)) return *drop;
    }
    return undecryptable(peer);
  }
  if (kept == nullptr)
    keys_.keep(request.key, request.client, *key, access_->sources().source_of(peer.ip), now);
  const std::uint64_t seal = crypto::seal_id(request.sealed);
  if (peer.transport == Transport::kDatagram) {
    const bool repeated = seals_.test_and_add(seal);
    if (known) {
      // A repeated packet counts, and this is not taken back, whatever it contains: it was answered
      // before.
      if (const auto drop = repeated ? limit(peer, now, admitted) : limit_known(peer, now))
        return *drop;
    }
    if (repeated) admitted.counted = false;
  }
  return AdmittedPacket{
      {BytesView(opened_).first(*length), key, request.client, access_->key(request.key), seal},
      admitted};
}

std::optional<Drop> RequestHandler::limit_known(const Peer& peer, TimePoint now) {
  if (access_->sources().admit_sealed(peer.ip, now)) return std::nullopt;
  counters_.ratelimited.add(1);
  sources_.count(peer.ip, access::RequestOutcome::kRateLimited);
  return Drop::kRateLimited;
}

/// Checks the limit of the source first, then the limit of this worker, so that one source cannot
/// use up the limit that all sources share.
std::variant<Drop, crypto::SharedKey> RequestHandler::agree(const crypto::SealedRequest& request,
                                                            const Peer& peer, TimePoint now) {
  const Keypair* own = access_->keyring().find(request.key);
  if (own == nullptr) return undecryptable(peer);
  const access::SourceLimits& sources = access_->sources();
  const auto way = peer.transport == Transport::kStream ? access::SourceLimits::Way::kStream
                                                        : access::SourceLimits::Way::kDatagram;
  LeakyBucket& bucket = sources.is_exempt(peer.ip) ? exempt_ : strangers_;
  if (!sources.admit_agreement(peer.ip, way, now) ||
      !bucket.try_add(1, access_->agreement_rate(), now)) {
    counters_.unknown_keys.add(1);
    sources_.count(peer.ip, access::RequestOutcome::kRateLimited);
    return Drop::kUnknownKey;
  }
  counters_.agreements.add(1);
  const auto key = crypto::shared_key(own->secret_key, request.client);
  if (!key) return undecryptable(peer);
  return *key;
}

Drop RequestHandler::undecryptable(const Peer& peer) {
  counters_.undecryptable.add(1);
  sources_.count(peer.ip, access::RequestOutcome::kDropped);
  return Drop::kUndecryptable;
}

Handled RequestHandler::handle(BytesView packet, const Peer& peer, const access::Moment& now,
                               std::span<std::uint8_t> out) {
  const auto taken = admit_and_open(packet, peer, now.steady);
  if (const Drop* drop = std::get_if<Drop>(&taken)) return *drop;
  const Opened& opened = std::get_if<AdmittedPacket>(&taken)->opened;
  const Admitted& admitted = std::get_if<AdmittedPacket>(&taken)->admitted;
  const auto command = protocol::decode_command(opened.command);
  if (!command) {
    counters_.invalid.add(1);
    tally(peer.ip, opened.rights, access::RequestOutcome::kDropped);
    return Drop::kInvalid;
  }
  counters_.count_version(command->version);
  const protocol::ReplyForm form = form_for(*command, opened, peer);
  const auto answer = [&](const protocol::Reply& reply, access::RequestOutcome outcome) {
    tally(peer.ip, opened.rights, outcome);
    return dress(reply, form, opened.key, out);
  };

  if (!opened.key && access_->needs_encryption())
    return answer(refuse(*command, protocol::kStatusNotEncrypted),
                  access::RequestOutcome::kRefused);
  switch (command->code) {
    case protocol::CommandCode::kCheck: {
      if (const auto refusal = refuse_check(*command, opened, now)) {
        const bool too_often = refusal->value == protocol::kStatusForbidden;
        return answer(*refusal, too_often ? access::RequestOutcome::kRateLimited
                                          : access::RequestOutcome::kRefused);
      }
      PendingCheck check{ticket_for(*command, opened, form), std::nullopt, peer.ip, opened.rights};
      if (const Shingles* shingles = command->shingles_or_null()) check.shingles = *shingles;
      return check;
    }
    case protocol::CommandCode::kStat:
      return answer(stat(*command), access::RequestOutcome::kOther);
    case protocol::CommandCode::kPing:
      return answer(ping(*command), access::RequestOutcome::kOther);
    case protocol::CommandCode::kWrite:
    case protocol::CommandCode::kDelete:
    case protocol::CommandCode::kDeleteFromList:
      if (const auto refusal = refuse_update(*command, opened, peer, now))
        return answer(*refusal, access::RequestOutcome::kRefused);
      // The rate limit is for checks; a client may send many updates.
      if (admitted.counted) access_->sources().take_back(peer.ip, now.steady);
      if (const auto refusal = refuse_skipped(*command))
        return answer(*refusal, access::RequestOutcome::kRefused);
      return pending(*command, opened, peer, form, now);
  }
  return answer(refuse(*command, protocol::kStatusNotPermitted), access::RequestOutcome::kRefused);
}

void RequestHandler::tally(const IpAddress& ip, const access::KeyAccess* rights,
                           access::RequestOutcome outcome) {
  sources_.count(ip, outcome);
  access_->tally(rights)->count(worker_, outcome);
}

/// The form of the reply that belongs to the version of the command. But a datagram in the clear
/// from a source that is not trusted never gets the long form: the source may be forged, and we
/// would amplify an attack on it.
protocol::ReplyForm RequestHandler::form_for(const protocol::Command& command, const Opened& opened,
                                             const Peer& peer) const {
  const protocol::ReplyForm form = protocol::reply_form(command.version);
  if (form != protocol::ReplyForm::kV2 || opened.key || peer.transport == Transport::kStream)
    return form;
  return access_->is_trusted(peer.ip) ? form : protocol::ReplyForm::kV1;
}

std::optional<protocol::Reply> RequestHandler::refuse_check(const protocol::Command& command,
                                                            const Opened& opened,
                                                            const access::Moment& now) {
  const std::int32_t status = access::Access::check_refusal(opened.rights, now);
  if (status == 0) return std::nullopt;
  protocol::Reply reply = refuse(command, status);
  if (status == protocol::kStatusForbidden) reply.flag = 0;  // as rspamd does, PROTOCOL.md 2.2
  return reply;
}

std::optional<protocol::Reply> RequestHandler::refuse_update(const protocol::Command& command,
                                                             const Opened& opened, const Peer& peer,
                                                             const access::Moment& now) {
  const auto why = access_->update_refusal(peer.ip, opened.rights, command.code, now.wall);
  if (why && losses_ != nullptr) losses_->note_refused_update(*why, peer.ip, now.steady);
  if (why) return refuse(command, protocol::kStatusNotPermitted);
  if (command.code == protocol::CommandCode::kDeleteFromList && command.flag == 0)
    // List 0 does not exist; in an update, 0 would mean all lists.
    return refuse(command, protocol::kStatusNotPermitted);
  return std::nullopt;
}

std::optional<protocol::Reply> RequestHandler::refuse_skipped(const protocol::Command& command) {
  if (command.code != protocol::CommandCode::kWrite || !access_->is_skipped(command.digest))
    return std::nullopt;
  return refuse(command, protocol::kStatusSkipped);
}

ReplyTicket RequestHandler::ticket_for(const protocol::Command& command, const Opened& opened,
                                       protocol::ReplyForm form) {
  return {command.code, command.flag, command.tag, command.digest, form, opened.key};
}

PendingUpdate RequestHandler::pending(const protocol::Command& command, const Opened& opened,
                                      const Peer& peer, protocol::ReplyForm form,
                                      const access::Moment& now) const {
  PendingUpdate pending;
  Update& update = pending.update;
  update.seal = opened.seal;
  update.source = access::source_id(peer.ip);
  update.fingerprint.digest = command.digest;
  if (const Shingles* shingles = command.shingles_or_null())
    update.fingerprint.shingles = *shingles;
  if (command.code == protocol::CommandCode::kWrite) {
    update.flag = command.flag;
    update.value = command.value;
    update.weak =
        (command.version & protocol::kVersionWeakBit) != 0 || access_->is_weak(command.flag);
    // The companion is deleted together with this hash later, so the client needs the permission to
    // delete.
    if (access_->may_update(peer.ip, opened.rights, protocol::CommandCode::kDelete, now.wall)) {
      update.companion = protocol::companion_in(command.extensions);
    }
  } else {
    update.kind = Update::Kind::kDelete;
    // A DEL deletes from all lists, whatever its flag is. The flag of an update stays 0 then, which
    // means all lists.
    if (command.code == protocol::CommandCode::kDeleteFromList) update.flag = command.flag;
  }
  pending.ticket = {ticket_for(command, opened, form), peer.ip, access_->tally(opened.rights)};

  // The name of the update is made from the client (its key, else its address and port) and from
  // the command without the version byte: a client that falls back to another version means the
  // same update.
  std::array<std::uint8_t, 128> bytes{};
  ByteWriter writer(bytes);
  if (opened.key) {
    writer.bytes(opened.client);
  } else {
    writer.u8(static_cast<std::uint8_t>(peer.ip.family));
    writer.bytes(peer.ip.bytes);
    writer.u16(peer.port);
  }
  writer.bytes(opened.command.subspan(1, protocol::kCommandBytes - 1));
  update.name = crypto::content_id(BytesView(bytes).first(writer.written()));
  return pending;
}

}  // namespace shingled::storage::server
