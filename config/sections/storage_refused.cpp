#include <array>

#include "config/sections/sections.h"

namespace shingled::config {

namespace {

struct ForeignKey {
  std::string_view name;
  std::string_view why;
};

constexpr std::array<ForeignKey, 3> kForeignKeys = {{
    {"prefix", "belongs to the section redis; allowed: redis.prefix"},
    {"updates_maxfail",
     "an update that cannot be stored is refused with 503 at once, never kept for another try; "
     "allowed: leave it out"},
    {"dedicated_update_worker", "updates always have a thread of their own; allowed: leave it out"},
}};

}  // namespace

void refuse_foreign_keys(Section& section) {
  for (const ForeignKey& key : kForeignKeys) section.refuse_key(key.name, key.why);
}

}  // namespace shingled::config
