#pragma once

#include <string_view>

namespace shingled::milter::reference {

/// packaging/man/shingled.8, compiled in, so that what it says of a command is written once.
std::string_view system_page();

}  // namespace shingled::milter::reference
