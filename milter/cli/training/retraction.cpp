#include "milter/cli/training/retraction.h"

#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "config/base/hex.h"
#include "milter/cli/access/asking_servers.h"
#include "milter/cli/access/service_failure.h"
#include "milter/cli/output/lookup_output.h"
#include "milter/cli/terminal/exit_code.h"

namespace shingled::milter::cli {

namespace {

using storage::FlagValue;
using storage::client::RemoteAnswer;

std::vector<FlagValue> lists_of(const storage::Match& match) {
  const auto count = std::min<std::size_t>(match.flag_count, match.flags.size());
  return {match.flags.begin(), match.flags.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// A server with old replies: it tells that something matched, but not what.
bool is_named(const Digest& digest) { return digest != Digest{}; }

Error error_of(const RemoteAnswer& answer) {
  using Outcome = RemoteAnswer::Outcome;
  const auto failure = failure_of(answer);
  const ErrorCode code = answer.outcome == Outcome::kTimeout   ? ErrorCode::kTimeout
                         : answer.outcome == Outcome::kRefused ? ErrorCode::kDenied
                                                               : ErrorCode::kUnavailable;
  return {code, failure->explain()};
}

/// "denied (11) weight 20, prob (12) weight 3": the largest weight of any hash on each list.
template <typename Name, typename All>
std::string lists_text(const All& all, const Name& name) {
  std::map<std::uint32_t, std::int32_t> largest;
  for (const auto& found : all) {
    for (const auto& [flag, value] : found.flags) {
      const auto [entry, is_first] = largest.try_emplace(flag, value);
      if (!is_first) entry->second = std::max(entry->second, value);
    }
  }
  std::string text;
  for (const auto& [flag, value] : largest) {
    text += fmt::format("{}{} weight {}", text.empty() ? "" : ", ", name(flag), value);
  }
  return text;
}

}  // namespace

Result<std::unique_ptr<Retraction>> Retraction::open(const Destination& destination,
                                                     const Settings& settings,
                                                     const RetractionScope& scope, Clock& clock,
                                                     Random& random, Console& console) {
  std::unique_ptr<Retraction> made(new Retraction(destination, settings, scope, clock, console));
  for (RemoteOptions& remote : each_taught(destination.remote)) {
    auto store = storage::client::RemoteStore::open(remote, clock, random);
    if (!store) return store.error();
    Server& server = made->servers_.emplace_back();
    server.remote = std::move(remote);
    server.store = *std::move(store);
    if (scope.flag == 0) continue;
    const RemoteAnswer who = ask_who(*server.store, server.remote, clock);
    if (failure_of(who)) return error_of(who);
    if (who.deletes_from_list) continue;
    return Error{ErrorCode::kInvalid,
                 fmt::format("{} is not shingled and deletes from all lists, whatever --flag says; "
                             "--all-lists allows that. To remove a hash from {} only, take its "
                             "weight away: shingled add --flag {} --weight -N",
                             who.server, scope.list, scope.flag)};
  }
  return made;
}

Retraction::Retraction(const Destination& destination, const Settings& settings,
                       RetractionScope scope, const Clock& clock, Console& console)
    : destination_(destination),
      mime_(settings.mime),
      hash_rule_(destination.rule->hash),
      scope_(std::move(scope)),
      clock_(clock),
      console_(console) {}

int Retraction::take(const SourceMessage& message) {
  const mime::Analysis analysis = mime::analyze(message.bytes, mime_);
  std::vector<Fingerprint> hashes;
  for (const mime::PartHash& part : mime::hash_message(analysis, hash_rule_)) {
    hashes.push_back(part.fingerprint);
  }
  return take(message.name, std::move(hashes));
}

int Retraction::take(std::string name, std::vector<Fingerprint> hashes) {
  ++taken_;
  if (hashes.empty()) {
    ++without_hash_;
    if (json_) {
      console_.json({{"file", name},
                     {"result", "no_hash"},
                     {"hashes", 0},
                     {"deleted", Json::array()},
                     {"staying", Json::array()},
                     {"matching", Json::array()}});
    }
    console_.error(name,
                   "no hash: the message is too short for this rule (see min_length, min_bytes)");
    return EX_DATAERR;
  }
  pending_hashes_ += hashes.size();
  Pending& pending = pending_.emplace_back();
  pending.name = std::move(name);
  pending.hashes = std::move(hashes);
  return pending_hashes_ >= kRequestsAtOnce ? send() : EX_OK;
}

int Retraction::finish() {
  const int code = send();
  if (taken_ > 1 && !json_) {
    console_.line(fmt::format(
        "{} messages: {} deleted, {} not stored{}, {} without a hash, {} failed", taken_, deleted_,
        unknown_, matching_ == 0 ? "" : fmt::format(", {} still like a stored hash", matching_),
        without_hash_, failed_));
  }
  return code;
}

void Retraction::withdraw_reports() {
  if (!withdraw_) return;
  for (Pending& message : pending_) {
    std::vector<Digest> digests;
    for (const Fingerprint& hash : message.hashes) digests.push_back(hash.digest);
    const auto people = withdraw_(digests, scope_.flag);
    if (people) {
      message.withdrawn = *people;
    } else {
      console_.error(message.name, "reports of it were not withdrawn: " + people.error().message);
    }
  }
}

int Retraction::send() {
  for (const Server& server : servers_) send_to(server);
  int worst = EX_OK;
  for (const Pending& message : pending_) worst = worse_exit_code(worst, report(message));
  pending_.clear();
  pending_hashes_ = 0;
  return worst;
}

/// Sends one kind of request for every hash of every message, in order. A message that failed at
/// this server is skipped.
std::vector<RemoteAnswer> Retraction::ask(const Server& server,
                                          storage::client::RemoteRequest::Kind kind) {
  std::vector<storage::client::RemoteRequest> requests;
  for (const Pending& message : pending_) {
    for (const Fingerprint& hash : message.hashes) {
      storage::client::RemoteRequest request = deletion_of(hash.digest);
      if (kind == storage::client::RemoteRequest::Kind::kCheck) request = {kind, 0, 0, {}};
      request.fingerprint = hash;
      if (!message.given_up) requests.push_back(request);
    }
  }
  auto answers = ask_in_groups(*server.store, requests, server.remote, clock_);
  if (!answers.empty()) answers.resize(requests.size(), answers.back());
  return answers;
}

void Retraction::send_to(const Server& server) {
  for (Pending& message : pending_) message.given_up = false;
  const auto for_each_answer = [this](const std::vector<RemoteAnswer>& answers, const auto& work) {
    std::size_t next = 0;
    for (Pending& message : pending_) {
      if (message.given_up) continue;
      for (const Fingerprint& hash : message.hashes) work(message, hash, answers[next++]);
    }
  };
  const auto found = [&server](const storage::Match& match) {
    return Found{&server, match.digest, match.slots, match.exact, lists_of(match)};
  };

  for_each_answer(ask(server, storage::client::RemoteRequest::Kind::kCheck),
                  [&](Pending& message, const Fingerprint& hash, const RemoteAnswer& answer) {
                    if (answer.outcome == RemoteAnswer::Outcome::kRefused) {
                      message.unseen = true;  // who may delete need not be allowed to ask
                    } else if (failure_of(answer)) {
                      note_failure(message, answer);
                    } else if (answer.match && answer.match->exact) {
                      Found own = found(*answer.match);
                      own.digest = hash.digest;
                      if (!concerns(own.flags)) return;
                      if (scope_.flag != 0) {
                        std::erase_if(own.flags,
                                      [&](const FlagValue& on) { return on.flag != scope_.flag; });
                      }
                      message.deleted.push_back(std::move(own));
                    }
                  });
  for_each_answer(ask(server, storage::client::RemoteRequest::Kind::kDelete),
                  [&](Pending& message, const Fingerprint& hash, const RemoteAnswer& answer) {
                    if (failure_of(answer)) {
                      note_failure(message, answer);
                      std::erase_if(message.deleted, [&](const Found& gone) {
                        return gone.server == &server && gone.digest == hash.digest;
                      });
                    } else {
                      ++message.done;
                    }
                  });
  if (&server == &servers_.front()) withdraw_reports();
  for_each_answer(ask(server, storage::client::RemoteRequest::Kind::kCheck),
                  [&](Pending& message, const Fingerprint& hash, const RemoteAnswer& answer) {
                    if (!answer.match) return;
                    if (!answer.match->exact) {
                      delete_matching(server, message, hash, answer.match);
                    } else if (scope_.flag != 0) {
                      message.staying.push_back(found(*answer.match));
                    }
                  });
}

void Retraction::delete_matching(const Server& server, Pending& message, const Fingerprint& hash,
                                 std::optional<storage::Match> match) {
  const auto ask_one = [&](const storage::client::RemoteRequest& request) {
    return ask_in_groups(*server.store, {&request, 1}, server.remote, clock_).front();
  };
  std::optional<Digest> last;
  for (std::size_t number = 0; match && !match->exact; ++number) {
    Found found{&server, match->digest, match->slots, false, lists_of(*match)};
    if (!concerns(found.flags) || last == found.digest) return;  // that server deletes by and by
    if (!scope_.matching || !is_named(found.digest) || number == kMatchingMax) {
      message.matching.push_back(std::move(found));
      return;
    }
    last = found.digest;
    const RemoteAnswer answer = ask_one(deletion_of(found.digest));
    if (failure_of(answer)) return note_failure(message, answer);
    message.deleted.push_back(std::move(found));
    match = ask_one({storage::client::RemoteRequest::Kind::kCheck, 0, 0, hash}).match;
  }
}

void Retraction::note_failure(Pending& message, const RemoteAnswer& answer) {
  message.given_up = true;
  if (!message.failure) message.failure = answer;
}

bool Retraction::concerns(const std::vector<FlagValue>& flags) const {
  return scope_.flag == 0 || std::ranges::find(flags, scope_.flag, &FlagValue::flag) != flags.end();
}

storage::client::RemoteRequest Retraction::deletion_of(const Digest& digest) const {
  return {scope_.flag == 0 ? storage::client::RemoteRequest::Kind::kDelete
                           : storage::client::RemoteRequest::Kind::kDeleteFromList,
          scope_.flag,
          0,
          {digest, std::nullopt}};
}

std::string Retraction::list_name(std::uint32_t flag) const {
  const FlagOptions* named = destination_.rule->flags.find(flag);
  return named != nullptr ? fmt::format("{} ({})", named->name, flag)
                          : fmt::format("list {}", flag);
}

std::string Retraction::command_for(const Found& found) const {
  const bool by_rule =
      destination_.local || destination_.remote.to_write() == destination_.rule->remote.to_write();
  const std::string where =
      by_rule ? "--rule " + destination_.rule->name
              : "--server " + found.server->remote.servers.servers.front().to_string();
  return fmt::format("shingled del {}{} --digest {}", where,
                     scope_.flag == 0 ? "" : fmt::format(" --flag {}", scope_.flag),
                     to_hex(found.digest.bytes));
}

std::string Retraction::summary(const Pending& message) const {
  const auto name = [this](std::uint32_t flag) { return list_name(flag); };
  std::string text;
  if (message.deleted.empty() && message.unseen) {
    return fmt::format("{} deleted, if it was there: the server does not answer look-ups",
                       counted(message.hashes.size(), "hash", "hashes"));
  }
  if (message.deleted.empty()) {
    const std::string where = scope_.flag == 0 ? "stored" : "on " + scope_.list;
    text = message.hashes.size() == 1 ? fmt::format("nothing deleted: its hash is not {}", where)
                                      : fmt::format("nothing deleted: none of its {} hashes is {}",
                                                    message.hashes.size(), where);
  } else {
    std::set<std::string> digests;
    std::set<const Server*> servers;
    for (const Found& found : message.deleted) {
      digests.insert(to_hex(found.digest.bytes));
      servers.insert(found.server);
    }
    text = fmt::format("{} deleted: {}", counted(digests.size(), "hash", "hashes"),
                       lists_text(message.deleted, name));
    if (servers_.size() > 1) {
      text += fmt::format(", at {} of {} servers", servers.size(), servers_.size());
    }
  }
  if (!message.staying.empty()) text += "; stays: " + lists_text(message.staying, name);
  if (message.withdrawn > 0)
    text +=
        fmt::format("; reports of {} withdrawn", counted(message.withdrawn, "person", "people"));
  return text;
}

Json Retraction::json_of(const std::vector<Found>& all) const {
  Json out = Json::array();
  for (const Found& found : all) {
    out.push_back({{"server", found.server->remote.servers.servers.front().to_string()},
                   {"digest", to_hex(found.digest.bytes)},
                   {"exact", found.exact},
                   {"slots", found.slots},
                   {"flags", flags_json(*destination_.rule, found.flags)}});
  }
  return out;
}

int Retraction::report(const Pending& message) {
  const auto failure = message.failure ? failure_of(*message.failure) : std::nullopt;
  const bool deleted = !message.deleted.empty() || message.unseen;
  if (failure) {
    ++failed_;
  } else {
    ++(deleted ? deleted_ : unknown_);
    if (!message.matching.empty()) ++matching_;
  }
  if (json_) {
    Json object = {{"file", message.name},
                   {"result", failure   ? "failed"
                              : deleted ? "deleted"
                                        : "not_stored"},
                   {"hashes", message.hashes.size()},
                   {"flag", scope_.flag == 0 ? Json(nullptr) : Json(scope_.flag)},
                   {"deleted", json_of(message.deleted)},
                   {"staying", json_of(message.staying)},
                   {"matching", json_of(message.matching)}};
    if (withdraw_) object["withdrawn"] = message.withdrawn;
    if (failure) object["error"] = failure->explain();
    if (failure) object["done"] = message.done;
    console_.json(object);
  } else if (!failure) {
    console_.line(terminal_safe(message.name) + ": " + summary(message));
  }
  if (failure) {
    std::string text = failure->explain();
    if (message.done > 0) {
      text += fmt::format(" ({} of {} hashes were deleted)", message.done,
                          message.hashes.size() * servers_.size());
    }
    console_.error(message.name, text);
    return failure->exit_code();
  }
  for (const Found& found : message.matching) {
    const std::string like = fmt::format(
        "it is still like a stored hash, {} of {} shingles, {}", found.slots, kShingleCount,
        lists_text(std::vector<Found>{found},
                   [this](std::uint32_t flag) { return list_name(flag); }));
    console_.error(message.name,
                   is_named(found.digest)
                       ? fmt::format("{}; --matching deletes it, or: {}", like, command_for(found))
                       : like + "; the server does not say which");
  }
  return message.matching.empty() ? EX_OK : EX_DATAERR;
}

}  // namespace shingled::milter::cli
