#include "milter/api/messages/hash_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "config/base/hex.h"
#include "milter/api/messages/effect_json.h"
#include "milter/api/messages/report_resource.h"
#include "milter/api/named_list.h"
#include "milter/api/reply.h"
#include "mime/fingerprint/piece_shingle.h"

namespace shingled::milter::api {

namespace {

using storage::FlagValue;
using storage::Update;

constexpr std::string_view kNoStorage = "there is no storage here (storage.enabled)";
constexpr std::size_t kDigits = 2 * kDigestBytes;

Result<Digest> parse_digest(const std::string& text) {
  const auto bytes = from_hex(text);
  if (!bytes || bytes->size() != kDigestBytes) {
    return Error{ErrorCode::kInvalid,
                 fmt::format("'{}' is not a digest: it has {} hexadecimal digits; 'shingled "
                             "explain' finds the whole digest of its beginning",
                             shown(text), kDigits)};
  }
  Digest out;
  std::copy(bytes->begin(), bytes->end(), out.bytes.begin());
  return out;
}

/// A row of a store that tells no more than a match.
storage::sqlite::FuzzyRow stored_row(const storage::Match& match) {
  storage::sqlite::FuzzyRow row;
  row.digest = match.digest;
  const auto count = std::min<std::size_t>(match.flag_count, match.flags.size());
  for (std::size_t i = 0; i < count; ++i) row.flags.add(match.flags[i]);
  row.created = match.created;
  row.updated = match.updated;
  return row;
}

/// The cell of the history that says that a message matched this hash.
std::uint32_t trace_of(const Digest& digest, const CounterKeyBytes& site) {
  return static_cast<std::uint32_t>(
      piece_shingle(site, PieceType::kStoredHash, to_hex(digest.bytes)));
}

/// What follows for a message if some hashes were gone from lists with these symbols.
replay::PastMessage without_hashes(const history::FoundMessage& message,
                                   const std::set<std::uint32_t>& traces,
                                   const std::set<std::string>& symbols,
                                   const ActionOptions& actions) {
  using Met = replay::PastMessage::Met;
  bool matched = false;
  bool others = false;
  for (const history::PieceRecord& piece : message.record.pieces) {
    if (piece.type != PieceType::kStoredHash) continue;
    (traces.contains(piece.shingle) ? matched : others) = true;
  }
  double score = message.record.score;
  bool has_symbol = false;
  for (const history::EvidenceRecord& evidence : message.record.evidence) {
    if (evidence.policy || evidence.effect != rules::Evidence::Effect::kCounts ||
        !symbols.contains(evidence.symbol))
      continue;
    has_symbol = true;
    score -= evidence.score;
  }
  if (!matched) return {message.record.windows.empty() && has_symbol ? Met::kUnknown : Met::kNo};
  // Another stored hash keeps the symbol.
  return replay::with_score(message, others ? message.record.score : score, actions);
}

Json taught_json(const Result<reports::KnownCase>& found) {
  if (!found) return nullptr;
  Json out = {{"case", found->id},
              {"effect", to_string(found->effect)},
              {"spam", found->sides.spam.people},
              {"ham", found->sides.ham.people},
              {"messages", found->row.messages},
              {"people", people_json(*found)}};
  return out;
}

Json changes_json(const std::vector<ForgottenHash>& hashes, const Settings& settings) {
  Json out = Json::array();
  for (const ForgottenHash& hash : hashes) {
    out.push_back({{"digest", to_hex(hash.fingerprint.digest.bytes)}});
    put_list(hash.list.flag, settings, out.back());
    out.back()["value"] = hash.list.value;
  }
  return out;
}

}  // namespace

std::vector<storage::HitCount> HashResource::most_hit(std::size_t most) const {
  auto stores = stored_.lock();
  return stores->store == nullptr ? std::vector<storage::HitCount>()
                                  : stores->store->most_hit(most);
}

Result<std::optional<HashResource::Found>> HashResource::find(const Digest& digest) const {
  auto stores = stored_.lock();
  if (stores->store == nullptr) return Error{ErrorCode::kUnavailable, std::string(kNoStorage)};
  std::optional<Found> out;
  if (stores->engine != nullptr) {
    auto found = stores->engine->find(digest);
    if (!found) return found.error();
    if (*found) {
      const std::uint64_t hits = (*found)->hits;
      out = Found{**std::move(found), true, hits};
    }
    return out;
  }
  const auto now = unix_seconds(setup_.clock.wall());
  const auto matches = stores->store->check_all({digest, std::nullopt}, now, 1);
  if (!matches.empty() && matches.front().exact)
    out = Found{{stored_row(matches.front()), std::nullopt, 0}, false, std::nullopt};
  return out;
}

Result<HashResource::Found> HashResource::find_named(const Call& call) const {
  const auto digest = parse_digest(call.part);
  if (!digest) return digest.error();
  auto found = find(*digest);
  if (!found) return found.error();
  if (!*found) return Error{ErrorCode::kNotFound, "this digest is not stored"};
  return **std::move(found);
}

Result<std::vector<FlagValue>> HashResource::lists_of(const Found& found, const Call& call) {
  const auto all = found.hash.row.flags.all();
  if (!call.has("flag")) return std::vector<FlagValue>(all.begin(), all.end());
  const auto flag = static_cast<std::uint32_t>(call.integer("flag", 0));
  const auto on = std::ranges::find(all, flag, &FlagValue::flag);
  if (on == all.end()) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("this digest is stored, but not on list {}", flag)};
  }
  return std::vector<FlagValue>{*on};
}

