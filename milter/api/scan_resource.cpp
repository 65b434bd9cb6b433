#include "milter/api/scan_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "config/base/ascii.h"
#include "milter/api/reply.h"
#include "milter/judge/tried_message.h"
#include "milter/view/scan_json.h"

namespace shingled::milter::api {

namespace {

/// Errors: kInvalid.
Result<counters::Envelope> envelope_of(const Call& call) {
  counters::Envelope out;
  out.sender = call.text("from");
  out.helo = call.text("helo");
  out.client_name = call.text("client_name");
  out.user = call.text("user");
  if (call.has("ip")) {
    out.client = IpAddress::parse(call.text("ip"));
    if (!out.client) return Error{ErrorCode::kInvalid, "ip: is not an address"};
  }
  const std::string all = call.text("to");
  for (std::string_view rest = all; !rest.empty();) {
    const std::string_view one = ascii::trim_space(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1);
    if (one.empty()) continue;
    if (out.recipients.size() == ScanResource::kRecipientsMost)
      return Error{ErrorCode::kInvalid,
                   fmt::format("to: at most {} addresses", ScanResource::kRecipientsMost)};
    out.recipients.emplace_back(one);
  }
  return out;
}

}  // namespace

void ScanResource::close() {
  closing_.request_stop();
  const MutexLock wait(turn_);
}

http::HttpReply ScanResource::scan(const Call& call) const {
  const MutexLock turn(turn_);
  std::stop_source stop;
  const auto request_stop = [&stop] { stop.request_stop(); };
  const std::stop_callback server_ends(call.stop, request_stop);
  const std::stop_callback closes(closing_.get_token(), request_stop);
  if (stop.stop_requested()) return problem({ErrorCode::kUnavailable, "the server ends"});
  const auto snapshot = snapshot_.get();
  if (snapshot == nullptr || snapshot->scanner == nullptr)
    return problem({ErrorCode::kUnavailable, "there is no milter here (milter.enabled)"});
  auto envelope = envelope_of(call);
  if (!envelope) return problem(envelope.error());
  if (call.request.body.empty())
    return problem({ErrorCode::kInvalid, "the body is empty: it must be the message as it is"});
  const auto memory = memory_(call.request.body.size(), stop.get_token());
  if (memory == nullptr) {
    return problem({ErrorCode::kUnavailable,
                    "no memory is free for the analysis of this message "
                    "(milter.memory_max); mail comes first"});
  }
  const judge::TriedVerdict tried = judge::try_message(
      *snapshot,
      {.bytes = call.request.body, .envelope = *std::move(envelope), .stop = stop.get_token()});
  if (tried.facts.stopped) return problem({ErrorCode::kUnavailable, "the server ends"});
  Json object = view::scan_json(
      {tried.facts, tried.decision, snapshot->scanner->settings(), tried.near_misses});
  object["unchecked"] =
      tried.unchecked.empty() ? Json(nullptr) : Json(std::string(tried.unchecked));
  return json_reply(object);
}

std::vector<Route> ScanResource::routes() const {
  return {
      {http::HttpMethod::kPost,
       "/api/1/scan",
       http::Right::kRead,
       Route::Pace::kSlow,
       "What would happen to the message in the body if it came now, and why. Stores and counts "
       "nothing.",
       {{"ip", "address of the client"},
        {"client_name", "its verified host name"},
        {"helo", "name in HELO"},
        {"from", "envelope sender; <> for a bounce"},
        {"to", "envelope recipients, with commas"},
        {"user", "of SMTP AUTH"}},
       "message/rfc822",
       "action reason score required symbols sum rules features names counters hashes matches "
       "headers removed reply defects unasked incomplete time unchecked",
       [this](const Call& call) { return scan(call); }}};
}

}  // namespace shingled::milter::api
