#include "storage/server/recent_names.h"

#include <utility>

namespace shingled::storage {

bool RecentNames::contains(const UpdateName& name, TimePoint now) const {
  if (now < born_ + 2 * window_ && young_.contains(name)) return true;
  return now < old_end_ && old_.contains(name);
}

void RecentNames::insert(const UpdateName& name, TimePoint now) {
  if (young_.size() >= half_ || now >= born_ + window_) {
    old_ = std::exchange(young_, {});
    old_end_ = born_ + 2 * window_;
    born_ = now;
  }
  young_.insert(name);
}

}  // namespace shingled::storage
