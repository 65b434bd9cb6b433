#include "milter/desk/daemon_history.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "milter/api/messages/message_resource.h"
#include "milter/desk/daemon_choice.h"
#include "milter/http/http_call.h"

namespace shingled::milter::desk {

namespace {

constexpr std::chrono::seconds kSearchPatience{60};  ///< a page looks at many messages

void put(std::string& target, const char* name, const std::string& value) {
  if (value.empty()) return;
  target += target.find('?') == std::string::npos ? '?' : '&';
  target.append(name).append("=").append(http::percent_encoded(value));
}

/// Gives the list "messages" of a page to `take`. False: it is enough.
Result<bool> give(const Json& page, const std::function<bool(const Json&)>& take) {
  const auto messages = page.find("messages");
  if (messages == page.end() || !messages->is_array())
    return Error{ErrorCode::kCorrupt, "the answer has no messages"};
  return std::ranges::all_of(*messages, take);
}

std::uint64_t broken_in(const Json& page) {
  const auto broken = page.find("broken");
  return broken != page.end() && broken->is_number_unsigned() ? broken->get<std::uint64_t>() : 0;
}

}  // namespace

Result<std::uint64_t> DaemonHistory::find(const HistoryQuestion& wanted,
                                          const std::function<bool(const Json&)>& take) const {
  const auto daemon = daemon_of(settings_, clock_);
  std::string target = "/api/1/messages";
  put(target, "since", wanted.span.since);
  put(target, "until", wanted.span.until);
  put(target, "sender", wanted.from);
  put(target, "recipient", wanted.recipient);
  put(target, "subject", wanted.subject);
  put(target, "digest", wanted.digest);
  put(target, "symbol", wanted.symbol);
  put(target, "action", wanted.action);
  put(target, "label", wanted.label);
  std::size_t rest = wanted.limit;
  std::uint64_t broken = 0;
  std::string cursor;
  for (;;) {
    std::string page_target = target;
    put(page_target, "cursor", cursor);
    put(page_target, "most", std::to_string(std::min(rest, api::MessageResource::kMessagesMost)));
    const auto page = daemon.get(page_target, kSearchPatience);
    if (!page) return page.error();
    const auto more = give(*page, [&](const Json& message) {
      --rest;
      return take(message) && rest > 0;
    });
    if (!more) return more.error();
    broken += broken_in(*page);
    const auto next = page->find("next");
    if (!*more || next == page->end() || !next->is_number_integer()) return broken;
    const std::string last = std::exchange(cursor, std::to_string(next->get<std::int64_t>()));
    // A page that leads to itself would never end.
    if (last == cursor) return Error{ErrorCode::kCorrupt, "the pages of the answer do not end"};
  }
}

Result<std::uint64_t> DaemonHistory::show(const std::string& name,
                                          const std::function<bool(const Json&)>& take) const {
  std::string target = "/api/1/messages/named";
  put(target, "id", name);
  const auto page = daemon_of(settings_, clock_).get(target, kSearchPatience);
  if (!page) return page.error();
  const auto given = give(*page, take);
  if (!given) return given.error();
  return broken_in(*page);
}

}  // namespace shingled::milter::desk
