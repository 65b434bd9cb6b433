#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "config/base/byte_reader.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "storage/access/access.h"
#include "storage/access/request_tally.h"
#include "storage/crypto/packet_cipher.h"
#include "storage/crypto/shared_key_cache.h"
#include "storage/model/fuzzy_store.h"
#include "storage/protocol/codec.h"
#include "storage/server/recent_seals.h"
#include "storage/server/server_counters.h"

namespace shingled::storage::server {

/// The largest size of a reply.
inline constexpr std::size_t kSealedReplyBytesMax = protocol::kReplyBytesMax + crypto::kSealBytes;

/// How a request came. The source of a datagram may be forged; the source of a stream may not,
/// because it has answered our packets.
enum class Transport : std::uint8_t { kDatagram, kStream };

/// The sender of a request.
struct Peer {
  IpAddress ip;
  std::uint16_t port = 0;
  Transport transport = Transport::kDatagram;
};

/// Why a packet gets no answer.
enum class Drop : std::uint8_t {
  kBlocked,        ///< the source is blocked
  kRateLimited,    ///< too many requests from the source's network
  kUnknownKey,     ///< sealed by a new client, and too many new clients came
  kInvalid,        ///< not a valid command
  kUndecryptable,  ///< sealed for another key, or damaged
};

/// A reply that was written to the buffer.
struct Answer {
  std::size_t bytes = 0;
};

/// Everything that is needed to answer a request later.
struct ReplyTicket {
  protocol::CommandCode code = protocol::CommandCode::kWrite;
  std::uint8_t flag = 0;
  std::uint32_t tag = 0;
  Digest digest;
  protocol::ReplyForm form = protocol::ReplyForm::kV1;
  std::optional<crypto::SharedKey> key;  ///< seals the reply; nullopt = a reply in the clear
};

/// A permitted CHECK. Its reply waits for the look-up, which is made for many checks at once. It
/// points into the access rights, so it must be finished before the next call of `use`.
struct PendingCheck {
  ReplyTicket ticket;
  std::optional<Shingles> shingles;
  IpAddress ip;  ///< of the client
  /// Of the key that the request was sealed with; null = none.
  const access::KeyAccess* rights = nullptr;

  [[nodiscard]] Question question() const {
    return {&ticket.digest, shingles ? &*shingles : nullptr};
  }
};

/// The ticket of an update, with the address and the key for which it is counted.
struct UpdateTicket : ReplyTicket {
  IpAddress ip;
  std::shared_ptr<access::KeyTally> tally;
};

/// A permitted update; its reply waits for the commit.
struct PendingUpdate {
  Update update;
  UpdateTicket ticket;
};

using Handled = std::variant<Drop, Answer, PendingCheck, PendingUpdate>;

/// Turns a packet into its answer: opens it, decodes it and checks the rights. After the store has
/// answered, encodes and seals the reply. PROTOCOL.md says which client gets which answer.
///
/// An update (WRITE, DEL) goes through these states; an arrow to the right ends in a reply:
///
///   packet -> handle ---- not permitted, on the skip list -----------------> 503, 401
///               |
///               v PendingUpdate
///          PendingUpdates::submit -- done before (kKnownDone) -> repeat ---> done
///               |        |
///               |        +-- in progress (kRepeat): waits for the same commit
///               v kFirst
///          FuzzyStore::submit ---- queue full, disk refuses -> finish -----> 503
///               |
///               v committed; in the mailbox of the worker
///             finish ------------------------------------------------------> done
///
/// One class in two files, a packet's way in and the replies: both count in the same places and
/// seal with the same nonces, so a class for the replies would borrow all of this one.
///
/// No I/O.
/// Threads: one thread; each worker has its own handler.
/// Cost: allocates and locks only for an update and for the key of a new client.
class RequestHandler {
 public:
  /// `worker`: number of the worker. Workers usually count in different places, without contention.
  /// `losses`: counts and logs refused updates; may be null.
  RequestHandler(const FuzzyStore& store, Random& random, WorkerCounters& counters,
                 std::size_t worker = 0, LossReport* losses = nullptr);

  /// Sets the access rights and keys. To be called before the first packet.
  void use(std::shared_ptr<const access::Access> access, std::size_t key_cache_size);

  /// Whether `peer` may open a connection. Its requests are checked one by one afterwards. The
  /// connection counts like a request for the rate limit; a refusal is counted.
  bool admits(const Peer& peer, TimePoint now);

  /// Handles a packet: a datagram or the content of a frame. If it returns an Answer, the reply is
  /// in `out`, which has room for kSealedReplyBytesMax bytes. Counts the request, except permitted
  /// checks and updates: `finish_check`, `finish_unasked` and `finish` count those.
  Handled handle(BytesView packet, const Peer& peer, const access::Moment& now,
                 std::span<std::uint8_t> out);

