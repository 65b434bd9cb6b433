#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace shingled {

/// A message made to be dear: one construct over and over.
struct WorstCase {
  const char* name;
  std::string (*make)(std::size_t bytes);  ///< a message of about so many bytes
};

/// What spammers and fuzzers send to slow a parser down; each is to be linear in its bytes.
const std::vector<WorstCase>& worst_cases();

}  // namespace shingled
