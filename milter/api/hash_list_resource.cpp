#include "milter/api/hash_list_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "config/base/best.h"
#include "config/base/hex.h"
#include "milter/api/named_list.h"
#include "milter/api/reply.h"
#include "milter/view/scan_json.h"

namespace shingled::milter::api {

namespace {

namespace formats = storage::formats;
using formats::ListedRow;
using formats::RowOrder;

constexpr std::int64_t kSecondsMost = UINT32_MAX;

/// Errors: kInvalid.
Result<formats::RowChoice> choice_of(const Call& call) {
  formats::RowChoice out;
  if (call.has("flag")) out.flag = static_cast<std::uint32_t>(call.integer("flag", 0));
  if (call.has("least")) out.value_least = static_cast<std::int32_t>(call.integer("least", 0));
  out.updated_least = static_cast<std::uint32_t>(call.integer("since", 0));
  out.updated_most = static_cast<std::uint32_t>(call.integer("until", kSecondsMost));
  out.digest = call.text("digest");
  if (out.digest.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return Error{ErrorCode::kInvalid,
                 "digest: must be the beginning of one, hexadecimal digits in lower case"};
  }
  return out;
}

/// The symbol of a list; that of the first rule where no rule names it.
std::string symbol_of_list(std::uint32_t flag, const Settings& settings) {
  for (const RuleOptions& rule : settings.rules)
    if (!rule.remote.is_remote() && rule.flags.find(flag) != nullptr)
      return view::symbol_of(rule, flag);
  return settings.rules.empty() ? RuleOptions{}.symbol : settings.rules.front().symbol;
}

Json listed_json(const ListedRow& listed, const Settings& settings) {
  const storage::sqlite::FuzzyRow& row = listed.row;
  Json flags = Json::array();
  for (const storage::FlagValue& list : row.flags.all()) {
    Json& one = flags.emplace_back(Json::object());
    put_list(list.flag, settings, one);
    one["symbol"] = symbol_of_list(list.flag, settings);
    one["value"] = list.value;
  }
  Json out = {
      {"digest", to_hex(row.digest.bytes)},
      {"flags", std::move(flags)},
      {"created", row.created},
      {"updated", row.updated},
      {"source", row.source == 0 ? Json(nullptr) : Json(fmt::format("{:016x}", row.source))},
      {"shingles", listed.has_shingles}};
  if (listed.hits > 0) out["hits"] = listed.hits;
  return out;
}

}  // namespace

http::HttpReply HashListResource::list(const Call& call) const {
  if (reading_.test_and_set()) {
    return problem(
        {ErrorCode::kUnavailable, "somebody else is reading all hashes; ask again in a moment"});
  }
  const auto clear = [this](const void*) { reading_.clear(); };
  const std::unique_ptr<const void, decltype(clear)> at_the_end(this, clear);
  return read(call);
}

http::HttpReply HashListResource::read(const Call& call) const {
  const auto settings = settings_();
  const auto choice = choice_of(call);
  if (!choice) return problem(choice.error());
  if (file_.empty()) {
    return problem({ErrorCode::kUnavailable,
                    "this daemon has no file of hashes (storage.enabled, storage.backend)"});
  }
  const RowOrder order = formats::parse_row_order(call.text("order")).value_or(RowOrder::kValue);
  formats::HitTable hits;
  if (order == RowOrder::kHits)
    for (const storage::HitCount& one : hits_()) hits[one.digest] = one.hits;
  const auto table = storage::sqlite::FuzzyTable::open_read_only(file_);
  if (!table) return problem(table.error());

  Best<ListedRow, formats::RowBefore> best(static_cast<std::size_t>(call.integer("most", 100)),
                                           formats::RowBefore{order});
  const TimePoint deadline = clock_.now() + kPatience;
  std::uint64_t seen = 0;
  bool late = false;
  const Status done = (*table)->for_each([&](const storage::sqlite::FuzzyRow& row) {
    constexpr std::uint64_t kLook = 1024;
    if (++seen % kLook == 0) late = call.stop.stop_requested() || clock_.now() >= deadline;
    if (late) return false;
    if (auto one = formats::listed(row, *choice, order, hits)) best.add(*std::move(one));
    return true;
  });
  if (!done) return problem(done.error());
  if (late) {
    return problem({ErrorCode::kTimeout,
                    "reading all hashes takes too long; 'shingled list' on that machine may take "
                    "its time"});
  }
  Json hashes = Json::array();
  for (const ListedRow& one : best.take()) hashes.push_back(listed_json(one, *settings));
  return json_reply({{"hashes", std::move(hashes)}, {"looked", seen}});
}

std::vector<Route> HashListResource::routes() const {
  using Kind = Parameter::Kind;
  return {{http::HttpMethod::kGet,
           "/api/1/hashes/list",
           http::Right::kRead,
           Route::Pace::kLater,
           "Stored hashes, the heaviest first.",
           {{"flag", "of this list alone", Kind::kInteger, false, 1, UINT32_MAX},
            {"order",
             "which come first; hits: those with most answers since the start",
             Kind::kWord,
             false,
             0,
             0,
             {"file", "value", "newest", "oldest", "hits"}},
            {"digest", "the beginning of one"},
            {"least", "value on a list", Kind::kInteger, false, INT32_MIN, INT32_MAX},
            {"since", "taught since then, Unix seconds", Kind::kInteger, false, 0, kSecondsMost},
            {"until", "taught until then", Kind::kInteger, false, 0, kSecondsMost},
            {"most", "in the answer", Kind::kInteger, false, 1, kHashesMost}},
           "",
           "hashes looked",
           [this](const Call& call) { return list(call); }}};
}

}  // namespace shingled::milter::api
