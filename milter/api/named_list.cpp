#include "milter/api/named_list.h"

#include <nlohmann/json.hpp>

namespace shingled::milter::api {

void put_list(std::uint32_t flag, const Settings& settings, Json& object) {
  object["flag"] = flag;
  object["name"] = nullptr;
  object["rule"] = nullptr;
  for (const RuleOptions& rule : settings.rules) {
    const FlagOptions* const named = rule.remote.is_remote() ? nullptr : rule.flags.find(flag);
    if (named == nullptr) continue;
    object["name"] = named->name;
    object["rule"] = rule.name;
    return;
  }
}

}  // namespace shingled::milter::api
