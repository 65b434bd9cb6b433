#pragma once

#include <string>
#include <vector>

namespace shingled::config {

/// The overrides that variables SHINGLED_SECTION__KEY=value stand for, "section.key=value", sorted
/// by name: capitals become small, two underscores a dot. An empty variable is as good as none,
/// since containers pass on variables that nobody has set; one without two underscores between
/// other characters is another program's.
///
/// A value in the environment is not shown to other users, as one on the command line is.
/// `environment`: as environ(7), with a null pointer at its end.
/// Threads: stateless.
std::vector<std::string> environment_overrides(const char* const* environment);

}  // namespace shingled::config
