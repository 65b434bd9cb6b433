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
#include "storage/access/request_outcome.h"
#include "storage/access/source_tally.h"
#include "storage/crypto/nonce_source.h"
#include "storage/crypto/shared_key_cache.h"
#include "storage/model/fuzzy_store.h"
#include "storage/protocol/codec.h"
#include "storage/protocol/frame.h"
#include "storage/server/recent_seals.h"
#include "storage/server/server_counters.h"

namespace shingled::storage::server {

/// The room a reply needs at most.
inline constexpr std::size_t kSealedReplyBytesMax = protocol::kReplyBytesMax + crypto::kSealBytes;

/// What brought a request. The source of a datagram may be forged; that of a stream has answered.
enum class Transport : std::uint8_t { kDatagram, kStream };

/// Who sent a request.
struct Peer {
  IpAddress ip;
  std::uint16_t port = 0;
  Transport transport = Transport::kDatagram;
};

/// Why a packet gets no answer.
enum class Drop : std::uint8_t {
  kBlocked,        ///< the source is blocked
  kRateLimited,    ///< the source's network came too often
  kUnknownKey,     ///< sealed by a client not known yet, and too many of those came
  kInvalid,        ///< no command in it
  kUndecryptable,  ///< sealed, but not for us, or damaged
};

/// A reply that stands in the buffer.
struct Answer {
  std::size_t bytes = 0;
};

/// All it takes to answer a request later.
struct ReplyTicket {
  protocol::CommandCode code = protocol::CommandCode::kWrite;
  std::uint8_t flag = 0;
  std::uint32_t tag = 0;
  Digest digest;
  protocol::ReplyForm form = protocol::ReplyForm::kV1;
  std::optional<crypto::SharedKey> key;  ///< the reply is sealed with it; none = in the clear
};

/// A CHECK that may be answered; its reply waits for the look-up, which is made for many at once.
/// Belongs to the rights it was taken under: it must be finished before the next `use`.
struct PendingCheck {
  ReplyTicket ticket;
  std::optional<Shingles> shingles;
  IpAddress ip;  ///< who asked
  const access::KeyAccess* rights =
      nullptr;  ///< of the key the request was sealed with; null = none

  [[nodiscard]] Question question() const {
    return {&ticket.digest, shingles ? &*shingles : nullptr};
  }
};

/// The ticket of an update, with whom it is counted for.
struct UpdateTicket : ReplyTicket {
  IpAddress ip;
  std::shared_ptr<access::KeyTally> tally;
};

/// An update that may be made; its reply waits for the commit.
struct PendingUpdate {
  Update update;
  UpdateTicket ticket;
};

using Handled = std::variant<Drop, Answer, PendingCheck, PendingUpdate>;

/// From a packet to its answer: opens, decodes and checks rights; after the store has answered,
/// encodes and seals. PROTOCOL.md says which client gets which answer.
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
/// No I/O.
/// Threads: one thread; every worker has its own handler.
/// Cost: no allocation and no lock for anything but an update and a new client's key.
class RequestHandler {
 public:
  /// `worker`: its number, so that workers seldom count in the same place.
  RequestHandler(const FuzzyStore& store, Random& random, WorkerCounters& counters,
                 std::size_t worker = 0);

  /// Takes over rights and keys; needed before the first packet.
  void use(std::shared_ptr<const access::Access> access, std::size_t key_cache_size);

  /// Whether a connection from there may be opened; its requests are judged one by one all the
  /// same. It counts like a request; counts a refusal.
  bool admits(const Peer& peer, TimePoint now);

  /// What becomes of a packet that is read now, a datagram or the content of a frame. `out` has
  /// room for kSealedReplyBytesMax bytes; an Answer stands in it. Counts what it saw, except checks
  /// and updates: `finish_check`, `finish_unasked` and `finish` do.
  Handled handle(BytesView packet, const Peer& peer, const access::Moment& now,
                 std::span<std::uint8_t> out);

  /// The reply to a CHECK: `match` is what the store found.
  Answer finish_check(const PendingCheck& check, const std::optional<Match>& match, WallTime now,
                      std::span<std::uint8_t> out);
  /// The reply to a CHECK that the store could not answer: no miss, for nobody knows.
  Answer finish_unasked(const PendingCheck& check, std::span<std::uint8_t> out);
  /// The reply to an update: what became of it is known now.
  Answer finish(const UpdateTicket& ticket, bool stored, std::span<std::uint8_t> out);
  /// The reply to a retransmission of an update that was answered before.
  Answer repeat(const UpdateTicket& ticket, std::span<std::uint8_t> out);

  /// Who came; from any thread.
  [[nodiscard]] const access::SourceTally& sources() const { return sources_; }

 private:
  struct Opened {
    BytesView command;
    std::optional<crypto::SharedKey> key;
    crypto::PublicKey client{};
    const access::KeyAccess* rights = nullptr;  // of the key that opened it; as long as access_
    std::uint64_t seal = 0;                     // its name, if it was sealed
  };
  struct Admitted {
    bool counted = false;  ///< by the rate limit, and may be taken back
  };
  /// Whether anything of a source is read now, and why not.
  std::variant<Drop, Admitted> admit(const Peer& peer, TimePoint now);
  /// As `admit`, where all that counts is whether it may be read; fills in what it counted.
  std::optional<Drop> limit(const Peer& peer, TimePoint now, Admitted& admitted);
  /// A packet that may be read, opened.
  struct TakenIn {
    Opened opened;
    Admitted admitted;
  };
  std::variant<Drop, TakenIn> take_in(BytesView packet, const Peer& peer, TimePoint now);
  std::variant<Drop, TakenIn> take_in(const crypto::SealedRequest& request, const Peer& peer,
                                      TimePoint now);
  /// The limits of one that opened with a key that was known before.
  std::optional<Drop> limit_known(const Peer& peer, TimePoint now);
  /// The key shared with a client that is not known.
  std::variant<Drop, crypto::SharedKey> agree(const crypto::SealedRequest& request,
                                              const Peer& peer, TimePoint now);
  Drop undecryptable(const Peer& peer);
  [[nodiscard]] protocol::ReplyForm form_for(const protocol::Command& command, const Opened& opened,
                                             const Peer& peer) const;
  /// The reply to a CHECK that may not be made.
  std::optional<protocol::Reply> refuse_check(const protocol::Command& command,
                                              const Opened& opened, const access::Moment& now);
  /// The reply to an update that may not be made.
  std::optional<protocol::Reply> refuse_update(const protocol::Command& command,
                                               const Opened& opened, const Peer& peer,
                                               const access::Moment& now);
  std::optional<protocol::Reply> refuse_skipped(const protocol::Command& command);
  protocol::Reply stat(const protocol::Command& command);
  protocol::Reply ping(const protocol::Command& command);
  protocol::Reply refuse(const protocol::Command& command, std::int32_t status);
  access::RequestOutcome count(access::Shown shown);
  void note(const IpAddress& ip, const access::KeyAccess* rights, access::RequestOutcome outcome);
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
  crypto::NonceSource nonces_;
  std::size_t worker_;
  std::shared_ptr<const access::Access> access_;
  std::uint64_t secret_;  // of the tables that strangers fill
  crypto::SharedKeyCache keys_{0};
  RecentSeals seals_;
  // What agreements may still cost this worker: two buckets, so that no stranger takes what there
  // is for the sources that are never limited.
  LeakyBucket strangers_;
  LeakyBucket exempt_;
  std::array<std::uint8_t, protocol::kFrameBytesMax>
      opened_{};  // the plain command of a sealed request
};

}  // namespace shingled::storage::server
