#include "milter/desk/bucket_names.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>

#include "config/words/units.h"
#include "milter/ratelimit/envelope_address.h"
#include "milter/ratelimit/limit_demands.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::milter::desk {

bool BucketNames::has_type(const std::string& key) const {
  const std::string_view type = storage::buckets::bucket_type(key);
  const auto& types = limits_.rates;
  return type.size() < key.size() &&
         (types.empty() || std::any_of(types.begin(), types.end(), [&](const BucketType& known) {
            return known.name == type;
          }));
}

std::string BucketNames::known_key(const std::string& name) const {
  if (client_.show(name)) return name;
  return ratelimit::bucket_key_of(limits_, name).value_or(name);
}

bool BucketNames::is_bucket(const std::string& key) const {
  return has_type(key) || client_.show(key).has_value();
}

Result<Json> BucketNames::find(const std::string& text) const {
  auto page = client_.list(text, kFoundMost);
  if (!page || !page->at("buckets").empty()) return page;
  const std::string normal =
      ratelimit::normal_mailbox(ratelimit::parse_envelope_address(text)).text();
  page = client_.list(normal, kFoundMost);
  if (!page || !page->at("buckets").empty()) return page;
  const std::string_view part[] = {text};
  return client_.list(storage::buckets::make_bucket_key("", part).substr(1), kFoundMost);
}

std::string BucketNames::names_hint() const {
  std::string types;
  for (const BucketType& type : limits_.rates) {
    types += (types.empty() ? "" : ", ") + type.name;
  }
  return "names are TYPE:PART..., such as to:user@example.org" +
         (types.empty() ? "; ratelimit.rates has no types" : "; types: " + types);
}

Result<BucketRate> BucketNames::wanted_rate(const std::string& key,
                                            const std::string& rate_text) const {
  const std::string_view type = storage::buckets::bucket_type(key);
  if (!rate_text.empty()) {
    const auto rate = config::parse_rate(rate_text);
    if (rate && rate->amount >= 1) {
      return BucketRate{rate->amount,
                        rate->amount / std::chrono::duration<double>(rate->time).count()};
    }
    return Error{ErrorCode::kInvalid, "--rate is not a rate such as 100/1h"};
  }
  if (const auto page = client_.show(key); page) {
    return BucketRate{page->value("burst", 0.0), page->value("leak", 0.0)};
  }
  for (const BucketType& known : limits_.rates) {
    if (known.name == type && known.rate.limits()) return known.rate;
  }
  return Error{ErrorCode::kInvalid, "it is empty and its type is not configured: give --rate"};
}

}  // namespace shingled::milter::desk
