#include "milter/cli/trainer.h"

#include <fmt/format.h>
#include <sysexits.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "milter/cli/exit_code.h"
#include "milter/cli/service_failure.h"

namespace shingled::milter {

namespace {
// Requests under way at once: enough for one transaction to carry many, few enough for any server's
// socket buffer (64 packets of 332 bytes) and for its commit to end within our patience.
constexpr std::size_t kRequestsMax = 64;
}  // namespace

int Trainer::take(const SourceMessage& message) {
  std::vector<Fingerprint> hashes;
  for (const auto& part : mime::hash_message(mime::analyze(message.bytes, mime_), hash_rule_)) {
    hashes.push_back(part.fingerprint);
  }
  return take(message.name, hashes);
}

int Trainer::take(std::string name, const std::vector<Fingerprint>& hashes) {
  ++taken_;
  if (hashes.empty()) {
    ++without_hash_;
    const char* why = "no hash: the message is too short for this rule (see min_length, min_bytes)";
    if (json_) console_.json({{"file", name}, {"result", "no_hash"}, {"hashes", 0}});
    console_.error(name, why);
    return EX_DATAERR;
  }
  pending_.push_back({std::move(name), hashes.size()});
  for (const Fingerprint& hash : hashes) {
    requests_.push_back({lesson_.kind, lesson_.flag, lesson_.weight, hash});
  }
  return requests_.size() >= kRequestsMax ? send() : EX_OK;
}

int Trainer::finish() {
  const int code = send();
  if (taken_ > 1 && !json_) {
    const char* verb = lesson_.kind == storage::RemoteRequest::Kind::kAdd ? "added" : "deleted";
    console_.line(fmt::format("{} messages: {} {}, {} without a hash, {} failed", taken_, done_,
                              verb, without_hash_, taken_ - done_ - without_hash_));
  }
  return code;
}

int Trainer::send() {
  if (requests_.empty()) return EX_OK;
  const storage::RemoteBatch batch{&store_, requests_};
  const auto answers = storage::ask({&batch, 1}, patience(pupil_.remote, clock_)).front();
  int worst = EX_OK;
  auto answer = answers.begin();
  for (const Pending& message : pending_) {
    const storage::RemoteAnswer* first_failure = nullptr;
    for (const auto end = answer + static_cast<std::ptrdiff_t>(message.hashes); answer != end;
         ++answer) {
      if (first_failure == nullptr && failure_of(*answer)) first_failure = &*answer;
    }
    worst = worse_exit_code(worst, report(message, first_failure));
  }
  pending_.clear();
  requests_.clear();
  return worst;
}

int Trainer::report(const Pending& message, const storage::RemoteAnswer* first_failure) {
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
  console_.error(message.name, failure->explain());
  return failure->exit_code();
}

}  // namespace shingled::milter
