#pragma once

#include <cstdint>
#include <optional>

#include "milter/features/name.h"
#include "milter/names/name_list.h"

namespace shingled::milter::names {

/// Whether a message's values of a name are on a list.
struct Found {
  enum class Answer : std::uint8_t { kNo, kUnknown, kYes };
  Answer answer = Answer::kUnknown;
  std::optional<NameMatch> match = {};  ///< of kYes
};

/// One value that is on the list is enough. Nothing is on an empty list, whatever the values are;
/// else a name that is unknown gives kUnknown, and one that is absent kNo. `as`: the name of the
/// lines that count.
/// Threads: stateless.
Found look_up(const NameList& list, Name as, const features::MessageNames& names, Name name);

}  // namespace shingled::milter::names
