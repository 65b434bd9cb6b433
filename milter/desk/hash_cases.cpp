#include "milter/desk/hash_cases.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "config/base/hex.h"
#include "milter/desk/daemon_choice.h"
#include "milter/desk/servers/server_choice.h"

namespace shingled::milter::desk {

namespace {

std::optional<RemoteOptions> own_service(const Settings& settings) {
  const auto local = local_service(settings.storage);
  return local ? std::optional(*local) : std::nullopt;
}

}  // namespace

std::string HashCase::text() const {
  std::string out = fmt::format("{}: {} spam", id,
                                spam == 1 ? "1 person says" : fmt::format("{} people say", spam));
  if (ham > 0) out += fmt::format(", {} wanted", ham);
  return out + ", " + effect;
}

HashCases::HashCases(const Settings& settings, const Clock& clock)
    : local_(own_service(settings)),
      client_(daemon_of(settings, clock)),
      answers_(settings.reports.enabled && !settings.http.listen.empty()) {}

std::optional<HashCase> HashCases::of(const Digest& digest) {
  if (!answers_) return std::nullopt;
  const auto page = client_.one_case(to_hex(digest.bytes), "", /*names=*/false);
  if (!page) {
    answers_ = page.error().code == ErrorCode::kNotFound;
    return std::nullopt;
  }
  return HashCase{page->value("id", ""), page->value("effect", ""),
                  page->value("spam", std::uint64_t{0}), page->value("ham", std::uint64_t{0})};
}

std::optional<HashCase> HashCases::of(const rules::Lookup& lookup, const RuleOptions& rule) {
  const bool is_local =
      local_ && (!rule.remote.is_remote() || local_->to_read() == rule.remote.to_read());
  if (!is_local) return std::nullopt;
  return of(lookup.outcome == rules::Lookup::Outcome::kHit ? lookup.match.digest
                                                           : lookup.hash.fingerprint.digest);
}

}  // namespace shingled::milter::desk
