#include "milter/desk/servers/asking.h"

#include <algorithm>
#include <utility>

#include "milter/model/model_mode.h"
#include "milter/policy/policy_rules.h"

namespace shingled::milter::desk {

Result<std::unique_ptr<judge::Scanner>> open_scanner(
    const ServerArguments& arguments, const Settings& settings, Clock& clock, Random& random,
    std::shared_ptr<const storage::similar::SampleLibrary> library) {
  auto destinations = choose_destinations(arguments, settings);
  if (!destinations) return destinations.error();
  auto asking = std::make_shared<Settings>(settings);
  asking->rules.clear();
  for (Destination& destination : *destinations) {
    RuleOptions rule = *destination.rule;
    rule.remote = std::move(destination.remote);
    asking->rules.push_back(std::move(rule));
  }
  // Without rules, too: commands show features.
  const policy::PolicyRules read = policy::policy_rules(settings);
  std::shared_ptr<const policy::Policy> policy;
  std::shared_ptr<const names::CurrentLists> lists;
  if (read.rules != nullptr) {
    policy = std::make_shared<const policy::Policy>(*read.rules);
    lists = names::lists_now(policy::list_files_of(settings.policy, *read.rules));
  }
  // A model that cannot be read has no word in the daemon, either.
  auto model = model::open_model(settings.model, settings.policy);
  std::shared_ptr<const model::CurrentModel> in_force;
  if (model && *model != nullptr)
    in_force = std::make_shared<const model::CurrentModel>(*std::move(model));
  return judge::Scanner::open(std::move(asking), nullptr, clock, random, std::move(library),
                              judge::ServerNames::kNow, std::move(policy), std::move(lists),
                              std::move(in_force));
}

}  // namespace shingled::milter::desk