std::vector<HashResource::Found> HashResource::with_companion(const Found& found) const {
  std::vector<Found> out = {found};
  if (!found.hash.companion) return out;
  auto other = find(*found.hash.companion);
  if (other && *other) out.push_back(**std::move(other));
  return out;
}

Status HashResource::apply(const std::vector<Update>& updates, const std::stop_token& stop) const {
  std::vector<std::future<Status>> answers;
  {
    auto stores = stored_.lock();
    if (stores->store == nullptr) return Error{ErrorCode::kUnavailable, std::string(kNoStorage)};
    for (const Update& update : updates) {
      // The storage may call back after we have given up.
      auto answer = std::make_shared<std::promise<Status>>();
      answers.push_back(answer->get_future());
      stores->store->submit(update, [answer](const Status& done) { answer->set_value(done); });
    }
  }
  const TimePoint deadline = setup_.clock.now() + kPatience;
  Status worst;
  for (std::future<Status>& answer : answers) {
    constexpr std::chrono::milliseconds kLook{20};
    while (answer.wait_for(kLook) != std::future_status::ready) {
      if (stop.stop_requested() || setup_.clock.now() >= deadline)
        return Error{ErrorCode::kTimeout,
                     "the storage does not answer; it may do this later all the same"};
    }
    if (Status done = answer.get(); !done) worst = done;
  }
  return worst;
}

http::HttpReply HashResource::totals() const {
  const auto settings = setup_.settings();
  auto stores = stored_.lock();
  Json lists = Json::array();
  Json out = {{"total", stores->store == nullptr ? 0 : stores->store->size()}};
  if (stores->store == nullptr) {
    out["off"] = kNoStorage;
  } else if (stores->engine == nullptr) {
    out["off"] = "only the embedded storage counts its lists (storage.backend)";
  } else {
    for (const auto& list : stores->engine->lists()) {
      Json& one = lists.emplace_back(Json::object());
      put_list(list.flag, *settings, one);
      if (list.flag == storage::engine::FlagTotals::kOther) one["flag"] = nullptr;
      one["hashes"] = list.records;
      one["value"] = list.value;
    }
  }
  out["lists"] = std::move(lists);
  return json_reply(out);
}

http::HttpReply HashResource::one(const Call& call) const {
  const auto found = find_named(call);
  if (!found) return problem(found.error());
  const auto settings = setup_.settings();
  const storage::sqlite::FuzzyRow& row = found->hash.row;
  Json flags = Json::array();
  for (const FlagValue& list : row.flags.all()) {
    Json& one = flags.emplace_back(Json::object());
    put_list(list.flag, *settings, one);
    one["value"] = list.value;
  }
  const auto now = unix_seconds(setup_.clock.wall());
  const std::string digest = to_hex(row.digest.bytes);
  Json out = {{"digest", digest},
              {"flags", std::move(flags)},
              {"created", row.created == 0 ? Json(nullptr) : Json(row.created)},
              {"updated", row.updated == 0 ? Json(nullptr) : Json(row.updated)},
              {"age", row.updated == 0 ? Json(nullptr) : Json(now - std::min(now, row.updated))},
              {"shingles", found->whole ? Json(row.shingles.has_value()) : Json(nullptr)},
              {"hits", found->hits ? Json(*found->hits) : Json(nullptr)},
              {"companion",
               found->hash.companion ? Json(to_hex(found->hash.companion->bytes)) : Json(nullptr)},
              {"taught_by", taught_json(setup_.desk.find_case(digest, /*names=*/true))}};
  return json_reply(out);
}

Json HashResource::effect_without(const std::vector<Found>& hashes,
                                  const std::vector<FlagValue>& lists,
                                  const std::stop_token& stop) const {
  auto opened = setup_.history();
  if (!opened) return unknown_effect_json(opened.error().message);
  const auto settings = setup_.settings();
  std::set<std::uint32_t> traces;
  for (const Found& found : hashes) traces.insert(trace_of(found.hash.row.digest, opened->site));
  std::set<std::string> symbols;
  for (const FlagValue& list : lists) {
    for (const RuleOptions& rule : settings->rules) {
      const FlagOptions* named = rule.flags.find(list.flag);
      symbols.insert(named != nullptr ? named->symbol : rule.symbol);
    }
  }
  const auto effect = replay::past_effect(
      *opened->reader, setup_.clock, stop, [&](const history::FoundMessage& message) {
        return without_hashes(message, traces, symbols, settings->milter.actions);
      });
  return effect ? effect_json(*effect) : unknown_effect_json(effect.error().message);
}

