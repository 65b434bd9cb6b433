#pragma once

#include <string>

namespace shingled::config {

/// One thing wrong with a configuration.
struct Problem {
  std::string file;  ///< or "-o" for an override
  int line = 0;      ///< from 1; for an override its number; 0 = the whole file
  int column = 0;    ///< in bytes, from 1
  std::string key;   ///< "storage.expire"; empty for the whole file
  std::string what;  ///< what is wrong, and what is allowed; never a secret

  /// `file:line:column: key: what`
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

}  // namespace shingled::config
