#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace shingled {

/// A message that is made to be expensive: one construct repeated.
struct WorstCase {
  const char* name;
  std::string (*make)(std::size_t bytes);  ///< a message of about `bytes` bytes
};

/// Inputs that slow a parser down, as spammers and fuzzers send them. The cost of each must be
/// linear.
const std::vector<WorstCase>& worst_cases();

}  // namespace shingled
