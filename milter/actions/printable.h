#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shingled::milter::actions {

/// The first `bytes_max` bytes of a text, with '?' for each that is not printable ASCII: what may
/// stand in a header, a reply or a quarantine reason whoever wrote it. Pure.
std::string printable(std::string_view text, std::size_t bytes_max);

}  // namespace shingled::milter::actions
