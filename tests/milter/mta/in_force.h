#pragma once

#include <memory>
#include <utility>

#include "milter/judge/snapshot.h"

namespace shingled::milter::mta {

/// A snapshot to be put in force.
inline std::shared_ptr<const judge::Snapshot> in_force(judge::Snapshot snapshot) {
  return std::make_shared<const judge::Snapshot>(std::move(snapshot));
}

}  // namespace shingled::milter::mta
