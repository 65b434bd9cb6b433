#include "milter/api/messages/peer_messages.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/base/number_text.h"
#include "milter/api/reply.h"
#include "milter/http/endpoint.h"

namespace shingled::milter::api {

namespace {

Json parsed(const std::string& text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

struct Dated {
  std::int64_t time = 0;
  Json message;
};

/// The time of a row, which its id ends with (history::message_name).
std::optional<std::int64_t> time_of(const Json& message) {
  if (!message.is_object()) return std::nullopt;
  const auto id = message.find("id");
  if (id == message.end() || !id->is_string()) return std::nullopt;
  const std::string text = id->get<std::string>();
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos) return std::nullopt;
  return parse_whole<std::int64_t>(text.substr(at + 1), 0,
                                   std::numeric_limits<std::int64_t>::max());
}

struct Page {
  std::vector<Dated> messages;
  std::optional<std::int64_t> next;
};

/// nullopt: it is no page. `cursor`: where it has to begin.
std::optional<Page> page_of(Json answer, std::optional<std::int64_t> cursor) {
  if (!answer.is_object()) return std::nullopt;
  const auto list = answer.find("messages");
  const auto next = answer.find("next");
  if (list == answer.end() || !list->is_array() || next == answer.end()) return std::nullopt;
  Page out;
  auto least = cursor.value_or(std::numeric_limits<std::int64_t>::max());
  for (Json& message : *list) {
    const auto time = time_of(message);
    if (!time || (cursor && *time >= *cursor)) return std::nullopt;
    least = std::min(least, *time);
    out.messages.push_back({*time, std::move(message)});
  }
  if (next->is_null()) return out;
  // A page that ends where it began would never come to an end.
  if (!next->is_number_integer()) return std::nullopt;
  out.next = next->get<std::int64_t>();
  if (*out.next > least || (cursor && *out.next >= *cursor)) return std::nullopt;
  return out;
}

class Merge {
 public:
  void add(Page page, const std::string& host) {
    if (page.next) floor_ = std::max(floor_.value_or(*page.next), *page.next);
    for (Dated& one : page.messages) {
      one.message["host"] = host;
      all_.push_back(std::move(one));
    }
  }
  Json result(std::size_t most) {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const Dated& a, const Dated& b) { return a.time > b.time; });
    std::optional<std::int64_t> next = floor_;
    Json messages = Json::array();
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (floor_ && all_[i].time < *floor_) break;
      if (messages.size() >= most && all_[i].time < all_[i - 1].time) {
        next = all_[i - 1].time;
        break;
      }
      messages.push_back(std::move(all_[i].message));
    }
    return {{"messages", std::move(messages)}, {"next", next ? Json(*next) : Json(nullptr)}};
  }

 private:
  std::vector<Dated> all_;
  std::optional<std::int64_t> floor_;  ///< below it somebody may have more
};

}  // namespace

std::string peer_target(const Call& call, std::string_view path) {
  std::string out(path);
  char separator = '?';
  for (const auto& [name, value] : call.request.arguments) {
    if (name == "peers") continue;
    out += separator + name + '=' + http::percent_encoded(value);
    separator = '&';
  }
  return out + separator + "peers=no";
}

Json merged_messages(Json own, const std::string& own_host, std::vector<PeerAnswer> answers,
                     std::size_t most, std::optional<std::int64_t> cursor) {
  Merge merge;
  Json missing = Json::array();
  if (auto page = page_of(std::move(own), std::nullopt)) merge.add(*std::move(page), own_host);
  for (PeerAnswer& one : answers) {
    auto page = one.answer ? page_of(parsed(*one.answer), cursor) : std::nullopt;
    if (page) {
      merge.add(*std::move(page), one.host);
    } else {
      missing.push_back({{"host", one.host},
                         {"why", one.answer ? "its answer is not a page of messages"
                                            : one.answer.error().message}});
    }
  }
  Json out = merge.result(most);
  out["missing"] = std::move(missing);
  return out;
}

ElsewhereFound found_elsewhere(std::vector<PeerAnswer> answers) {
  ElsewhereFound out;
  for (PeerAnswer& one : answers) {
    Json message = one.answer ? parsed(*one.answer) : Json();
    if (time_of(message)) {
      message["host"] = one.host;
      out.found.push_back(std::move(message));
      continue;
    }
    if (!one.answer && one.answer.error().code == ErrorCode::kNotFound) continue;
    const std::string why = one.answer ? "its answer is not a message" : one.answer.error().message;
    out.missing += (out.missing.empty() ? "" : ", ") + one.host + " (" + why + ")";
  }
  return out;
}

}  // namespace shingled::milter::api
