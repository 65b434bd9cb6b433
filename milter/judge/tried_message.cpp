#include "milter/judge/tried_message.h"

#include <utility>

#include "milter/judge/message_count.h"
#include "mime/message/header_block.h"

namespace shingled::milter::judge {

namespace {

/// What decides where something cannot be found out.
FailurePolicy failure_policy(const features::Arrival& arrival, const FailureOptions& options) {
  if (arrival.authenticated.value_or(false)) return options.authenticated;
  return arrival.local.value_or(false) ? options.local : options.other;
}

std::string_view unchecked_by(const features::Arrival& arrival, const MilterOptions& options) {
  if (options.skip_local && arrival.local.value_or(false)) return "milter.skip_local";
  if (options.skip_authenticated && arrival.authenticated.value_or(false))
    return "milter.skip_authenticated";
  return {};
}

/// Asks the counters about the message; nothing is added to them without MessageCount::add().
std::optional<MessageCount> count_of(const Snapshot& snapshot, const counters::Envelope& envelope,
                                     const features::Arrival& arrival) {
  using storage::counters::Direction;
  if (snapshot.counter == nullptr) return std::nullopt;
  counters::Envelope own = envelope;
  own.recipients.clear();
  const bool sends = arrival.local.value_or(false) || arrival.authenticated.value_or(false);
  if (!own.user.empty()) own.country = snapshot.counter->country_of(own.client);
  MessageCount out(snapshot.counter, std::move(own), sends ? Direction::kOut : Direction::kIn);
  for (const std::string& recipient : envelope.recipients) out.recipient(recipient);
  return out;
}

}  // namespace

features::Arrival arrival_of(const counters::Envelope& envelope, const Settings& settings) {
  features::Arrival arrival;
  if (!envelope.recipients.empty()) arrival.recipients = envelope.recipients.size();
  if (!envelope.sender.empty()) arrival.bounce = envelope.sender == counters::kBounceSender;
  if (envelope.client) {
    arrival.local = contains(settings.milter.local_networks, *envelope.client);
    arrival.authenticated = !envelope.user.empty();
  }
  if (!envelope.user.empty()) arrival.authenticated = true;
  return arrival;
}

actions::ForgedHeaders forged_in(std::string_view message, const Settings& settings) {
  MimeOptions unbounded = settings.mime;
  unbounded.header_bytes_max = message.size();
  actions::ForgedHeaders forged(settings.milter.headers);
  for (const mime::HeaderField& field : mime::split_header_block(message, unbounded).fields) {
    forged.see(field.name);
  }
  return forged;
}

TriedVerdict try_message(const Snapshot& snapshot, const TriedMessage& message) {
  const Scanner& scanner = *snapshot.scanner;
  const Settings& settings = scanner.settings();
  const features::Arrival arrival = arrival_of(message.envelope, settings);
  const std::string_view seen = message.bytes.substr(0, settings.milter.message_bytes_max);
  auto count = count_of(snapshot, message.envelope, arrival);
  TriedVerdict out;
  out.facts = scanner.scan({.bytes = seen,
                            .envelope = message.envelope,
                            .names = true,
                            .truncated = seen.size() < message.bytes.size(),
                            .tried = true,
                            .arrival = arrival,
                            .counters = count ? &*count : nullptr,
                            .stop = message.stop});
  if (out.facts.stopped) return out;
  out.decision =
      actions::decide(scanner.judge(out.facts, failure_policy(arrival, settings.milter.on_failure)),
                      out.facts, forged_in(seen, settings), settings.milter);
  out.near_misses = scanner.near_misses(out.facts);
  out.unchecked = unchecked_by(arrival, settings.milter);
  return out;
}

}  // namespace shingled::milter::judge
