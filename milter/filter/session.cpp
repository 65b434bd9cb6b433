#include "milter/filter/session.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "config/base/hex.h"
#include "milter/rules/shown_hits.h"

namespace shingled::milter {

namespace {

constexpr std::size_t kDigestHexShown = 10;

std::int64_t milliseconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

/// "FUZZY_DENIED:11:20:0.94:rule/part:<digest>", comma separated: enough to do the sum again.
std::string describe_hits(const Verdict& verdict, const Facts& facts) {
  std::string text;
  const ShownHits shown = shown_hits(verdict.hits);
  for (const std::size_t i : shown.hits) {
    const Hit& hit = verdict.hits[i];
    const Lookup& lookup = facts.lookups[hit.lookup];
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, ":%u:%d:%.2f:", hit.flag, hit.value,
                  static_cast<double>(lookup.probability));
    if (!text.empty()) text += ',';
    text += hit.symbol + numbers + lookup.rule + '/' + lookup.hash.part + ':' +
            to_hex(lookup.match.digest.bytes).substr(0, kDigestHexShown);
  }
  if (shown.more > 0) text += ",and " + std::to_string(shown.more) + " more";
  return text.empty() ? "none" : text;
}

/// "SIMILAR_BAD:7.44:similarity 93:list/sample:part", comma separated.
std::string describe_similar(const Verdict& verdict, const SimilarFacts& facts) {
  std::string text;
  const std::size_t shown = std::min(verdict.similar.size(), kHitsShown);
  for (const SimilarShare& share : std::span(verdict.similar).first(shown)) {
    const SimilarHit& hit = facts.hits[share.hit];
    char score[32];
    std::snprintf(score, sizeof score, ":%.2f:", share.score);
    if (!text.empty()) text += ", ";
    text += share.symbol + (share.spared ? std::string(":spared:") : score) + likeness_text(hit) +
            ":" + hit.list + "/" + hit.sample + ":" + piece_name(hit);
  }
  if (const auto more = verdict.similar.size() - shown; more > 0)
    text += ", and " + std::to_string(more) + " more";
  return text;
}

std::string joined(const std::vector<std::string>& phrases) {
  std::string text;
  for (const std::string& phrase : phrases) text += (text.empty() ? "" : ", ") + phrase;
  return text;
}

}  // namespace

std::string_view to_string(SenderClass sender) {
  switch (sender) {
    case SenderClass::kLocal:
      return "local";
    case SenderClass::kAuthenticated:
      return "authenticated";
    case SenderClass::kOther:
      return "other";
  }
  return "other";
}

FailurePolicy policy_for(SenderClass sender, const FailureOptions& options) {
  switch (sender) {
    case SenderClass::kLocal:
      return options.local;
    case SenderClass::kAuthenticated:
      return options.authenticated;
    case SenderClass::kOther:
      return options.other;
  }
  return options.other;
}

void Session::connect(std::optional<IpAddress> client, HeaderSpacing spacing) {
  forget();
  client_ = client;
  spacing_ = spacing;
}

Session::Next Session::mail_from(std::string_view path, std::string_view login) {
  forget();
  std::shared_ptr<const Scanner> scanner = current_.get();
  const MilterOptions& options = scanner->settings().milter;
  const bool authenticated = !login.empty();
  const bool local = !client_ || contains(options.local_networks, *client_);
  const SenderClass sender = authenticated ? SenderClass::kAuthenticated
                             : local       ? SenderClass::kLocal
                                           : SenderClass::kOther;
  const bool unseen =
      (local && options.skip_local) || (authenticated && options.skip_authenticated);
  auto limit = limit_of(path, login);
  if (unseen && !limit) return skip(sender);
  MessageBuffer buffer(options.message_bytes_max, spacing_);
  ForgedHeaders forged(options.headers);
  message_.emplace(Message{std::move(scanner),
                           std::move(buffer),
                           std::move(forged),
                           sender,
                           clock_.now(),
                           {},
                           std::move(limit),
                           unseen});
  return Next::kContinue;
}

std::optional<MessageLimit> Session::limit_of(std::string_view path, std::string_view login) const {
  auto limiter = limiter_ != nullptr ? limiter_->get() : nullptr;
  if (limiter == nullptr || !limiter->limits(client_)) return std::nullopt;
  return MessageLimit(std::move(limiter),
                      {client_, std::string(login), parse_envelope_address(path)});
}

Session::Next Session::skip(SenderClass sender) {
  log_skipped(sender);
  if (counters_ != nullptr) counters_->skipped();
  return Next::kAccept;
}

std::optional<Reply> Session::recipient(std::string_view path) {
  if (!message_ || !message_->limit) return std::nullopt;
  const auto full = message_->limit->recipient(path);
  if (!full) return std::nullopt;
  const bool put_off = full->enforced && !message_->scanner->settings().milter.dry_run;
  log_full(*full, put_off);
  return put_off ? std::optional(reply_for_limit()) : std::nullopt;
}

void Session::forget() {
  if (message_ && message_->limit) message_->limit->give_back();
  message_.reset();
}

void Session::header(std::string_view name, std::string_view value) {
  if (!message_ || message_->unseen) return;
  message_->forged.see(name);
  message_->buffer.add_header(name, value);
}

