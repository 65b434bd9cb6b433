#include "milter/cli/training/training_output.h"

#include <fmt/format.h>
#include <sysexits.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "config/base/hex.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/output/lookup_output.h"

namespace shingled::milter::cli {

namespace {

using training::FoundHash;
using training::RetractedMessage;
using training::TaughtMessage;

/// "now 3: a header from 2, a reject from 5"; of a list that does not accuse only the weight.
std::string weight_text(const TaughtMessage& message, const FlagOptions* list,
                        const ActionOptions& actions) {
  std::string text = fmt::format("now {}", *message.weight);
  if (list == nullptr || list->weight <= 0) return text;
  std::string_view between = ": ";
  const auto say = [&](const std::optional<double>& score, const auto& weight, const char* what) {
    if (!score) return;  // this action is off
    text += between;
    text += weight ? fmt::format("a {} from {}", what, *weight)
                   : fmt::format("no {} from this list alone", what);
    between = ", ";
  };
  say(actions.add_header, message.needed.header, "header");
  say(actions.reject, message.needed.reject, "reject");
  return text;
}

Json weight_or_null(std::optional<std::int32_t> weight) {
  return weight ? Json(*weight) : Json(nullptr);
}

}  // namespace

void TrainingOutput::show(const Json& object, const std::string& text) {
  if (json_) {
    console_.json(object);
  } else if (!text.empty()) {
    console_.line(text);
  }
}

void TrainingOutput::note(int code) { code_ = worse_exit_code(code_, code); }

void TrainingOutput::left_out(const std::string& name, std::string_view why) {
  console_.error(name, why);
  note(EX_DATAERR);
}

void TrainingOutput::failed(const std::string& name, const desk::ServiceFailure& failure,
                            const std::string& what) {
  ++failed_;
  console_.error(name, failure.explain() + (what.empty() ? "" : " (" + what + ")"));
  note(failure.exit_code());
}

void TrainingOutput::sum_up(const std::string& text) {
  if (taken_ > 1 && !json_) console_.line(text);
}

void AdditionOutput::tell(const TaughtMessage& message) {
  using Result = TaughtMessage::Result;
  ++taken_;
  show(json_of(message), text_of(message));
  switch (message.result) {
    case Result::kAdded:
      ++done_;
      return;
    case Result::kFailed:
      return failed(message.name, *message.failure,
                    message.stored == 0 ? ""
                                        : fmt::format("{} of {} hashes were added", message.stored,
                                                      message.hashes.size()));
    case Result::kCommon:
      ++common_;
      break;
    case Result::kNoMessage:
    case Result::kNoHash:
      ++without_hash_;
  }
  left_out(message.name, message.why);
}

Json AdditionOutput::json_of(const TaughtMessage& message) const {
  using Result = TaughtMessage::Result;
  static const std::map<Result, const char*> kResults = {{Result::kAdded, "added"},
                                                         {Result::kFailed, "failed"},
                                                         {Result::kNoMessage, "no_message"},
                                                         {Result::kCommon, "common"},
                                                         {Result::kNoHash, "no_hash"}};
  Json object = {{"file", message.name},
                 {"result", kResults.at(message.result)},
                 {"hashes", message.hashes.size()}};
  const bool is_left_out =
      message.result == Result::kNoMessage || message.result == Result::kCommon;
  if (is_left_out) object["error"] = message.why;
  if (message.hashes.empty()) return object;
  object["flag"] = request_.flag;
  object["weight"] = request_.weight;
  if (message.failure) {
    object["error"] = message.failure->explain();
    object["done"] = message.stored;
  } else {
    object["weight_now"] = weight_or_null(message.weight);
    object["header_from"] = weight_or_null(message.needed.header);
    object["reject_from"] = weight_or_null(message.needed.reject);
  }
  return object;
}

std::string AdditionOutput::text_of(const TaughtMessage& message) const {
  if (message.result != TaughtMessage::Result::kAdded) return "";
  const std::size_t servers = destination_.remote.to_write().size();
  const FlagOptions* list = destination_.rule->flags.find(request_.flag);
  return fmt::format("{}: {} added to {}, weight {}{}{}", terminal_safe(message.name),
                     counted(message.hashes.size(), "hash", "hashes"), request_.list,
                     request_.weight, servers == 1 ? "" : fmt::format(", at {} servers", servers),
                     message.weight ? ", " + weight_text(message, list, actions_) : "");
}

void AdditionOutput::finish() {
  sum_up(fmt::format(
      "{} messages: {} added, {} without a hash{}, {} failed", taken_, done_, without_hash_,
      common_ == 0 ? "" : fmt::format(", {} like many others (--force)", common_), failed_));
}

void RetractionOutput::tell(const RetractedMessage& message) {
  ++taken_;
  if (!message.not_withdrawn.empty())
    console().error(message.name, "reports of it were not withdrawn: " + message.not_withdrawn);
  const bool is_sent = !message.hashes.empty();
  show(json_of(message),
       message.failure || !is_sent ? "" : terminal_safe(message.name) + ": " + summary(message));
  if (!is_sent) {
    ++without_hash_;
    return left_out(message.name, training::kNoHash);
  }
  if (message.failure)
    return failed(message.name, *message.failure,
                  message.done == 0 ? ""
                                    : fmt::format("{} of {} hashes were deleted", message.done,
                                                  message.hashes.size() * servers_));
  ++(message.deleted.empty() && !message.unseen ? unknown_ : done_);
  if (!message.matching.empty()) tell_matching(message);
}

void RetractionOutput::tell_matching(const RetractedMessage& message) {
  ++matching_;
  for (const FoundHash& found : message.matching) {
    const std::string like = fmt::format("it is still like a stored hash, {} of {} shingles, {}",
                                         found.slots, kShingleCount, lists_text({found}));
    console().error(message.name,
                    found.is_named()
                        ? fmt::format("{}; --matching deletes it, or: {}", like, command_for(found))
                        : like + "; the server does not say which");
  }
  note(EX_DATAERR);
}

void RetractionOutput::finish() {
  sum_up(fmt::format("{} messages: {} deleted, {} not stored{}, {} without a hash, {} failed",
                     taken_, done_, unknown_,
                     matching_ == 0 ? "" : fmt::format(", {} still like a stored hash", matching_),
                     without_hash_, failed_));
}

std::string RetractionOutput::list_name(std::uint32_t flag) const {
  const FlagOptions* named = destination_.rule->flags.find(flag);
  return named != nullptr ? fmt::format("{} ({})", named->name, flag)
                          : fmt::format("list {}", flag);
}

/// "denied (11) weight 20, prob (12) weight 3": the largest weight of any hash on each list.
std::string RetractionOutput::lists_text(const Found& all) const {
  std::map<std::uint32_t, std::int32_t> largest;
  for (const FoundHash& found : all) {
    for (const auto& [flag, value] : found.flags) {
      const auto [entry, is_first] = largest.try_emplace(flag, value);
      if (!is_first) entry->second = std::max(entry->second, value);
    }
  }
  std::string text;
  for (const auto& [flag, value] : largest)
    text += fmt::format("{}{} weight {}", text.empty() ? "" : ", ", list_name(flag), value);
  return text;
}

std::string RetractionOutput::command_for(const FoundHash& found) const {
  const bool by_rule =
      destination_.local || destination_.remote.to_write() == destination_.rule->remote.to_write();
  return fmt::format("shingled del {}{} --digest {}",
                     by_rule ? "--rule " + destination_.rule->name : "--server " + found.server,
                     scope_.flag == 0 ? "" : fmt::format(" --flag {}", scope_.flag),
                     to_hex(found.digest.bytes));
}

std::string RetractionOutput::summary(const RetractedMessage& message) const {
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
    std::set<std::string> servers;
    for (const FoundHash& found : message.deleted) {
      digests.insert(to_hex(found.digest.bytes));
      servers.insert(found.server);
    }
    text = fmt::format("{} deleted: {}", counted(digests.size(), "hash", "hashes"),
                       lists_text(message.deleted));
    if (servers_ > 1) text += fmt::format(", at {} of {} servers", servers.size(), servers_);
  }
  if (!message.staying.empty()) text += "; stays: " + lists_text(message.staying);
  if (message.withdrawn > 0)
    text +=
        fmt::format("; reports of {} withdrawn", counted(message.withdrawn, "person", "people"));
  return text;
}

