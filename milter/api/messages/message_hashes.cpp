#include "milter/api/messages/message_hashes.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "config/base/hex.h"
#include "milter/api/messages/report_resource.h"
#include "milter/api/reply.h"
#include "milter/reports/kept_code.h"

namespace shingled::milter::api {

namespace {

http::HttpReply nothing_known(std::string_view why) {
  return json_reply({{"hashes", Json::array()}, {"off", why}});
}

/// Finds the case of each stored hash, once.
class Cases {
 public:
  explicit Cases(reports::ReportDesk& desk) : desk_(desk) {}
  Json of(const std::string& digest) {
    const auto known = found_.find(digest);
    if (known != found_.end()) return known->second;
    if (found_.size() == MessageHashes::kCasesMost) return nullptr;
    const auto one = desk_.find_case(digest, /*names=*/true);
    return found_[digest] = one ? known_case_json(*one) : Json(nullptr);
  }

 private:
  reports::ReportDesk& desk_;
  std::map<std::string, Json> found_;
};

Json stored_json(const storage::Match& match, Cases& cases) {
  Json flags = Json::array();
  for (std::size_t i = 0; i < match.flag_count && i < match.flags.size(); ++i)
    flags.push_back({{"flag", match.flags[i].flag}, {"value", match.flags[i].value}});
  const std::string digest = to_hex(match.digest.bytes);
  return {{"digest", digest},          {"exact", match.exact},
          {"slots", match.slots},      {"prob", match.probability()},
          {"flags", std::move(flags)}, {"created", match.created},
          {"updated", match.updated},  {"case", cases.of(digest)}};
}

}  // namespace

http::HttpReply MessageHashes::hashes(const Call& call) const {
  const auto opened = open_();
  if (!opened) return problem(opened.error());
  return with_one_message(
      *opened->reader, call.part, [&](std::int64_t time, bool is_kept) -> http::HttpReply {
        const auto bytes = is_kept ? opened->reader->kept(time) : Result<Bytes>(Bytes());
        if (!bytes) return problem(bytes.error());
        if (bytes->empty()) {
          return nothing_known(
              "the hashes of this message are not kept: it is older than history.act_for, or "
              "reports were off (reports.enabled)");
        }
        const auto kept = reports::decode_kept(*bytes, opened->site);
        if (!kept && kept.error().code == ErrorCode::kInvalid)
          return nothing_known(kept.error().message);
        if (!kept) return problem(kept.error());
        Cases cases(desk_);
        Json list = Json::array();
        for (const storage::sqlite::ReportedHash& hash : kept->message.hashes) {
          const Fingerprint& fingerprint = hash.fingerprint;
          Json matches = Json::array();
          for (const storage::Match& match : find_(fingerprint, kMatchesMost))
            matches.push_back(stored_json(match, cases));
          list.push_back({{"digest", to_hex(fingerprint.digest.bytes)},
                          {"flag", hash.flag},
                          {"file", kept->message.files.contains(fingerprint.digest)},
                          {"matches", std::move(matches)}});
        }
        return json_reply({{"hashes", std::move(list)}});
      });
}

std::vector<Route> MessageHashes::routes() const {
  return {{http::HttpMethod::kGet,
           "/api/1/messages/{id}/hashes",
           http::Right::kRead,
           Route::Pace::kLater,
           "The hashes of a message, the stored hashes that match them, and who reported those.",
           {},
           "",
           "hashes",
           [this](const Call& call) { return hashes(call); }}};
}

}  // namespace shingled::milter::api
