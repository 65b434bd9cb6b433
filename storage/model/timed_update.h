#pragma once

#include <cstdint>

#include "storage/model/fuzzy_store.h"

namespace shingled::storage {

/// An update on its way somewhere else, with the time it was submitted. The update is lent.
struct TimedUpdate {
  const Update* update = nullptr;
  std::uint32_t time = 0;  ///< Unix seconds
};

}  // namespace shingled::storage
