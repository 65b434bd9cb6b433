#pragma once

#include <memory>
#include <utility>

#include "milter/filter/snapshot.h"

namespace shingled::milter::filter {

/// A snapshot to be put in force.
inline std::shared_ptr<const Snapshot> in_force(Snapshot snapshot) {
  return std::make_shared<const Snapshot>(std::move(snapshot));
}

}  // namespace shingled::milter::filter
