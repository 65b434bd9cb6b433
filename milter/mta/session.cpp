#include "milter/mta/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"
#include "config/options/message_memory.h"
#include "milter/counters/envelope.h"
#include "milter/ratelimit/message_limit.h"
#include "milter/rules/fuzzy_evidence.h"
#include "storage/counters/counter.h"

namespace shingled::milter::mta {

namespace {

constexpr const char* kServiceEnds = "the service ends";
// Meanwhile the MTA is asked for more time; its client waits ten minutes (RFC 5321 4.5.3.2.6).
constexpr std::chrono::seconds kMemoryPatience{60};

std::int64_t milliseconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

bool is_fuzzy(const rules::Findings& findings) { return findings.source == &rules::kFuzzySource; }

/// The field of the log line that people look for first, so it is there without hits, too.
std::string hits_text(const rules::Facts& facts) {
  const auto fuzzy = std::find_if(facts.findings.begin(), facts.findings.end(), is_fuzzy);
  const std::string text = fuzzy == facts.findings.end() ? std::string() : rules::log_text(*fuzzy);
  return text.empty() ? "none" : text;
}

/// The failure policy does not decide here: the message is always deferred.
rules::Verdict verdict_without_memory(std::string_view what_for) {
  rules::Verdict verdict = rules::verdict_on_failure(FailurePolicy::kTempfail, "no memory ");
  verdict.reason += what_for;
  verdict.reason += " (milter.memory_max)";
  return verdict;
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

void Session::connect(std::optional<IpAddress> client, HeaderSpacing spacing, Unaddressed without,
                      std::string_view name) {
  forget();
  client_name_ = name;
  helo_.clear();
  client_ = client;
  without_ = without;
  spacing_ = spacing;
  const auto snapshot = current_.get();
  const MilterOptions& options = snapshot->scanner->settings().milter;
  local_ = client_ ? contains(options.local_networks, *client_) : without == Unaddressed::kLocal;
  last_resort_ = {options.on_failure, options.dry_run};
  identify({});
}

void Session::identify(std::string_view login) noexcept {
  sender_ = !login.empty() ? SenderClass::kAuthenticated
            : local_       ? SenderClass::kLocal
                           : SenderClass::kOther;
}

Session::Next Session::mail_from(std::string_view path, std::string_view login) {
  forget();
  begun_ = true;
  const std::shared_ptr<const judge::Snapshot> snapshot = current_.get();
  const MilterOptions& options = snapshot->scanner->settings().milter;
  last_resort_ = {options.on_failure, options.dry_run};
  local_ = client_ ? contains(options.local_networks, *client_) : without_ == Unaddressed::kLocal;
  identify(login);
  const bool unchecked =
      (local_ && options.skip_local) || (!login.empty() && options.skip_authenticated);
  auto limit = limit_of(*snapshot, path, login);
  if (unchecked && !limit) return skip();
  begin(snapshot, std::move(limit), unchecked);
  message_->bounce = path == counters::kBounceSender;
  if (!unchecked) message_->count = count_of(*snapshot, path, login);
  message_->sender = path;
  if (!unchecked) message_->envelope = envelope_of(path, login);
  return Next::kContinue;
}

void Session::begin(std::shared_ptr<const judge::Snapshot> snapshot,
                    std::optional<ratelimit::MessageLimit> limit, bool unchecked) {
  const MilterOptions& options = snapshot->scanner->settings().milter;
  MessageBuffer buffer(options.message_bytes_max, spacing_, bounds_.memory);
  actions::ForgedHeaders forged(options.headers);
  message_.emplace(Message{.snapshot = std::move(snapshot),
                           .buffer = std::move(buffer),
                           .forged = std::move(forged),
                           .start = clock_.now(),
                           .limit = std::move(limit),
                           .unchecked = unchecked});
}

std::optional<judge::MessageCount> Session::count_of(const judge::Snapshot& snapshot,
                                                     std::string_view path,
                                                     std::string_view login) const {
  if (snapshot.counter == nullptr) return std::nullopt;
  using storage::counters::Direction;
  counters::Envelope envelope = envelope_of(path, login);
  if (!login.empty()) envelope.country = snapshot.counter->country_of(client_);
  return judge::MessageCount(snapshot.counter, std::move(envelope),
                             sender_ == SenderClass::kOther ? Direction::kIn : Direction::kOut);
}

std::optional<ratelimit::MessageLimit> Session::limit_of(const judge::Snapshot& snapshot,
                                                         std::string_view path,
                                                         std::string_view login) const {
  if (snapshot.limiter == nullptr || !snapshot.limiter->limits(client_)) return std::nullopt;
  return ratelimit::MessageLimit(
      snapshot.limiter, {client_, std::string(login), ratelimit::parse_envelope_address(path)});
}

Session::Next Session::skip() {
  log_skipped();
  if (counters_ != nullptr) counters_->skipped();
  begun_ = false;
  return Next::kAccept;
}

std::optional<actions::Reply> Session::recipient(std::string_view path) {
  if (!message_) return std::nullopt;
  auto reply = limit_recipient(path);
  if (!reply) unlimited_recipient(path);
  return reply;
}

void Session::unlimited_recipient(std::string_view path) {
  if (!message_) return;
  ++message_->recipients;
  message_->keep_recipient(path);
  if (message_->count) message_->count->recipient(path);
}

void Session::refused_recipient() {
  if (message_ && message_->count) message_->count->refused_recipient();
}

std::optional<actions::Reply> Session::limit_recipient(std::string_view path) {
  if (!message_->limit) return std::nullopt;
  const auto full = message_->limit->recipient(path);
  if (!full) return std::nullopt;
  const bool deferred = full->enforced && !message_->scanner().settings().milter.dry_run;
  log_full(*full, deferred);
  return deferred ? std::optional(actions::reply_for_limit()) : std::nullopt;
}

void Session::forget() {
  close_message();
  message_.reset();
}

void Session::close_message() {
  begun_ = false;
  if (message_ && message_->limit) message_->limit->give_back();
  if (message_ && message_->count) message_->count->end();
}

void Session::header(std::string_view name, std::string_view value) {
  if (!message_ || message_->unchecked) return;
  message_->forged.see(name);
  if (message_->message_id.empty() && ascii::equal_ignoring_case(name, "Message-ID"))
    message_->message_id = ascii::trim_space(value);
  message_->buffer.add_header(name, value);
}

void Session::end_of_headers() {
  if (message_ && !message_->unchecked) message_->buffer.end_headers();
}

void Session::body(std::string_view bytes) {
  if (message_ && !message_->unchecked) message_->buffer.add_body(bytes);
}

rules::Action Session::end_of_message(std::string_view queue_id, actions::Mta& mta) noexcept {
  // After the first failure `conclude` judges by the failure policy. If it fails again, only the
  // action of the policy is left.
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      return conclude(queue_id, mta);
    } catch (const std::exception& failure) {
      fail(failure.what());
    } catch (...) {
      fail("unknown exception");
    }
  }
  const rules::Action action = failure_action();
  message_.reset();
  begun_ = false;
  return action;
}

rules::Action Session::conclude(std::string_view queue_id, actions::Mta& mta) {
  if (!message_) return std::exchange(begun_, false) ? failure_action() : rules::Action::kPass;
  Message& message = *message_;
  const MilterOptions& options = message.scanner().settings().milter;

  const auto ended = std::make_shared<Ended>(Ended{.queue_id = std::string(queue_id)});
  rules::Facts& facts = ended->facts;
  std::optional<ratelimit::FullBucket> full;
  if (message_->limit && message.failure.empty()) full = message_->limit->end_of_message();
  const bool deferred = full && full->enforced && !options.dry_run;
  if (full && !deferred) log_full(*full, false);
  if (message.unchecked && !deferred) {
    message_->limit->keep();
    skip();
    message_.reset();
    return rules::Action::kPass;
  }
  rules::Verdict verdict =
      deferred ? rules::verdict_on_limit(ratelimit::describe(*full)) : judge(message, facts, mta);
  Status applied;
  actions::Decision decision =
      actions::decide(std::move(verdict), facts, message.forged, options, queue_id);
  if (message.lacks_memory) decision.reply = actions::reply_for_memory();
  if (!options.dry_run) applied = actions::apply(decision, mta);
  log_message(message, facts, decision.verdict, queue_id, applied);
  ended->verdict = std::move(decision.verdict);
  ended->deferred = deferred;
  const rules::Action action = finish(*ended);
  finish_later(ended);
  return action;
}

rules::Verdict Session::judge(Message& message, rules::Facts& facts, actions::Mta& mta) {
  const judge::Scanner& scanner = message.scanner();
  const FailurePolicy policy = policy_for(sender_, scanner.settings().milter.on_failure);
  if (!message.failure.empty()) return rules::verdict_on_failure(policy, message.failure);
  MemoryLease lease;
  const bool received = !message.buffer.given_up();
  if (!received || !get_memory(message, lease, mta)) {
    if (bounds_.stop.stop_requested()) return rules::verdict_on_failure(policy, kServiceEnds);
    message.lacks_memory = true;
    return verdict_without_memory(received ? "to analyse it" : "to receive it");
  }
  std::optional<rules::Findings> limits;
  if (message.limit) limits = ratelimit::limit_findings(message.limit->mark());
  facts = scanner.scan(
      {.bytes = message.buffer.bytes(),
       .envelope = message.envelope,
       .whole_envelope = true,
       .truncated = message.buffer.truncated(),
       .features = message.snapshot->history.lock() != nullptr,
       .arrival = arrival_of(message),
       .limits = std::move(limits),
       .counters = message.count ? &*message.count : nullptr,
       .seen = [&](const judge::MessageView& view) { keep_for_history(view, message); },
       .before_wait = [&] { mta.progress(); },
       .stop = bounds_.stop});
  if (facts.stopped) return rules::verdict_on_failure(policy, kServiceEnds);
  warn_of_failures(facts);
  return scanner.judge(facts, policy);
}

features::Arrival Session::arrival_of(const Message& message) const {
  return {.recipients = message.recipients,
          .local = local_,
          .authenticated = sender_ == SenderClass::kAuthenticated,
          .bounce = message.bounce};
}

/// Takes memory for the analysis; may wait until other analyses have ended.
bool Session::get_memory(const Message& message, MemoryLease& lease, actions::Mta& mta) const {
  const std::uint64_t bytes = message.buffer.bytes().size();
  lease = MemoryLease(bounds_.memory, bytes <= kSmallMessageBytes ? MemoryBudget::Use::kSmall
                                                                  : MemoryBudget::Use::kAnalyze);
  return lease.await(memory_to_analyze(bytes), {clock_, clock_.now() + kMemoryPatience,
                                                bounds_.stop, [&] { mta.progress(); }});
}

rules::Action Session::finish(Ended& ended) {
  const rules::Facts& facts = ended.facts;
  const rules::Verdict& verdict = ended.verdict;
  if (counters_ != nullptr) counters_->judged(facts, verdict, clock_.now() - message_->start);
  const bool dry_run = message_->scanner().settings().milter.dry_run;
  const rules::Action action = dry_run ? rules::Action::kPass : verdict.action;
  const bool refused = action == rules::Action::kTempfail || action == rules::Action::kReject;
  if (message_->limit && !refused) message_->limit->keep();
  if (message_->count) {
    message_->count->add(facts, verdict, message_->buffer.bytes(),
                         action == rules::Action::kTempfail);
  }
  close_message();
  ended.message = std::exchange(message_, std::nullopt);
  return action;
}

void Session::fail(std::string_view what) noexcept {
  constexpr const char* kNoMemory =
      "out of memory";  // short enough for std::string without an allocation
  try {
    if (!message_ && begun_) begin(current_.get(), std::nullopt, /*unchecked=*/false);
    if (message_ && message_->failure.empty()) message_->failure = what;
  } catch (...) {
    if (message_) message_->failure = kNoMemory;
  }
}

rules::Action Session::failure_action() const noexcept {
  if (last_resort_.dry_run) return rules::Action::kPass;
  return rules::verdict_on_failure(policy_for(sender_, last_resort_.on_failure), {}).action;
}

void Session::log_full(const ratelimit::FullBucket& full, bool deferred) {
  logger_.info(LogLine("limit")
                   .field("action", deferred ? "tempfail" : "pass")
                   .field("bucket", full.key)
                   .field("drops", full.drops, 1)
                   .field("burst", full.burst, 1)
                   .field("again_in", ratelimit::wait_text(full.wait))
                   .field("client", client_text()));
}

std::string Session::client_text() const {
  if (client_) return client_->to_string();
  return without_ == Unaddressed::kLocal ? "local" : "unknown";
}

void Session::log_skipped() {
  logger_.info(LogLine("message")
                   .field("action", "skip")
                   .field("class", to_string(sender_))
                   .field("client", client_text()));
}

/// The line has nothing of the message in it, so that the log can hold back equal lines.
void Session::warn_of_failures(const rules::Facts& facts) {
  for (const rules::Lookup& lookup : facts.lookups) {
    if (!lookup.failed()) continue;
    LogLine line("lookup_failed");
    line.field("rule", lookup.rule).field("server", lookup.server);
    line.field("outcome", to_string(lookup.outcome));
    if (lookup.status != 0) line.field("status", lookup.status);
    if (!lookup.error.empty()) line.field("error", lookup.error);
    logger_.warning(line);
  }
}

void Session::log_message(const Message& message, const rules::Facts& facts,
                          const rules::Verdict& verdict, std::string_view queue_id,
                          const Status& applied) {
  LogLine line("message");
  line.field("queue_id", queue_id)
      .field("action", to_string(verdict.action))
      .field("score", verdict.score, 2)
      .field("hits", hits_text(facts))
      .field("time_ms", milliseconds(clock_.now() - message.start))
      .field("scan_us", facts.time.count())
      .field("parts", facts.hashes)
      .field("lookups", facts.lookups.size())
      .field("failed", facts.failed())
      .field("bytes", facts.bytes)
      .field("class", to_string(sender_))
      .field("client", client_text())
      .field("reason", verdict.reason);
  for (const rules::Findings& findings : facts.findings) {
    if (!is_fuzzy(findings)) rules::log_findings(findings, line);
  }
  if (facts.unasked > 0) line.field("unasked", facts.unasked);
  if (facts.incomplete) line.field("incomplete", true);
  for (const rules::Findings& findings : facts.findings) {
    if (findings.incomplete) line.field(std::string(findings.source->key) + "_incomplete", true);
  }
  if (facts.truncated) line.field("truncated", true);
  if (!facts.defects.empty()) line.field("defects", facts.defects.size());
  if (message.scanner().settings().milter.dry_run) line.field("dry_run", true);
  if (!applied) line.field("mta_error", applied.error().message);
  logger_.info(line);
}

}  // namespace shingled::milter::mta
