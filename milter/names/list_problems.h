#pragma once

#include <span>
#include <vector>

#include "config/document/places.h"
#include "milter/names/list_files.h"

namespace shingled::milter::names {

/// What is wrong with the lists of some settings: a wrong line is a warning with file and line, as
/// the others are in force; a file that cannot be read, or that a rule names and that does not
/// exist, is an error.
std::vector<config::Problem> list_problems(std::span<const ListFile> files);

}  // namespace shingled::milter::names
