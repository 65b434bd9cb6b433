#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "milter/counters/envelope.h"
#include "milter/counters/message_counter.h"
#include "milter/counters/message_pieces.h"
#include "milter/judge/message/message_view.h"
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"
#include "mime/pieces/piece_list.h"

namespace shingled::milter::judge {

/// The counting of one message, from its MAIL command to its end.
///
///   recipient* refused_recipient* -> look -> add -> end        or end at any time
///
/// A message that is not looked at is not counted; the recipients that the mail server refused are.
/// Nothing here fails or throws: what cannot be counted is noted.
/// Threads: one at a time.
class MessageCount final : public CounterSource {
 public:
  /// `envelope`: without recipients.
  MessageCount(std::shared_ptr<const counters::MessageCounter> counter, counters::Envelope envelope,
               storage::counters::Direction direction)
      : counter_(std::move(counter)), envelope_(std::move(envelope)), direction_(direction) {}

  /// A recipient that was accepted. `path`: as in RCPT; a repeated one is nothing new.
  void recipient(std::string_view path);
  /// A recipient that the mail server refused itself.
  void refused_recipient() { ++refused_; }

  rules::CounterFacts look(MessageView& message, std::vector<mime::Piece> matched,
                           TimePoint deadline, const std::stop_token& stop) override;
  /// After `look`.
  void look_again(std::vector<mime::Piece> matched, TimePoint deadline,
                  rules::CounterFacts& facts) override;
  /// What the message itself and its envelope give, without what look-ups have matched. After
  /// `look` and before `add`; else empty.
  [[nodiscard]] std::span<const mime::Piece> own_pieces() const {
    return found_ && keys_.size() >= own_ ? std::span<const mime::Piece>(found_->pieces).first(own_)
                                          : std::span<const mime::Piece>();
  }
  /// The key of each of them.
  [[nodiscard]] std::span<const storage::counters::Pair> own_keys() const {
    return std::span(keys_).first(own_pieces().size());
  }
  /// Counts the message that was looked at. `put_off`: it is deferred, so it will come again.
  /// `message`: its bytes.
  void add(const rules::Facts& facts, const rules::Verdict& verdict, std::string_view message,
           bool put_off) noexcept;
  /// The message is over. Counts the recipients that were refused.
  void end() noexcept;

  [[nodiscard]] const PieceOptions& pieces() const { return counter_->options().pieces; }

 private:
  void count(const rules::Facts& facts, const rules::Verdict& verdict, std::string_view message,
             bool put_off);
  void count_refused();

  std::shared_ptr<const counters::MessageCounter> counter_;
  counters::Envelope envelope_;  ///< with the first recipients: `recipients_max`, of a user more
  storage::counters::Direction direction_;
  std::set<std::string, std::less<>> seen_;  ///< the same
  std::uint64_t accepted_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t recipients_hash_ = 0;
  /// Puts pieces to `found_` that it does not have; returns them.
  std::vector<mime::Piece> take(std::vector<mime::Piece> matched);

  std::optional<counters::MessagePieces> found_;
  std::size_t own_ = 0;                        ///< of the pieces that were found, the first ones
  std::vector<storage::counters::Pair> keys_;  ///< of the pieces that were found
  std::vector<std::uint64_t> persons_;         ///< to whom it goes
  bool proved_ = false;                        ///< its From
};

}  // namespace shingled::milter::judge
