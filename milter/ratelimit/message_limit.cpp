#include "milter/ratelimit/message_limit.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "config/words/units.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::milter::ratelimit {

std::string wait_text(Duration wait) {
  if (wait == Duration::max()) return "never";
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait);
  return seconds.count() <= 0 ? "0s" : config::format_duration(seconds);
}

std::string describe(const FullBucket& bucket) {
  return fmt::format("bucket {} holds {:.1f} of {:g}, again in {}", bucket.key, bucket.drops,
                     bucket.burst, wait_text(bucket.wait));
}

namespace {

rules::Explanation explanation_of(const LimitMark& mark) {
  const FullBucket& bucket = mark.bucket;
  const std::string again = wait_text(bucket.wait);
  return {.log = describe(bucket),
          .header = fmt::format("{}; type={} drops={:.1f} burst={:g} again={}", mark.symbol,
                                bucket.type, bucket.drops, bucket.burst, again),
          .arithmetic = fmt::format("2 tanh({:.1f} / (2 x {:g})) = {:.2f}", bucket.drops,
                                    bucket.burst, mark.value),
          .details = {{"symbol", mark.symbol},
                      {"score", mark.value},
                      {"type", bucket.type},
                      {"drops", bucket.drops},
                      {"burst", bucket.burst},
                      {"again", again}}};
}

}  // namespace

rules::Findings limit_findings(const std::optional<LimitMark>& mark) {
  rules::Findings findings;
  findings.source = &kLimitSource;
  if (!mark) return findings;
  rules::Evidence& item = findings.evidence.emplace_back();
  item.symbol = mark->symbol;
  item.score = mark->value;
  item.explanation = [mark = *mark] { return explanation_of(mark); };
  return findings;
}

namespace {

// With a symbol nothing is deferred and a bucket may overflow, so that the value of the mark rises
// from 0.92 at the burst to 2.00 here. Without a bound, a flood would count against a sender
// without end.
constexpr double kOverflow = storage::buckets::kBurstsMax;

using Event = LimitCounters::Event;

std::vector<storage::buckets::BucketDemand> lent(const std::vector<LimitDemand>& demands,
                                                 bool overflows) {
  std::vector<storage::buckets::BucketDemand> out;
  out.reserve(demands.size());
  for (const LimitDemand& demand : demands) {
    out.push_back({demand.key, LeakRate(demand.rate.leak, demand.rate.burst),
                   static_cast<double>(demand.drops), overflows ? kOverflow : 1});
  }
  return out;
}

/// Reduces demands to the burst of their buckets. A larger demand would always be refused, and the
/// sender would retry for days.
void fill_at_most(std::vector<LimitDemand>& demands) {
  for (LimitDemand& demand : demands) {
    const double burst = std::max(1.0, std::floor(demand.rate.burst));
    if (demand.drops > burst) demand.drops = static_cast<std::uint32_t>(burst);
  }
}

/// A name for an address; its length is bounded.
std::string bounded_name(const EnvelopeAddress& address) {
  const std::string text = address.text();
  const std::array<std::string_view, 1> parts = {text};
  return storage::buckets::make_bucket_key("rcpt", parts);
}

void append(std::vector<LimitDemand>& to, std::vector<LimitDemand> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Duration seconds_until(double drops, double leak) {
  if (drops <= 0) return {};
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(drops / leak));
}

}  // namespace

MessageLimit::MessageLimit(std::shared_ptr<const MailLimiter> limiter, LimitedEnvelope envelope)
    : limiter_(std::move(limiter)), envelope_(std::move(envelope)) {}

bool MessageLimit::at_the_end() const {
  const MailLimitOptions& options = limiter_->options();
  return options.when == LimitPoint::kMessage || !options.symbol.empty();
}

bool MessageLimit::none_counts() const {
  return too_many_ && limiter_->options().above_max_rcpts == ManyRecipients::kNone;
}

std::vector<LimitDemand> MessageLimit::demands_of(const EnvelopeAddress& address, bool own) const {
  const MailLimitOptions& options = limiter_->options();
  auto out = recipient_demands(options, envelope_, address, OfRecipient::kShared);
  if (own) append(out, recipient_demands(options, envelope_, address));
  return out;
}

std::optional<FullBucket> MessageLimit::recipient(std::string_view path) {
  if (ended_) return std::nullopt;
  const EnvelopeAddress address = parse_envelope_address(path);
  const std::string name = bounded_name(address);
  if (limiter_->spares(address) || recipients_.contains(name)) return std::nullopt;
  if (recipients_.size() >= kCountedMax) return std::nullopt;
  if (refused_ >= kRefusedMax) return last_full_;
  const bool fits = with_own_ < limiter_->options().max_rcpts;
  if (!fits && !std::exchange(too_many_, true) && none_counts()) give_back_recipients();
  std::vector<LimitDemand> demands = demands_of(address, fits && !none_counts());
  if (!message_taken_) append(demands, message_demands(limiter_->options(), envelope_));
  if (at_the_end()) {
    append(pending_, std::move(demands));
  } else if (auto full = take(std::move(demands))) {
    ++refused_;
    last_full_ = full;
    return full;
  }
  message_taken_ = true;
  recipients_.insert(name);
  if (fits) ++with_own_;
  return std::nullopt;
}

