#include "milter/cli/training/trainer.h"

#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "milter/cli/access/asking_servers.h"
#include "milter/cli/access/service_failure.h"
#include "milter/cli/terminal/exit_code.h"
#include "milter/reports/message_shape.h"
#include "mime/message/header_block.h"

namespace shingled::milter::cli {

namespace {

std::string from_weight(std::optional<std::int32_t> weight, const char* what) {
  return weight ? fmt::format("a {} from {}", what, *weight)
                : fmt::format("no {} from this list alone", what);
}

/// "now 3: a header from 2, a reject from 5"; of a list that does not accuse only the weight.
std::string weight_text(std::int32_t now, const WeightNeeded& needed, const FlagOptions* list,
                        const ActionOptions& actions) {
  std::string text = fmt::format("now {}", now);
  if (list == nullptr || list->weight <= 0) return text;
  std::string_view between = ": ";
  const auto say = [&](const std::optional<double>& score, const auto& weight, const char* what) {
    if (!score) return;  // this action is off
    text.append(between).append(from_weight(weight, what));
    between = ", ";
  };
  say(actions.add_header, needed.header, "header");
  say(actions.reject, needed.reject, "reject");
  return text;
}

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

Json weight_or_null(std::optional<std::int32_t> weight) {
  return weight ? Json(*weight) : Json(nullptr);
}

}  // namespace

int Trainer::take(const SourceMessage& message) {
  if (!force_) {
    if (const auto why = reports::why_no_message(message.bytes)) {
      ++taken_;
      ++without_hash_;
      return leave_out(message.name, "no_message", "no message: " + *why + "; --force adds it");
    }
  }
  const mime::Analysis analysis = mime::analyze(message.bytes, mime_);
  const mime::MessageHashes hashes_of_rule = mime::hash_message(analysis, {&hash_rule_, 1});
  std::vector<mime::PartHash> parts = hashes_of_rule.of_rule.front();
  if (!force_ && !parts.empty()) {
    const mime::HeaderBlock header = mime::split_header_block(message.bytes, mime_);
    if (const auto why = reports::common_property(header.fields, analysis, parts)) {
      ++taken_;
      ++common_;
      return leave_out(message.name, "common", "not added: " + *why + "; --force adds it");
    }
    parts = reports::own_hashes(parts);
  }
  ++taken_;
  if (parts.empty()) {
    ++without_hash_;
    return leave_out(message.name, "no_hash",
                     "no hash: the message is too short for this rule (see min_length, min_bytes)");
  }
  Pending& pending = pending_.emplace_back();
  pending.name = message.name;
  pending.text = rules::amount_of_text(hashes_of_rule.longest_text_bytes);
  for (const mime::PartHash& part : parts) pending.hashes.push_back({part, {}});
  pending_hashes_ += parts.size();
  return pending_hashes_ >= kRequestsAtOnce ? send() : EX_OK;
}

int Trainer::leave_out(const std::string& name, const char* result, const std::string& why) {
  if (json_) {
    Json object = {{"file", name}, {"result", result}, {"hashes", 0}};
    if (std::string_view(result) != "no_hash") object["error"] = why;
    console_.json(object);
  }
  console_.error(name, why);
  return EX_DATAERR;
}

int Trainer::finish() {
  const int code = send();
  if (taken_ > 1 && !json_) {
    const std::string common =
        common_ == 0 ? "" : fmt::format(", {} like many others (--force)", common_);
    console_.line(fmt::format("{} messages: {} added, {} without a hash{}, {} failed", taken_,
                              done_, without_hash_, common,
                              taken_ - done_ - without_hash_ - common_));
  }
  return code;
}

int Trainer::send() {
  if (pending_.empty()) return EX_OK;
  const bool ties = who().knows_companions;
  std::vector<storage::client::RemoteRequest> requests;
  for (const Pending& message : pending_) {
    for (const ListedHash& listed : message.hashes) {
      requests.push_back({storage::client::RemoteRequest::Kind::kAdd, request_.flag,
                          request_.weight, listed.hash.fingerprint,
                          ties ? robust_beside(listed.hash, message.hashes) : std::nullopt,
                          who().old_companions});
    }
  }
  const auto answers = ask_in_groups(store_, requests, destination_.remote, clock_);
  std::size_t next = 0;
  for (Pending& message : pending_) {
    for (const std::size_t end = next + message.hashes.size(); next < end; ++next) {
      const storage::client::RemoteAnswer& answer = answers[std::min(next, answers.size() - 1)];
      const bool failed = failure_of(answer).has_value();
      if (!failed) ++message.stored;
      if (failed && !message.failure) message.failure = answer;
    }
  }
  look_again();
  int worst = EX_OK;
  for (const Pending& message : pending_) worst = worse_exit_code(worst, report(message));
  pending_.clear();
  pending_hashes_ = 0;
  return worst;
}

const storage::client::RemoteAnswer& Trainer::who() {
  if (!who_) {
    who_.emplace();
    if (destination_.local) {
      who_->deletes_from_list = who_->knows_companions = true;  // the daemon of this very program
    } else if (destination_.remote.to_read() == destination_.remote.to_write()) {
      who_ = ask_who(store_, destination_.remote, clock_);
    }
  }
  return *who_;
}

bool Trainer::tells_weights() { return who().deletes_from_list; }

void Trainer::look_again() {
  std::vector<storage::client::RemoteRequest> questions;
  std::vector<ListedHash*> asked;
  for (Pending& message : pending_) {
    if (message.failure) continue;
    for (ListedHash& listed : message.hashes) {
      questions.push_back(
          {storage::client::RemoteRequest::Kind::kCheck, 0, 0, listed.hash.fingerprint});
      asked.push_back(&listed);
    }
  }
  if (questions.empty() || !tells_weights()) return;
  const auto answers = ask_in_groups(store_, questions, destination_.remote, clock_);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto& match = answers[i].match;
    if (match && match->exact)
      asked[i]->flags.assign(match->flags.begin(), match->flags.begin() + match->flag_count);
  }
}