  /// Writes the reply to a CHECK; `match` is the result of the store.
  Answer finish_check(const PendingCheck& check, const std::optional<Match>& match, WallTime now,
                      std::span<std::uint8_t> out);
  /// Writes the reply to a CHECK that the store could not answer: status 504, not a miss.
  Answer finish_unasked(const PendingCheck& check, std::span<std::uint8_t> out);
  /// Writes the reply to an update; `stored` is its result.
  Answer finish(const UpdateTicket& ticket, bool stored, std::span<std::uint8_t> out);
  /// Writes the reply to the repeat of an update that is done.
  Answer repeat(const UpdateTicket& ticket, std::span<std::uint8_t> out);

  /// The requests by source. Any thread may read it.
  [[nodiscard]] const access::SourceTally& sources() const { return sources_; }

 private:
  struct Opened {
    BytesView command;
    std::optional<crypto::SharedKey> key;
    crypto::PublicKey client{};
    const access::KeyAccess* rights =
        nullptr;             // of the key that opened it; valid as long as access_
    std::uint64_t seal = 0;  // name of the seal; 0 if the request was in the clear
  };
  struct Admitted {
    bool counted = false;  ///< the rate limit counted it; this can be taken back
  };
  /// Whether packets of a source are handled now; otherwise the reason.
  std::variant<Drop, Admitted> admit(const Peer& peer, TimePoint now);
  /// As `admit`: returns the reason of a refusal, otherwise sets `admitted`.
  std::optional<Drop> limit(const Peer& peer, TimePoint now, Admitted& admitted);
  /// An admitted packet after it was opened.
  struct AdmittedPacket {
    Opened opened;
    Admitted admitted;
  };
  std::variant<Drop, AdmittedPacket> admit_and_open(BytesView packet, const Peer& peer,
                                                    TimePoint now);
  std::variant<Drop, AdmittedPacket> admit_and_open(const crypto::SealedRequest& request,
                                                    const Peer& peer, TimePoint now);
  /// Checks the limit for a sealed packet of a known client.
  std::optional<Drop> limit_known(const Peer& peer, TimePoint now);
  /// Computes the key that we share with a new client, if the limits permit it.
  std::variant<Drop, crypto::SharedKey> agree(const crypto::SealedRequest& request,
                                              const Peer& peer, TimePoint now);
  Drop undecryptable(const Peer& peer);
  [[nodiscard]] protocol::ReplyForm form_for(const protocol::Command& command, const Opened& opened,
                                             const Peer& peer) const;
  /// The reply to a CHECK without permission; nullopt if it is permitted.
  std::optional<protocol::Reply> refuse_check(const protocol::Command& command,
                                              const Opened& opened, const access::Moment& now);
  /// The reply to an update without permission; nullopt if it is permitted.
  std::optional<protocol::Reply> refuse_update(const protocol::Command& command,
                                               const Opened& opened, const Peer& peer,
                                               const access::Moment& now);
  std::optional<protocol::Reply> refuse_skipped(const protocol::Command& command);
  protocol::Reply stat(const protocol::Command& command);
  protocol::Reply ping(const protocol::Command& command);
  protocol::Reply refuse(const protocol::Command& command, std::int32_t status);
  access::RequestOutcome count(access::Shown shown);
  void tally(const IpAddress& ip, const access::KeyAccess* rights, access::RequestOutcome outcome);
  Answer acknowledge(const ReplyTicket& ticket, std::span<std::uint8_t> out);
  static ReplyTicket ticket_for(const protocol::Command& command, const Opened& opened,
                                protocol::ReplyForm form);
  [[nodiscard]] PendingUpdate pending(const protocol::Command& command, const Opened& opened,
                                      const Peer& peer, protocol::ReplyForm form,
                                      const access::Moment& now) const;
  Answer dress(const protocol::Reply& reply, protocol::ReplyForm form,
               const std::optional<crypto::SharedKey>& key, std::span<std::uint8_t> out);

  access::SourceTally sources_;
  const FuzzyStore& store_;
  WorkerCounters& counters_;
  LossReport* losses_;
  crypto::NonceSource nonces_;
  std::size_t worker_;
  std::shared_ptr<const access::Access> access_;
  std::uint64_t secret_;  // for the hash tables that strangers can fill
  crypto::SharedKeyCache keys_{0};
  RecentSeals seals_;
  // Limit this worker's key agreements. Exempt sources have a bucket of their own, so that
  // strangers cannot use up their share.
  LeakyBucket strangers_;
  LeakyBucket exempt_;
  // The plain command of a sealed request.
  std::array<std::uint8_t, protocol::kFrameBytesMax> opened_{};
};

}  // namespace shingled::storage::server