std::optional<FullBucket> MessageLimit::end_of_message() {
  if (std::exchange(ended_, true)) return std::nullopt;
  return take(std::exchange(pending_, {}));
}

std::optional<FullBucket> MessageLimit::take(std::vector<LimitDemand> demands) {
  const auto store = limiter_->store();
  if (demands.empty() || store == nullptr) return std::nullopt;
  demands = merged(std::move(demands));
  const MailLimitOptions& options = limiter_->options();
  const bool marks = !options.symbol.empty();
  if (!marks) fill_at_most(demands);
  storage::buckets::BucketAnswer answer = store->take(lent(demands, marks), limiter_->deadline());
  LimitCounters& counters = limiter_->counters();
  if (marks) look_for_mark(demands, answer);
  if (answer.taken) {
    for (const LimitDemand& demand : demands)
      counters.count(demand.type, Event::kTaken, demand.drops);
    taken_.push_back({std::move(demands), std::move(answer)});
    return std::nullopt;
  }
  if (marks || answer.refused_by >= demands.size()) return std::nullopt;
  const LimitDemand& full = demands[answer.refused_by];
  counters.count(full.type, Event::kRefused);
  const double drops =
      answer.refused_by < answer.levels.size() ? answer.levels[answer.refused_by].drops : 0;
  return FullBucket{full.type, full.key, drops, full.rate.burst, answer.wait, !options.log_only};
}

void MessageLimit::look_for_mark(const std::vector<LimitDemand>& demands,
                                 const storage::buckets::BucketAnswer& answer) {
  const MailLimitOptions& options = limiter_->options();
  for (std::size_t i = 0; i < demands.size() && i < answer.levels.size(); ++i) {
    const LimitDemand& demand = demands[i];
    const BucketRate& rate = demand.rate;
    // A symbol defers nothing. If the drops were refused, the bucket counts as filled with them.
    const double drops =
        answer.taken ? answer.levels[i].drops
                     : std::min(answer.levels[i].drops + demand.drops, kOverflow * rate.burst);
    // Some of a drop may leak in the meantime, so a bucket is never exactly full.
    constexpr double kGrain = 1e-6;
    if (drops <= rate.burst + kGrain) continue;
    const double value = 2 * std::tanh(drops / (2 * rate.burst));
    if (mark_ && mark_->value >= value) continue;
    const Duration wait = seconds_until(drops + 1 - rate.burst, rate.leak);
    mark_ =
        LimitMark{options.symbol, value,
                  FullBucket{demand.type, demand.key, drops, rate.burst, wait, /*enforced=*/false}};
  }
  if (mark_) limiter_->counters().count(mark_->bucket.type, Event::kMarked);
}

void MessageLimit::give_back() {
  for (auto taken = taken_.rbegin(); taken != taken_.rend(); ++taken) give_back(*taken);
  taken_.clear();
  recipients_.clear();
  with_own_ = 0;
  message_taken_ = false;
}

void MessageLimit::give_back(const Taken& taken) {
  const auto store = limiter_->store();
  if (store == nullptr) return;
  const bool marks = !limiter_->options().symbol.empty();
  store->give_back(lent(taken.demands, marks), taken.answer, limiter_->deadline());
  for (const LimitDemand& demand : taken.demands) {
    limiter_->counters().count(demand.type, Event::kGivenBack, demand.drops);
  }
}

void MessageLimit::give_back_recipients() {
  std::erase_if(pending_, [](const LimitDemand& demand) { return demand.by_recipient; });
  std::vector<Taken> kept;
  for (auto taken = taken_.rbegin(); taken != taken_.rend(); ++taken) {
    auto [of_recipients, of_message] = split(std::move(*taken));
    if (!of_recipients.demands.empty()) give_back(of_recipients);
    if (!of_message.demands.empty()) kept.push_back(std::move(of_message));
  }
  taken_ = std::move(kept);
}

/// Splits drops into those of recipients and those of the whole message.
std::pair<MessageLimit::Taken, MessageLimit::Taken> MessageLimit::split(Taken taken) {
  Taken of_recipients;
  Taken of_message;
  std::vector<storage::buckets::BucketLevel> levels = std::exchange(taken.answer.levels, {});
  of_recipients.answer = of_message.answer = taken.answer;
  for (std::size_t i = 0; i < taken.demands.size() && i < levels.size(); ++i) {
    Taken& share = taken.demands[i].by_recipient ? of_recipients : of_message;
    share.demands.push_back(std::move(taken.demands[i]));
    share.answer.levels.push_back(levels[i]);
  }
  return {std::move(of_recipients), std::move(of_message)};
}

}  // namespace shingled::milter::ratelimit
