#pragma once

#include <cstdint>
#include <string>

namespace shingled::config {

/// One thing wrong with a configuration.
struct Problem {
  enum class Severity : std::uint8_t {
    kError,    ///< it cannot be used
    kWarning,  ///< it can be used, but probably does not do what was meant
  };
  std::string file;  ///< or "-o" for an override
  int line = 0;      ///< from 1; for an override its number; 0 = the whole file
  int column = 0;    ///< in bytes, from 1
  std::string key;   ///< "storage.expire"; empty for the whole file
  std::string what;  ///< what is wrong, and what is allowed; never a secret
  Severity severity = Severity::kError;

  [[nodiscard]] bool is_error() const { return severity == Severity::kError; }
  /// `file:line:column: key: what`, of a warning `file:line:column: warning: key: what`
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

}  // namespace shingled::config