http::HttpReply HashResource::forget(const Call& call) const {
  const auto found = find_named(call);
  if (!found) return problem(found.error());
  const auto lists = lists_of(*found, call);
  if (!lists) return problem(lists.error());
  const std::vector<Found> before = with_companion(*found);
  const auto settings = setup_.settings();
  const auto on = [&](const FlagValue& list) {
    return std::ranges::find(*lists, list.flag, &FlagValue::flag) != lists->end();
  };
  std::vector<ForgottenHash> gone;
  for (const Found& one : before) {
    for (const FlagValue& list : one.hash.row.flags.all()) {
      if (!on(list)) continue;
      gone.push_back({{one.hash.row.digest, one.hash.row.shingles},
                      one.hash.companion,
                      one.hash.row.source,
                      list});
    }
  }
  if (call.flag("try")) {
    Json out = {{"try", true}, {"would_forget", changes_json(gone, *settings)}};
    out.update(effect_without(before, *lists, call.stop));
    return json_reply(out);
  }
  Update update{.kind = Update::Kind::kDelete};
  update.fingerprint = {found->hash.row.digest, std::nullopt};
  update.flag = call.has("flag") ? lists->front().flag : 0;
  if (Status done = apply({update}, call.stop); !done) return problem(done.error());
  // What the storage still has was taught meanwhile, or belongs to a master that was not asked yet.
  std::erase_if(gone, [&](const ForgottenHash& hash) {
    const auto now = find(hash.fingerprint.digest);
    if (!now || !*now) return false;
    const auto all = (**now).hash.row.flags.all();
    return std::ranges::find(all, hash.list.flag, &FlagValue::flag) != all.end();
  });
  Json out = {{"try", false}, {"forgotten", changes_json(gone, *settings)}, {"undo", nullptr}};
  if (found->whole) {
    out["undo"] = forgotten_.lock()->keep(std::move(gone), setup_.clock.now());
  } else {
    out["why_no_undo"] = "only the embedded storage knows what it forgets (storage.backend)";
  }
  return json_reply(out);
}

http::HttpReply HashResource::undo(const Call& call) const {
  auto hashes = forgotten_.lock()->take(call.text("token"), setup_.clock.now());
  if (!hashes) {
    return problem(
        {ErrorCode::kNotFound,
         "nothing was forgotten with this token in the last hour, or it is back already"});
  }
  std::vector<Update> updates;
  for (const ForgottenHash& hash : *hashes) {
    Update& update = updates.emplace_back();
    update.flag = hash.list.flag;
    update.value = hash.list.value;
    update.fingerprint = hash.fingerprint;
    update.source = hash.source;
    update.companion = hash.companion;
  }
  if (Status done = apply(updates, call.stop); !done) return problem(done.error());
  return json_reply({{"restored", changes_json(*hashes, *setup_.settings())}});
}

std::vector<Route> HashResource::routes() const {
  using http::HttpMethod;
  using http::Right;
  using Kind = Parameter::Kind;
  return {
      {HttpMethod::kGet,
       "/api/1/hashes",
       Right::kRead,
       Route::Pace::kAtOnce,
       "How many hashes are stored, by list.",
       {},
       "",
       "total lists",
       [this](const Call&) { return totals(); }},
      {HttpMethod::kGet,
       "/api/1/hashes/{digest}",
       Right::kRead,
       Route::Pace::kLater,
       "One stored hash: its lists, its age, who taught it.",
       {},
       "",
       "digest flags created updated age shingles hits companion taught_by",
       [this](const Call& call) { return one(call); }},
      {HttpMethod::kDelete,
       "/api/1/hashes/{digest}",
       Right::kChange,
       Route::Pace::kSlow,
       "Forgets a hash and other forms of its text; with try=yes tells only what would change.",
       {{"flag", "from this list alone", Kind::kInteger, false, 1, UINT32_MAX},
        {"try", "change nothing", Kind::kFlag}},
       "",
       "try",
       [this](const Call& call) { return forget(call); }},
      {HttpMethod::kPost,
       "/api/1/hashes/undo",
       Right::kChange,
       Route::Pace::kSlow,
       "Puts back what was forgotten in the last hour.",
       {{"token", "\"undo\" of the deletion", Kind::kText, true}},
       "",
       "restored",
       [this](const Call& call) { return undo(call); }},
  };
}

}  // namespace shingled::milter::api
