#include "milter/training/retraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "milter/desk/servers/asking_servers.h"

namespace shingled::milter::training {

namespace {

using storage::FlagValue;
using storage::client::RemoteAnswer;
using storage::client::RemoteRequest;

std::vector<FlagValue> lists_of(const storage::Match& match) {
  const auto count = std::min<std::size_t>(match.flag_count, match.flags.size());
  return {match.flags.begin(), match.flags.begin() + static_cast<std::ptrdiff_t>(count)};
}

Error error_of(const RemoteAnswer& answer, const desk::ServiceFailure& failure) {
  using Outcome = RemoteAnswer::Outcome;
  const ErrorCode code = answer.outcome == Outcome::kTimeout   ? ErrorCode::kTimeout
                         : answer.outcome == Outcome::kRefused ? ErrorCode::kDenied
                                                               : ErrorCode::kUnavailable;
  return {code, failure.explain()};
}

void note_failure(RetractedMessage& message, desk::ServiceFailure failure) {
  message.given_up = true;
  if (!message.failure) message.failure = std::move(failure);
}

}  // namespace

Result<std::unique_ptr<Retraction>> Retraction::open(const desk::Destination& destination,
                                                     const Settings& settings,
                                                     const RetractionScope& scope, Clock& clock,
                                                     Random& random, Tell tell) {
  std::unique_ptr<Retraction> made(
      new Retraction(destination, settings, scope, clock, std::move(tell)));
  for (RemoteOptions& remote : desk::each_taught(destination.remote)) {
    auto store = storage::client::RemoteStore::open(remote, clock, random);
    if (!store) return store.error();
    Server& server = made->servers_.emplace_back();
    server.name = remote.servers.servers.front().to_string();
    server.remote = std::move(remote);
    server.store = *std::move(store);
    if (scope.flag == 0) continue;
    const RemoteAnswer who = desk::ask_who(*server.store, server.remote, clock);
    if (const auto failure = desk::failure_of(who)) return error_of(who, *failure);
    if (who.deletes_from_list) continue;
    return Error{ErrorCode::kInvalid,
                 fmt::format("{} is not shingled and deletes from all lists, whatever --flag says; "
                             "--all-lists allows that. To remove a hash from {} only, take its "
                             "weight away: shingled add --flag {} --weight -N",
                             who.server, scope.list, scope.flag)};
  }
  return made;
}

Retraction::Retraction(const desk::Destination& destination, const Settings& settings,
                       RetractionScope scope, const Clock& clock, Tell tell)
    : mime_(settings.mime),
      hash_rule_(destination.rule->hash),
      scope_(std::move(scope)),
      clock_(clock),
      tell_(std::move(tell)),
      groups_([this](Group group) { send(group); }) {}

void Retraction::take(const input::SourceMessage& message) {
  const mime::Analysis analysis = mime::analyze(message.bytes, mime_);
  std::vector<Fingerprint> hashes;
  for (const mime::PartHash& part : mime::hash_message(analysis, hash_rule_))
    hashes.push_back(part.fingerprint);
  take(message.name, std::move(hashes));
}

void Retraction::take(std::string name, std::vector<Fingerprint> hashes) {
  RetractedMessage message{.name = std::move(name), .hashes = std::move(hashes)};
  if (message.hashes.empty()) return tell_(message);
  groups_.add(std::move(message));
}

void Retraction::withdraw_reports(Group group) {
  if (!withdraw_) return;
  for (RetractedMessage& message : group) {
    std::vector<Digest> digests;
    for (const Fingerprint& hash : message.hashes) digests.push_back(hash.digest);
    const auto people = withdraw_(digests, scope_.flag);
    if (people) {
      message.withdrawn = *people;
    } else {
      message.not_withdrawn = people.error().message;
    }
  }
}

void Retraction::send(Group group) {
  for (const Server& server : servers_) send_to(server, group);
  for (const RetractedMessage& message : group) tell_(message);
}

/// Sends one kind of request for every hash of every message, in order. A message that failed at
/// this server is skipped.
std::vector<RemoteAnswer> Retraction::ask(const Server& server, Group group,
                                          RemoteRequest::Kind kind) {
  std::vector<RemoteRequest> requests;
  for (const RetractedMessage& message : group) {
    for (const Fingerprint& hash : message.hashes) {
      RemoteRequest request = deletion_of(hash.digest);
      if (kind == RemoteRequest::Kind::kCheck) request = {kind, 0, 0, {}};
      request.fingerprint = hash;
      if (!message.given_up) requests.push_back(request);
    }
  }
  auto answers = desk::ask_in_groups(*server.store, requests, server.remote, clock_);
  if (!answers.empty()) answers.resize(requests.size(), answers.back());
  return answers;
}

void Retraction::send_to(const Server& server, Group group) {
  for (RetractedMessage& message : group) message.given_up = false;
  const auto for_each_answer = [&](RemoteRequest::Kind kind, const auto& work) {
    const auto answers = ask(server, group, kind);
    std::size_t next = 0;
    for (RetractedMessage& message : group) {
      if (message.given_up) continue;
      for (const Fingerprint& hash : message.hashes) work(message, hash, answers[next++]);
    }
  };
  const auto found = [&server](const storage::Match& match) {
    return FoundHash{server.name, match.digest, match.slots, match.exact, lists_of(match)};
  };
  for_each_answer(
      RemoteRequest::Kind::kCheck,
      [&](RetractedMessage& message, const Fingerprint& hash, const RemoteAnswer& answer) {
        if (answer.outcome == RemoteAnswer::Outcome::kRefused) {
          message.unseen = true;  // who may delete need not be allowed to ask
        } else if (auto failure = desk::failure_of(answer)) {
          note_failure(message, *std::move(failure));
        } else if (answer.match && answer.match->exact) {
          FoundHash own = found(*answer.match);
          own.digest = hash.digest;
          if (!concerns(own.flags)) return;
          if (scope_.flag != 0) {
            std::erase_if(own.flags, [&](const FlagValue& on) { return on.flag != scope_.flag; });
          }
          message.deleted.push_back(std::move(own));
        }
      });
  for_each_answer(
      RemoteRequest::Kind::kDelete,
      [&](RetractedMessage& message, const Fingerprint& hash, const RemoteAnswer& answer) {
        auto failure = desk::failure_of(answer);
        if (!failure) {
          ++message.done;
          return;
        }
        note_failure(message, *std::move(failure));
        std::erase_if(message.deleted, [&](const FoundHash& gone) {
          return gone.server == server.name && gone.digest == hash.digest;
        });
      });
  if (&server == &servers_.front()) withdraw_reports(group);
  for_each_answer(
      RemoteRequest::Kind::kCheck,
      [&](RetractedMessage& message, const Fingerprint& hash, const RemoteAnswer& answer) {
        if (!answer.match) return;
        if (!answer.match->exact) {
          delete_matching(server, message, hash, answer.match);
        } else if (scope_.flag != 0) {
          message.staying.push_back(found(*answer.match));
        }
      });
}

void Retraction::delete_matching(const Server& server, RetractedMessage& message,
                                 const Fingerprint& hash, std::optional<storage::Match> match) {
  const auto ask_one = [&](const RemoteRequest& request) {
    return desk::ask_in_groups(*server.store, {&request, 1}, server.remote, clock_).front();
  };
  std::optional<Digest> last;
  for (std::size_t number = 0; match && !match->exact; ++number) {
    FoundHash found{server.name, match->digest, match->slots, false, lists_of(*match)};
    if (!concerns(found.flags) || last == found.digest) return;  // that server deletes by and by
    if (!scope_.matching || !found.is_named() || number == kMatchingMax) {
      message.matching.push_back(std::move(found));
      return;
    }
    last = found.digest;
    const RemoteAnswer answer = ask_one(deletion_of(found.digest));
    if (auto failure = desk::failure_of(answer)) return note_failure(message, *std::move(failure));
    message.deleted.push_back(std::move(found));
    match = ask_one({RemoteRequest::Kind::kCheck, 0, 0, hash}).match;
  }
}

bool Retraction::concerns(const std::vector<FlagValue>& flags) const {
  return scope_.flag == 0 || std::ranges::find(flags, scope_.flag, &FlagValue::flag) != flags.end();
}

RemoteRequest Retraction::deletion_of(const Digest& digest) const {
  return {scope_.flag == 0 ? RemoteRequest::Kind::kDelete : RemoteRequest::Kind::kDeleteFromList,
          scope_.flag,
          0,
          {digest, std::nullopt}};
}

}  // namespace shingled::milter::training