int Trainer::report(const Pending& message) {
  const auto failure = message.failure ? failure_of(*message.failure) : std::nullopt;
  if (!failure) ++done_;
  const auto now = weight_on(message.hashes, request_.flag);
  const WeightNeeded needed =
      now ? weight_needed(message.hashes, message.text, *destination_.rule, request_.flag, actions_)
          : WeightNeeded{};
  if (json_) {
    Json object = {{"file", message.name},
                   {"result", failure ? "failed" : "added"},
                   {"hashes", message.hashes.size()},
                   {"flag", request_.flag},
                   {"weight", request_.weight}};
    if (failure) object["error"] = failure->explain();
    if (failure) object["done"] = message.stored;
    if (!failure) {
      object["weight_now"] = weight_or_null(now);
      object["header_from"] = weight_or_null(needed.header);
      object["reject_from"] = weight_or_null(needed.reject);
    }
    console_.json(object);
  } else if (!failure) {
    console_.line(fmt::format(
        "{}: {} added to {}, weight {}{}{}", terminal_safe(message.name),
        counted(message.hashes.size(), "hash", "hashes"), request_.list, request_.weight,
        destination_.remote.to_write().size() == 1
            ? ""
            : fmt::format(", at {} servers", destination_.remote.to_write().size()),
        now ? ", " +
                  weight_text(*now, needed, destination_.rule->flags.find(request_.flag), actions_)
            : ""));
  }
  if (!failure) return EX_OK;
  std::string text = failure->explain();
  if (message.stored > 0) {
    text += fmt::format(" ({} of {} hashes were added)", message.stored, message.hashes.size());
  }
  console_.error(message.name, text);
  return failure->exit_code();
}

}  // namespace shingled::milter::cli
