#pragma once

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
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"
#include "mime/analyze.h"
#include "mime/pieces/text_collector.h"

namespace shingled::milter::counters {

/// The counting of one message, from its MAIL command to its end.
///
///   recipient* refused_recipient* -> look -> add -> end        or end at any time
///
/// A message that is not looked at is not counted; the recipients that the mail server refused are.
/// Nothing here fails or throws: what cannot be counted is noted.
/// Threads: one at a time.
class MessageCount {
 public:
  /// `envelope`: without recipients.
  MessageCount(std::shared_ptr<const MessageCounter> counter, Envelope envelope,
               storage::counters::Direction direction)
      : counter_(std::move(counter)), envelope_(std::move(envelope)), direction_(direction) {}

  /// A recipient that was accepted. `path`: as in RCPT; a repeated one is nothing new.
  void recipient(std::string_view path);
  /// A recipient that the mail server refused itself.
  void refused_recipient() { ++refused_; }

  /// Takes the pieces of the message and asks for the counters that are needed. `matched`: what its
  /// look-ups have matched so far (matched_pieces.h); no limit on pieces takes them away, so that
  /// no message can hide them among many links.
  rules::CounterFacts look(const CountedMessage& message, std::vector<mime::Piece> matched,
                           mime::WorkMeter& work, TimePoint deadline, const std::stop_token& stop);
  /// What later look-ups have matched: those that are new belong to the message, too, and their
  /// counters are added to `facts`. After `look`.
  void look_again(std::vector<mime::Piece> matched, TimePoint deadline, rules::CounterFacts& facts);
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

  std::shared_ptr<const MessageCounter> counter_;
  Envelope envelope_;  ///< with the first recipients: `recipients_max`, of a user more
  storage::counters::Direction direction_;
  std::set<std::string, std::less<>> seen_;  ///< the same
  std::uint64_t accepted_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t recipients_hash_ = 0;
  /// Puts pieces to `found_` that it does not have; returns them.
  std::vector<mime::Piece> take(std::vector<mime::Piece> matched);

  std::optional<MessagePieces> found_;
  std::vector<storage::counters::Pair> keys_;  ///< of the pieces that were found
  std::vector<std::uint64_t> persons_;         ///< to whom it goes
  bool proved_ = false;                        ///< its From
};

/// Collects what texts name while the scanner hashes them, and then looks at the message. It has a
/// work meter of its own, so that counting never leaves less for the hashes.
/// Threads: one.
class MessageLook {
 public:
  /// All of them must outlive it. `message`: the bytes that were analysed. `local`: as in
  /// CountedMessage.
  MessageLook(MessageCount& count, const mime::Analysis& analysis, std::string_view message,
              const MimeOptions& options, std::stop_token stop,
              const std::vector<Network>* local = nullptr);

  /// A text that is being hashed, of an observer for hash_message().
  void add(std::size_t part, const mime::TextStages& text) { texts_.add(part, text); }
  [[nodiscard]] const mime::PieceList& texts() const { return texts_.pieces(); }
  /// After all texts. `hashes`: as counted_hashes() gives them.
  rules::CounterFacts look(std::span<const mime::PartHash> hashes, std::vector<mime::Piece> matched,
                           TimePoint deadline);
  void look_again(std::vector<mime::Piece> matched, TimePoint deadline,
                  rules::CounterFacts& facts) {
    count_.look_again(std::move(matched), deadline, facts);
  }

 private:
  MessageCount& count_;
  const mime::Analysis& analysis_;
  std::string_view message_;
  std::stop_token stop_;
  const std::vector<Network>* local_;
  mime::WorkMeter work_;
  mime::TextCollector texts_;
};

}  // namespace shingled::milter::counters
