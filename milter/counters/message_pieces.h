#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "config/options/counter_options.h"
#include "milter/counters/envelope.h"
#include "mime/analyze.h"
#include "mime/model/work_meter.h"
#include "mime/pieces/authentication_results.h"
#include "mime/pieces/piece_list.h"
#include "mime/pieces/text_collector.h"

namespace shingled::milter::counters {

/// A message to be counted. The views must outlive the call.
struct CountedMessage {
  const mime::Analysis& analysis;
  std::span<const mime::AuthenticationResults> believed = {};  ///< of it (sender_proof.h)
  /// Of one rule, the same for all messages: its digests are pieces. Without hashes there are no
  /// pieces of texts, and checksums of attachments are made anew.
  std::span<const mime::PartHash> hashes = {};
  /// What its texts name, if they were seen while they were hashed; null: they are read again. The
  /// pieces are taken out of it.
  mime::TextCollector* texts = nullptr;
};

struct MessagePieces {
  std::vector<mime::Piece> pieces;  ///< each once, in order of type; at most `pieces_max`,
                                    ///< and the recipients of a user
  std::uint64_t dropped = 0;        ///< met a bound, or were left out as `work` was spent
};

/// The time for opening containers never ends.
inline bool always_in_time() { return false; }

/// All pieces that a message and its envelope give: all types but those that come from elsewhere
/// (stored hashes, reporters, known files). Pairs are there with both pieces; a *unique* type is
/// counted with its pair and is not in the list.
///
/// Only what the message says itself: not what it quotes, forwards or returns, nor the subject of
/// such a message after "Re:", nor what all bounces of a mail server have in common (bounce.h).
///
/// From is *proved* if a server in `authserv_ids` says so (sender_proof.h) or the sender has logged
/// in, else it is *claimed*. A message with several From addresses proves none of them.
///
/// Errors:  none; what meets a bound is left out and counted.
/// Threads: any thread.
/// Cost:    linear in the message, paid to `work`; `out_of_time` ends the reading of containers. For
///          half of all messages at most 36 µs, or 22 µs with `texts`, their collection included.
/// Source:  COUNTERS.md section 2.
MessagePieces message_pieces(const CountedMessage& message, const Envelope& envelope,
                             const PieceOptions& options, mime::WorkMeter& work,
                             const std::function<bool()>& out_of_time = always_in_time);

/// Whether the From of a message with these pieces is proved (sender_proof.h).
bool is_from_proved(std::span<const mime::Piece> pieces);

}  // namespace shingled::milter::counters
