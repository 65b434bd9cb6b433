#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "milter/counters/envelope.h"
#include "milter/judge/message/message_view.h"
#include "milter/reports/reported_message.h"
#include "mime/fingerprint/piece_shingle.h"
#include "mime/pieces/piece_list.h"
#include "storage/counters/addition.h"

namespace shingled::milter::reports {

/// What the history keeps of a message when it is judged, so that it can be reported later without
/// its text. The copy of each recipient names that recipient alone, so what recipients give to the
/// message is kept apart.
/// Threads: a value.
struct KeptMessage {
  struct Recipient {
    std::uint64_t address = 0;  ///< the shingle of its piece
    std::vector<storage::counters::Pair> keys;
    friend bool operator==(const Recipient&, const Recipient&) = default;
  };
  ReportedMessage message;  ///< without recipients
  std::vector<Recipient> recipients;
  friend bool operator==(const KeptMessage&, const KeptMessage&) = default;
};
/// Recipients that are kept; a message with more belongs to none of the others.
inline constexpr std::size_t kKeptRecipientsMax = 50;

/// Keeps a message that is being judged. `view`: hashed by a plan that has the hashes of `rules`.
/// `pieces`: of the view with this envelope; `keys`: of each of them, of either direction. The
/// header of a delivered copy has the sender, but not the country of the client; so has what is
/// kept. A message without a Message-ID has another name here than in a mailbox, where the server
/// has added fields (reported_id): who reports it both ways counts as two.
/// Errors:  none.
/// Threads: stateless.
/// Cost:    a hash for each recipient; no look at the text.
KeptMessage kept_message(const judge::MessageView& view, std::span<const mime::Piece> pieces,
                         std::span<const storage::counters::Pair> keys,
                         const counters::Envelope& envelope, const CounterKeyBytes& site,
                         std::span<const TaughtRule> rules);

/// The message as the copy of a recipient would be reported today. `addresses`: shingles of the
/// addresses of the person who reports. A person without a copy reports that of the only recipient,
/// or of several recipients one without a recipient. Hashes on lists that `rules` do not teach any
/// more are left out.
/// Threads: stateless.
ReportedMessage reported_message(const KeptMessage& kept, std::span<const std::uint64_t> addresses,
                                 std::span<const TaughtRule> rules);

}  // namespace shingled::milter::reports
