#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/options/counter_options.h"
#include "config/options/settings.h"
#include "milter/counters/envelope.h"
#include "milter/counters/message_pieces.h"
#include "milter/features/feature.h"
#include "milter/features/message_features.h"
#include "milter/rules/facts.h"
#include "mime/analysis_parts.h"
#include "mime/analyze.h"
#include "mime/message/header_block.h"
#include "mime/model/work_meter.h"
#include "mime/pieces/authentication_results.h"
#include "mime/pieces/piece_list.h"
#include "mime/pieces/text_collector.h"

namespace shingled::milter::judge {

/// How messages are read, the same for all messages under some settings.
/// Threads: immutable once it is made.
class ViewPlan {
 public:
  /// Without hashes.
  explicit ViewPlan(const Settings& settings)
      : mime_(settings.mime),
        pieces_(settings.counters.pieces),
        local_(settings.milter.local_networks) {}

  /// Adds the hashes of a rule. Returns their place in MessageView::hashes(); rules with the same
  /// options share one.
  std::size_t add(const HashOptions& options);
  /// Adds what the counters count (counted_hashes.h). Last, as they are made only for pieces.
  void add_counted();

  [[nodiscard]] const MimeOptions& mime() const { return mime_; }
  [[nodiscard]] const PieceOptions& pieces() const { return pieces_; }
  [[nodiscard]] const std::vector<Network>& local() const { return local_; }
  [[nodiscard]] bool counts() const { return counted_.has_value(); }

 private:
  friend class MessageView;
  /// Places in `rules_`.
  struct Counted {
    std::size_t texts;
    std::size_t structures;
  };

  MimeOptions mime_;
  PieceOptions pieces_;
  std::vector<Network> local_;         ///< our servers, which hand mail to each other
  std::vector<mime::HashRule> rules_;  ///< without duplicates
  std::size_t asked_ = 0;              ///< of rules_; those after them are for the counters alone
  std::optional<Counted> counted_;
};

/// A message as everybody sees it: its header, its parts, its hashes, and what its texts say. It is
/// taken apart once, and each text is read once.
///
///   made (the parts) -> hash() -> pieces() at most once; all else at any time after hash()
///
/// Does not look anything up, and knows no envelope but the one that pieces() is given.
/// Errors:  none; what meets a bound of `mime` or of `counters.pieces` is left out and noted.
/// Threads: one at a time.
/// Cost:    the analysis, then one hash pass for all rules of the plan (mime/analyze.h). Texts and
///          pieces have a work meter of their own, a quarter of the message's, so that they never
///          leave less for the hashes.
class MessageView {
 public:
  /// What else is made in the pass that makes the hashes.
  enum class Want : std::uint8_t {
    kHashes,  ///< of the rules that were added
    kTexts,   ///< also texts() and links()
    kPieces,  ///< also pieces(); as kTexts if the plan does not count
  };

  /// Takes the message apart. All of them must outlive it. `stop` ends it early.
  MessageView(std::string_view bytes, const ViewPlan& plan, std::stop_token stop = {});
  MessageView(const MessageView&) = delete;
  MessageView& operator=(const MessageView&) = delete;
  MessageView(MessageView&&) = delete;
  MessageView& operator=(MessageView&&) = delete;
  ~MessageView() = default;

  void hash(Want want);

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] const ViewPlan& plan() const { return plan_; }
  [[nodiscard]] const mime::HeaderBlock& header() const { return analysis_.parts().header; }
  /// The bytes after the header.
  [[nodiscard]] std::string_view body() const;
  [[nodiscard]] const mime::Analysis& analysis() const { return analysis_; }
  [[nodiscard]] const mime::MessageHashes& hashes() const { return hashes_; }
  /// Of the rules that were added.
  [[nodiscard]] std::span<const std::vector<mime::PartHash>> asked() const {
    return std::span(hashes_.of_rule).first(plan_.asked_);
  }
  [[nodiscard]] bool has_texts() const { return collector_.has_value(); }
  [[nodiscard]] bool has_pieces() const { return want_ == Want::kPieces; }
  /// Only with has_texts().
  [[nodiscard]] const features::TextSummary& texts() const { return texts_; }
  /// Different links in its texts; nullopt = some were left out.
  [[nodiscard]] std::optional<std::size_t> links() const;
  /// What servers of ours say of the sender (sender_proof.h); nullopt = no server is ours.
  [[nodiscard]] std::optional<std::span<const mime::AuthenticationResults>> results() const;

  /// What the counters count of the message, with this envelope. Only with has_pieces().
  counters::MessagePieces pieces(
      const counters::Envelope& envelope,
      const std::function<bool()>& out_of_time = counters::always_in_time);

 private:
  std::string_view bytes_;
  const ViewPlan& plan_;
  mime::Analysis analysis_;
  mime::WorkMeter work_;
  std::optional<mime::TextCollector> collector_;
  features::TextSummary texts_;
  mime::MessageHashes hashes_;
  Want want_ = Want::kHashes;
  std::vector<mime::AuthenticationResults> believed_;
};

/// The pieces of a message that is looked at for nothing else; MessageView::pieces(). `plan`: it
/// counts.
counters::MessagePieces pieces_of(std::string_view bytes, const ViewPlan& plan,
                                  const counters::Envelope& envelope);

/// The names of a message: who sent it, to whom, over which list (message_names.h).
/// `whole_envelope`: nothing is missing in it.
/// Cost:    linear in the header.
features::MessageNames names_of(const mime::HeaderBlock& header, const ViewPlan& plan,
                                const counters::Envelope& envelope, bool whole_envelope);

/// What the counters say of one message: look(), then maybe look_again().
/// Threads: one at a time.
class CounterSource {
 public:
  virtual ~CounterSource() = default;
  /// Takes the pieces of the message and asks for the counters that are needed. `matched`: what its
  /// look-ups have matched so far (counters/counted_hashes.h); no limit on pieces takes them away,
  /// so that no message can hide them by many links.
  /// Errors:  none; what cannot be asked is unknown.
  virtual rules::CounterFacts look(MessageView& message, std::vector<mime::Piece> matched,
                                   TimePoint deadline, const std::stop_token& stop) = 0;
  /// What later look-ups have matched: those that are new belong to the message, too, and their
  /// counters are added to `facts`.
  virtual void look_again(std::vector<mime::Piece> matched, TimePoint deadline,
                          rules::CounterFacts& facts) = 0;
};

}  // namespace shingled::milter::judge
