#include "milter/training/trainer.h"

#include <algorithm>
#include <utility>

#include "milter/desk/servers/asking_servers.h"
#include "milter/reports/message_shape.h"
#include "mime/message/header_block.h"

namespace shingled::milter::training {

namespace {

/// The robust hash of the same text: it goes when somebody deletes the text's own hash who knows
/// no other, as rspamd does.
std::optional<Digest> robust_beside(const mime::PartHash& hash,
                                    const std::vector<ListedHash>& all) {
  const bool is_text = hash.kind == mime::PartKind::kText || hash.kind == mime::PartKind::kHtml;
  if (!is_text || hash.place != mime::PartPlace::kBody) return std::nullopt;
  std::optional<Digest> robust;
  for (const ListedHash& other : all) {
    if (other.hash.kind != mime::PartKind::kRobust) continue;
    // Equal digests stand there once, under the first of their parts.
    if (!robust || other.hash.index == hash.index) robust = other.hash.fingerprint.digest;
  }
  return robust;
}

}  // namespace

Trainer::Trainer(const desk::Destination& destination, const Settings& settings,
                 const TrainingRequest& request, storage::client::RemoteStore& store,
                 const Clock& clock, Tell tell)
    : destination_(destination),
      mime_(settings.mime),
      actions_(settings.milter.actions),
      hash_rule_(hash_options(destination)),
      request_(request),
      store_(store),
      clock_(clock),
      tell_(std::move(tell)),
      groups_([this](std::span<TaughtMessage> group) { send(group); }) {}

void Trainer::take(const input::SourceMessage& message) {
  using Result = TaughtMessage::Result;
  TaughtMessage taught{.name = message.name, .why = {}, .hashes = {}};
  if (!request_.force) {
    if (const auto why = reports::why_no_message(message.bytes))
      return leave_out(std::move(taught), Result::kNoMessage,
                       "no message: " + *why + "; --force adds it");
  }
  const mime::Analysis analysis = mime::analyze(message.bytes, mime_);
  const mime::MessageHashes hashes_of_rule = mime::hash_message(analysis, {&hash_rule_, 1});
  std::vector<mime::PartHash> parts = hashes_of_rule.of_rule.front();
  if (!request_.force && !parts.empty()) {
    const mime::HeaderBlock header = mime::split_header_block(message.bytes, mime_);
    if (const auto why = reports::common_property(header.fields, analysis, parts))
      return leave_out(std::move(taught), Result::kCommon,
                       "not added: " + *why + "; --force adds it");
    parts = reports::own_hashes(parts);
  }
  if (parts.empty()) return leave_out(std::move(taught), Result::kNoHash, std::string(kNoHash));
  taught.text = rules::amount_of_text(hashes_of_rule.longest_text_bytes);
  for (const mime::PartHash& part : parts) taught.hashes.push_back({part, {}});
  groups_.add(std::move(taught));
}

void Trainer::leave_out(TaughtMessage message, TaughtMessage::Result result, std::string why) {
  message.result = result;
  message.why = std::move(why);
  tell_(message);
}

void Trainer::send(std::span<TaughtMessage> group) {
  const bool ties = who().knows_companions;
  std::vector<storage::client::RemoteRequest> requests;
  for (const TaughtMessage& message : group) {
    for (const ListedHash& listed : message.hashes) {
      requests.push_back({storage::client::RemoteRequest::Kind::kAdd, request_.flag,
                          request_.weight, listed.hash.fingerprint,
                          ties ? robust_beside(listed.hash, message.hashes) : std::nullopt,
                          who().old_companions});
    }
  }
  const auto answers = desk::ask_in_groups(store_, requests, destination_.remote, clock_);
  std::size_t next = 0;
  for (TaughtMessage& message : group) {
    for (const std::size_t end = next + message.hashes.size(); next < end; ++next) {
      auto failure = desk::failure_of(answers[std::min(next, answers.size() - 1)]);
      if (!failure) ++message.stored;
      if (failure && !message.failure) message.failure = std::move(failure);
    }
    if (message.failure) message.result = TaughtMessage::Result::kFailed;
  }
  look_again(group);
  for (TaughtMessage& message : group) {
    message.weight = weight_on(message.hashes, request_.flag);
    if (message.weight)
      message.needed =
          weight_needed(message.hashes, message.text, *destination_.rule, request_.flag, actions_);
    tell_(message);
  }
}

const storage::client::RemoteAnswer& Trainer::who() {
  if (!who_) {
    who_.emplace();
    if (destination_.local) {
      who_->deletes_from_list = who_->knows_companions = true;  // the daemon of this very program
    } else if (destination_.remote.to_read() == destination_.remote.to_write()) {
      who_ = desk::ask_who(store_, destination_.remote, clock_);
    }
  }
  return *who_;
}

void Trainer::look_again(std::span<TaughtMessage> group) {
  std::vector<storage::client::RemoteRequest> questions;
  std::vector<ListedHash*> asked;
  for (TaughtMessage& message : group) {
    if (message.failure) continue;
    for (ListedHash& listed : message.hashes) {
      questions.push_back(
          {storage::client::RemoteRequest::Kind::kCheck, 0, 0, listed.hash.fingerprint});
      asked.push_back(&listed);
    }
  }
  if (questions.empty() || !who().deletes_from_list) return;
  const auto answers = desk::ask_in_groups(store_, questions, destination_.remote, clock_);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto& match = answers[i].match;
    if (match && match->exact)
      asked[i]->flags.assign(match->flags.begin(), match->flags.begin() + match->flag_count);
  }
}

}  // namespace shingled::milter::training
