#include "milter/judge/message/message_view.h"

#include <algorithm>
#include <utility>

#include "milter/counters/counted_hashes.h"
#include "milter/counters/message_names.h"
#include "milter/counters/sender_proof.h"

namespace shingled::milter::judge {

namespace {

/// Of the work of a message, so that what is not a hash costs at most this part more.
constexpr mime::Steps kWorkShare = 4;

/// The place of the first rule with such options, or the number of rules.
template <typename Same>
std::size_t place_of(const std::vector<mime::HashRule>& rules, Same same) {
  const auto place =
      std::ranges::find_if(rules, [&](const mime::HashRule& rule) { return same(rule.options()); });
  return static_cast<std::size_t>(place - rules.begin());
}

}  // namespace

std::size_t ViewPlan::add(const HashOptions& options) {
  const std::size_t place =
      place_of(rules_, [&](const HashOptions& known) { return known == options; });
  if (place == rules_.size()) rules_.emplace_back(options);
  asked_ = rules_.size();
  return place;
}

void ViewPlan::add_counted() {
  const std::size_t texts = place_of(rules_, counters::makes_counted_texts);
  if (texts == rules_.size()) rules_.emplace_back(counters::counted_text_options());
  counted_ = {.texts = texts, .structures = rules_.size()};
  rules_.emplace_back(counters::counted_structure_options());
}

MessageView::MessageView(std::string_view bytes, const ViewPlan& plan, std::stop_token stop)
    : bytes_(bytes),
      plan_(plan),
      analysis_(mime::analyze(bytes, plan.mime(), stop)),
      work_(mime::steps_for(bytes.size(), plan.mime().work_max) / kWorkShare, std::move(stop)) {}

void MessageView::hash(Want want) {
  want_ = want == Want::kPieces && !plan_.counts() ? Want::kTexts : want;
  mime::TextObserver observer;
  if (want_ != Want::kHashes) {
    collector_.emplace(analysis_, plan_.pieces(), work_,
                       has_pieces() ? mime::Searched::kAll : mime::Searched::kLinks);
    observer = [this](std::size_t part, const mime::TextStages& text) {
      texts_.add(text);
      collector_->add(part, text);
    };
    if (!plan_.pieces().authserv_ids.empty())
      believed_ =
          counters::believed_results(header().fields, plan_.pieces().authserv_ids, plan_.local());
  }
  const std::span rules(plan_.rules_);
  hashes_ =
      mime::hash_message(analysis_, has_pieces() ? rules : rules.first(plan_.asked_), observer);
}

std::string_view MessageView::body() const {
  return bytes_.substr(std::min(header().body_begin, bytes_.size()));
}

std::optional<std::size_t> MessageView::links() const {
  const mime::PieceList& found = collector_->pieces();
  if (found.dropped() > 0) return std::nullopt;
  return found.of_type(PieceType::kLink).size();
}

std::optional<std::span<const mime::AuthenticationResults>> MessageView::results() const {
  if (plan_.pieces().authserv_ids.empty()) return std::nullopt;
  return believed_;
}

counters::MessagePieces MessageView::pieces(const counters::Envelope& envelope,
                                            const std::function<bool()>& out_of_time) {
  const auto counted = counters::counted_hashes(hashes_.of_rule[plan_.counted_->texts],
                                                hashes_.of_rule[plan_.counted_->structures]);
  return counters::message_pieces(
      {.analysis = analysis_, .believed = believed_, .hashes = counted, .texts = &*collector_},
      envelope, plan_.pieces(), work_, out_of_time);
}

counters::MessagePieces pieces_of(std::string_view bytes, const ViewPlan& plan,
                                  const counters::Envelope& envelope) {
  MessageView view(bytes, plan);
  view.hash(MessageView::Want::kPieces);
  return view.pieces(envelope);
}

features::MessageNames names_of(const mime::HeaderBlock& header, const ViewPlan& plan,
                                const counters::Envelope& envelope, bool whole_envelope) {
  mime::WorkMeter work(mime::steps_for(header.body_begin, plan.mime().work_max));
  return counters::message_names({.fields = header.fields,
                                  .authserv_ids = plan.pieces().authserv_ids,
                                  .local = &plan.local(),
                                  .compat = plan.mime().compat,
                                  .whole_envelope = whole_envelope},
                                 envelope, work);
}

}  // namespace shingled::milter::judge