Json RetractionOutput::json_of(const Found& all) const {
  Json out = Json::array();
  for (const FoundHash& found : all) {
    out.push_back({{"server", found.server},
                   {"digest", to_hex(found.digest.bytes)},
                   {"exact", found.exact},
                   {"slots", found.slots},
                   {"flags", flags_json(*destination_.rule, found.flags)}});
  }
  return out;
}

Json RetractionOutput::json_of(const RetractedMessage& message) const {
  const bool is_sent = !message.hashes.empty();
  const bool deleted = !message.deleted.empty() || message.unseen;
  Json object = {{"file", message.name},
                 {"result", !is_sent          ? "no_hash"
                            : message.failure ? "failed"
                            : deleted         ? "deleted"
                                              : "not_stored"},
                 {"hashes", message.hashes.size()}};
  if (is_sent) object["flag"] = scope_.flag == 0 ? Json(nullptr) : Json(scope_.flag);
  object["deleted"] = json_of(message.deleted);
  object["staying"] = json_of(message.staying);
  object["matching"] = json_of(message.matching);
  if (!is_sent) return object;
  if (withdraws_) object["withdrawn"] = message.withdrawn;
  if (message.failure) object["error"] = message.failure->explain();
  if (message.failure) object["done"] = message.done;
  return object;
}

}  // namespace shingled::milter::cli