void Session::end_of_headers() {
  if (message_ && !message_->unseen) message_->buffer.end_headers();
}

void Session::body(std::string_view bytes) {
  if (message_ && !message_->unseen) message_->buffer.add_body(bytes);
}

Action Session::end_of_message(std::string_view queue_id, Mta& mta) {
  if (!message_) return Action::kPass;
  const Message& message = *message_;
  const MilterOptions& options = message.scanner->settings().milter;

  Facts facts;
  std::optional<FullBucket> full;
  if (message_->limit && message.failure.empty()) full = message_->limit->end_of_message();
  const bool put_off = full && full->enforced && !options.dry_run;
  if (full && !put_off) log_full(*full, false);
  if (message.unseen && !put_off) {
    message_->limit->keep();
    skip(message.sender);
    message_.reset();
    return Action::kPass;
  }
  Verdict verdict = put_off ? verdict_on_limit(*full) : judge(message, facts, mta);
  Status applied;
  const Decision decision = decide(std::move(verdict), facts, message.forged, options);
  if (!options.dry_run) applied = apply(decision, mta);
  log_message(message, facts, decision.verdict, queue_id, applied);
  return finish(facts, decision.verdict);
}

Verdict Session::judge(const Message& message, Facts& facts, Mta& mta) {
  const Scanner& scanner = *message.scanner;
  const FailurePolicy policy = policy_for(message.sender, scanner.settings().milter.on_failure);
  if (!message.failure.empty()) return verdict_on_failure(policy, message.failure);
  facts = scanner.scan(message.buffer.bytes(), [&] { mta.progress(); });
  facts.truncated = message.buffer.truncated();
  if (message.limit) facts.limit = message.limit->mark();
  warn_of_failures(facts);
  return scanner.judge(facts, policy);
}

Action Session::finish(const Facts& facts, const Verdict& verdict) {
  if (counters_ != nullptr) counters_->judged(facts, verdict, clock_.now() - message_->start);
  const bool dry_run = message_->scanner->settings().milter.dry_run;
  const Action action = dry_run ? Action::kPass : verdict.action;
  const bool refused = action == Action::kTempfail || action == Action::kReject;
  if (message_->limit && !refused) message_->limit->keep();
  forget();
  return action;
}

void Session::fail(std::string_view what) {
  if (message_ && message_->failure.empty()) message_->failure = what;
}

void Session::log_full(const FullBucket& full, bool put_off) {
  logger_.info(LogLine("limit")
                   .field("action", put_off ? "tempfail" : "pass")
                   .field("bucket", full.key)
                   .field("drops", full.drops, 1)
                   .field("burst", full.burst, 1)
                   .field("again_in", wait_text(full.wait))
                   .field("client", client_ ? client_->to_string() : "local"));
}

void Session::log_skipped(SenderClass sender) {
  logger_.info(LogLine("message")
                   .field("action", "skip")
                   .field("class", to_string(sender))
                   .field("client", client_ ? client_->to_string() : "local"));
}

/// Names no message: lines that are equal are one warning to the log.
void Session::warn_of_failures(const Facts& facts) {
  for (const Lookup& lookup : facts.lookups) {
    if (!lookup.failed()) continue;
    LogLine line("lookup_failed");
    line.field("rule", lookup.rule).field("server", lookup.server);
    line.field("outcome", to_string(lookup.outcome));
    if (lookup.status != 0) line.field("status", lookup.status);
    if (!lookup.error.empty()) line.field("error", lookup.error);
    logger_.warning(line);
  }
}

void Session::log_message(const Message& message, const Facts& facts, const Verdict& verdict,
                          std::string_view queue_id, const Status& applied) {
  LogLine line("message");
  line.field("queue_id", queue_id)
      .field("action", to_string(verdict.action))
      .field("score", verdict.score, 2)
      .field("hits", describe_hits(verdict, facts))
      .field("time_ms", milliseconds(clock_.now() - message.start))
      .field("scan_us", facts.time.count())
      .field("parts", facts.hashes)
      .field("lookups", facts.lookups.size())
      .field("failed", facts.failed())
      .field("bytes", facts.bytes)
      .field("class", to_string(message.sender))
      .field("client", client_ ? client_->to_string() : "local")
      .field("reason", verdict.reason);
  const SimilarFacts& similar = facts.similar;
  if (!similar.hits.empty()) line.field("similar", describe_similar(verdict, similar));
  if (!similar.notes.empty()) line.field("similar_notes", joined(similar.notes));
  if (facts.limit) line.field("limit", describe(facts.limit->bucket));
  if (facts.unasked > 0) line.field("unasked", facts.unasked);
  if (facts.incomplete) line.field("incomplete", true);
  if (similar.incomplete) line.field("similar_incomplete", true);
  if (facts.truncated) line.field("truncated", true);
  if (!facts.defects.empty()) line.field("defects", facts.defects.size());
  if (message.scanner->settings().milter.dry_run) line.field("dry_run", true);
  if (!applied) line.field("mta_error", applied.error().message);
  logger_.info(line);
}

}  // namespace shingled::milter
