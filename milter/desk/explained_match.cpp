#include "milter/desk/explained_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "milter/view/amount_text.h"
#include "milter/view/scan_json.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::desk {

namespace {

WallTime moment(std::uint32_t unix_seconds) { return WallTime(std::chrono::seconds(unix_seconds)); }

Json age_json(std::uint32_t unix_seconds, WallTime now) {
  return unix_seconds == 0 ? Json(nullptr) : Json((now - moment(unix_seconds)).count());
}

Json or_null(std::uint32_t unix_seconds) {
  return unix_seconds == 0 ? Json(nullptr) : Json(unix_seconds);
}

}  // namespace

const Digest& ExplainedMatch::digest() const {
  return stored ? stored->row.digest : lookup->match.digest;
}

std::span<const storage::FlagValue> ExplainedMatch::flags() const {
  if (stored) return stored->row.flags.all();
  const auto& match = lookup->match;
  return {match.flags.data(), std::min<std::size_t>(match.flag_count, match.flags.size())};
}

// The answer of the server counts: its record may be newer than the file.
std::uint32_t ExplainedMatch::slots() const {
  return lookup->outcome == rules::Lookup::Outcome::kHit ? lookup->match.slots : stored->slots;
}

bool ExplainedMatch::exact() const {
  return lookup->outcome == rules::Lookup::Outcome::kHit ? lookup->match.exact : stored->exact;
}

std::uint32_t ExplainedMatch::created() const {
  return stored ? stored->row.created : lookup->match.created;
}

std::string ExplainedMatch::undo() const {
  return fmt::format("shingled del{} --rule {} --digest {}", options, rule->name,
                     to_hex(digest().bytes));
}

std::string ExplainedMatch::source_text() const {
  if (taught_from) return taught_from->to_string();
  if (stored->row.source == 0 && !case_id.empty()) return "reports of people";
  if (stored->row.source == 0) return "unknown (imported, or stored by an older version)";
  return fmt::format("an address that is not in storage.allow_update (mark {:016x})",
                     stored->row.source);
}

Json ExplainedMatch::json(WallTime now) const {
  const std::uint32_t updated = stored ? stored->row.updated : 0;
  Json object = {{"rule", rule->name}, {"server", lookup->server}};
  if (!by_digest) {
    object["part"] = lookup->hash.part;
    object["kind"] = mime::to_string(lookup->hash.kind);
    object["asked"] = to_hex(lookup->hash.fingerprint.digest.bytes);
  }
  object["digest"] = to_hex(digest().bytes);
  object["exact"] = exact();
  object["slots"] = slots();
  object["flags"] = view::flags_json(*rule, flags());
  object["created"] = or_null(created());
  object["updated"] = or_null(updated);
  object["age"] = age_json(created(), now);
  object["source"] = stored && stored->row.source != 0
                         ? Json(fmt::format("{:016x}", stored->row.source))
                         : Json(nullptr);
  object["address"] = taught_from ? Json(taught_from->to_string()) : Json(nullptr);
  object["case"] = case_id.empty() ? Json(nullptr) : Json(case_id);
  object["undo"] = undo();
  return object;
}

std::vector<std::vector<std::string>> ExplainedMatch::rows(WallTime now) const {
  std::vector<std::vector<std::string>> rows;
  if (!by_digest) {
    rows.push_back(
        {"part", fmt::format("{} ({})", lookup->hash.part.empty() ? "-" : lookup->hash.part,
                             mime::to_string(lookup->hash.kind))});
  }
  rows.push_back({"matched", exact() ? std::string("the same digest")
                                     : fmt::format("{} of {} shingles", slots(), kShingleCount)});
  rows.push_back({"digest", to_hex(digest().bytes)});
  for (const auto& [flag, value] : flags()) {
    rows.push_back(
        {"list", fmt::format("{} ({}), weight {}", view::symbol_of(*rule, flag), flag, value)});
  }
  if (created() != 0) rows.push_back({"created", view::moment_text(created(), now)});
  if (stored) {
    rows.push_back({"updated", view::moment_text(stored->row.updated, now)});
    rows.push_back({"source", source_text()});
  }
  if (!case_id.empty()) rows.push_back({"case", case_text});
  rows.push_back({"known to", lookup->failed()
                                  ? "the database file; its server does not answer"
                                  : fmt::format("{} (rule {})", lookup->server, rule->name)});
  rows.push_back({"undo", undo()});
  return rows;
}

}  // namespace shingled::milter::desk
