#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "config/options/milter_options.h"
#include "config/options/rule_options.h"
#include "milter/rules/facts.h"
#include "mime/analyze.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::training {

/// A hash of a message and its lists.
struct ListedHash {
  mime::PartHash hash;
  std::vector<storage::FlagValue> flags;
};

/// From which weight on one list all hashes of a message together reach a score, when the very same
/// message comes; nothing where the list alone never does.
struct WeightNeeded {
  std::optional<std::int32_t> header;  ///< milter.actions.add_header
  std::optional<std::int32_t> reject;  ///< milter.actions.reject
};

/// The milter's own judgement, asked with other weights. Weights on other lists stay as they are;
/// other rules and known files say nothing. Pure.
/// Cost: some twenty judgements a threshold.
WeightNeeded weight_needed(std::span<const ListedHash> hashes, rules::TextAmount text,
                           const RuleOptions& rule, std::uint32_t flag,
                           const ActionOptions& actions);

/// The largest weight of the hashes on the list; nullopt if none is on it.
std::optional<std::int32_t> weight_on(std::span<const ListedHash> hashes, std::uint32_t flag);

}  // namespace shingled::milter::training
