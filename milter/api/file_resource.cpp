#include "milter/api/file_resource.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "config/base/ascii.h"
#include "config/base/number_text.h"
#include "milter/api/reply.h"

namespace shingled::milter::api {

namespace {

using storage::Sample;

/// Where a page begins: "LIST:ID". Samples are in the order of their lists, then of their ids.
std::pair<std::string, std::uint64_t> place_of(const std::string& cursor) {
  const std::size_t colon = std::min(cursor.rfind(':'), cursor.size());
  const std::string_view id = std::string_view(cursor).substr(std::min(colon + 1, cursor.size()));
  return {cursor.substr(0, colon), parse_whole<std::uint64_t>(id).value_or(0)};
}

Json lists_json(const SimilarOptions& options) {
  Json out = Json::array();
  for (const SimilarList& list : options.lists) {
    out.push_back(
        {{"list", list.name}, {"symbol", list.symbol}, {"score", list.score}, {"good", list.good}});
  }
  return out;
}

Json file_json(const Sample& sample) {
  return {{"id", sample.id},
          {"list", sample.list},
          {"name", sample.name},
          {"bytes", sample.bytes},
          {"signature", sample.signature.text()},
          {"parts", !sample.parts.empty()},
          {"added", sample.added}};
}

}  // namespace

http::HttpReply FileResource::list(const Call& call) const {
  Json files = Json::array();
  Json next = nullptr;
  Json out = {{"lists", lists_json(settings_()->similar)}};
  const auto library = library_();
  if (library == nullptr) {
    out["off"] = "known files are not looked up here (similar.enabled)";
  } else {
    const auto first = place_of(call.text("cursor"));
    const auto most = static_cast<std::size_t>(call.integer("most", 100));
    const std::string part = ascii::to_lower(call.text("part"));
    const Status read = library->each(call.text("list"), [&](const Sample& sample) {
      if (call.stop.stop_requested()) return false;
      if (call.has("cursor") && std::pair(sample.list, sample.id) < first) return true;
      if (ascii::to_lower(sample.name).find(part) == std::string::npos) return true;
      if (files.size() == most) {
        next = sample.list + ":" + std::to_string(sample.id);
        return false;
      }
      files.push_back(file_json(sample));
      return true;
    });
    if (!read) return problem(read.error());
  }
  out["files"] = std::move(files);
  out["next"] = std::move(next);
  return json_reply(out);
}

std::vector<Route> FileResource::routes() const {
  using Kind = Parameter::Kind;
  return {{http::HttpMethod::kGet,
           "/api/1/files",
           http::Right::kRead,
           Route::Pace::kLater,
           "Known files, in the order of their lists.",
           {{"list", "of this list alone"},
            {"part", "in their names"},
            {"cursor", "\"next\" of the page before"},
            {"most", "in the answer", Kind::kInteger, false, 1, kFilesMost}},
           "",
           "files lists next",
           [this](const Call& call) { return list(call); }}};
}

}  // namespace shingled::milter::api
