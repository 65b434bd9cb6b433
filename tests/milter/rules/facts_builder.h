#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "milter/rules/facts.h"

namespace shingled::milter::rules {

/// A look-up that hit, as rule 0 would have made it.
inline Lookup hit_lookup(mime::PartKind kind, float probability,
                         std::vector<storage::FlagValue> flags, std::uint64_t bytes = 2000) {
  Lookup lookup;
  lookup.rule = "local";
  lookup.server = "local";
  lookup.hash.part = "1";
  lookup.hash.kind = kind;
  lookup.hash.bytes = bytes;
  lookup.hash.place = kind == mime::PartKind::kAttachment || kind == mime::PartKind::kImage
                          ? mime::PartPlace::kAttachment
                          : mime::PartPlace::kBody;
  lookup.outcome = Lookup::Outcome::kHit;
  lookup.probability = probability;
  lookup.match.exact = probability >= 1;
  lookup.match.digest.bytes.fill(0xab);
  lookup.match.flag_count = static_cast<std::uint8_t>(flags.size());
  for (std::size_t i = 0; i < flags.size(); ++i) lookup.match.flags[i] = flags[i];
  return lookup;
}

inline Lookup failed_lookup(Lookup::Outcome outcome) {
  Lookup lookup;
  lookup.rule = "remote";
  lookup.server = "192.0.2.1:11335";
  lookup.outcome = outcome;
  return lookup;
}

}  // namespace shingled::milter::rules
