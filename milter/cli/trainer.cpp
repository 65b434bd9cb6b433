#include "milter/cli/trainer.h"

#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "milter/cli/common_property.h"
#include "milter/cli/exit_code.h"
#include "milter/cli/message_shape.h"
#include "milter/cli/service_failure.h"

namespace shingled::milter {

namespace {
// Requests asked together: enough for one transaction to carry many, few enough for its commit to
// end within our patience.
constexpr std::size_t kRequestsMax = 64;
}  // namespace

int Trainer::take(const SourceMessage& message) {
  if (lesson_.kind == storage::RemoteRequest::Kind::kAdd && !force_) {
    if (const auto why = why_no_message(message.bytes)) {
      ++taken_;
      ++without_hash_;
      return leave_out(message.name, "no_message", "no message: " + *why + "; --force adds it");
    }
  }
  const mime::Analysis analysis = mime::analyze(message.bytes, mime_);
  const mime::MessageHashes hashes_of_rule = mime::hash_message(analysis, {&hash_rule_, 1});
  const std::vector<mime::PartHash>& parts = hashes_of_rule.of_rule.front();
  if (lesson_.kind == storage::RemoteRequest::Kind::kAdd && !force_ && !parts.empty()) {
    if (const auto why = common_property(message.bytes, analysis, parts)) {
      ++taken_;
      ++common_;
      return leave_out(message.name, "common", "not added: " + *why + "; --force adds it");
    }
  }
  std::vector<Fingerprint> hashes;
  hashes.reserve(parts.size());
  for (const auto& part : parts) hashes.push_back(part.fingerprint);
  return take(message.name, hashes);
}

int Trainer::take(std::string name, const std::vector<Fingerprint>& hashes) {
  ++taken_;
  if (hashes.empty()) {
    ++without_hash_;
    return leave_out(name, "no_hash",
                     "no hash: the message is too short for this rule (see min_length, min_bytes)");
  }
  pending_.push_back({std::move(name), hashes.size()});
  for (const Fingerprint& hash : hashes) {
    requests_.push_back({lesson_.kind, lesson_.flag, lesson_.weight, hash});
  }
  return requests_.size() >= kRequestsMax ? send() : EX_OK;
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
    const char* verb = lesson_.kind == storage::RemoteRequest::Kind::kAdd ? "added" : "deleted";
    const std::string common =
        common_ == 0 ? "" : fmt::format(", {} like many others (--force)", common_);
    console_.line(fmt::format("{} messages: {} {}, {} without a hash{}, {} failed", taken_, done_,
                              verb, without_hash_, common,
                              taken_ - done_ - without_hash_ - common_));
  }
  return code;
}

int Trainer::send() {
  if (requests_.empty()) return EX_OK;
  const auto answers = ask_in_groups();
  int worst = EX_OK;
  std::size_t next = 0;
  for (const Pending& message : pending_) {
    const storage::RemoteAnswer* first_failure = nullptr;
    std::size_t stored = 0;
    for (const std::size_t end = next + message.hashes; next < end; ++next) {
      const storage::RemoteAnswer& answer = answers[std::min(next, answers.size() - 1)];
      const bool failed = failure_of(answer).has_value();
      if (!failed) ++stored;
      if (failed && first_failure == nullptr) first_failure = &answer;
    }
    worst = worse_exit_code(worst, report(message, stored, first_failure));
  }
  pending_.clear();
  requests_.clear();
  return worst;
}

std::vector<storage::RemoteAnswer> Trainer::ask_in_groups() {
  std::vector<storage::RemoteAnswer> all;
  for (std::span<const storage::RemoteRequest> rest = requests_; !rest.empty();) {
    const auto group = rest.first(std::min(rest.size(), kRequestsMax));
    rest = rest.subspan(group.size());
    const storage::RemoteBatch batch{&store_, group};
    auto answers = storage::ask({&batch, 1}, patience(pupil_.remote, clock_)).front();
    const bool silent = std::all_of(answers.begin(), answers.end(), [](const auto& answer) {
      return answer.outcome == storage::RemoteAnswer::Outcome::kTimeout ||
             answer.outcome == storage::RemoteAnswer::Outcome::kUnreachable;
    });
    all.insert(all.end(), std::make_move_iterator(answers.begin()),
               std::make_move_iterator(answers.end()));
    if (silent) break;
  }
  return all;
}

int Trainer::report(const Pending& message, std::size_t stored,
                    const storage::RemoteAnswer* first_failure) {
  const bool is_add = lesson_.kind == storage::RemoteRequest::Kind::kAdd;
  const auto failure = first_failure == nullptr ? std::nullopt : failure_of(*first_failure);
  if (!failure) ++done_;
  if (json_) {
    Json object = {{"file", message.name},
                   {"result", failure  ? "failed"
                              : is_add ? "added"
                                       : "deleted"},
                   {"hashes", message.hashes},
                   {"flag", lesson_.flag}};
    if (is_add) object["weight"] = lesson_.weight;
    if (failure) object["error"] = failure->explain();
    if (failure) object["done"] = stored;
    console_.json(object);
  } else if (!failure) {
    console_.line(
        fmt::format("{}: {} {} {}{}{}", terminal_safe(message.name),
                    counted(message.hashes, "hash", "hashes"), is_add ? "added to" : "deleted from",
                    lesson_.list, is_add ? fmt::format(", weight {}", lesson_.weight) : "",
                    pupil_.remote.to_write().size() == 1
                        ? ""
                        : fmt::format(", at {} servers", pupil_.remote.to_write().size())));
  }
  if (!failure) return EX_OK;
  std::string text = failure->explain();
  if (stored > 0) {
    text += fmt::format(" ({} of {} hashes were {})", stored, message.hashes,
                        is_add ? "added" : "deleted");
  }
  console_.error(message.name, text);
  return failure->exit_code();
}

}  // namespace shingled::milter
