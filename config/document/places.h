#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace shingled::config {

/// The place of a value: in the file, or in an override from the command line.
struct Position {
  enum class Origin { kFile, kOverride };
  Origin origin = Origin::kFile;
  int line = 0;    ///< from 1; for an override its number; 0 = nowhere, the whole file
  int column = 0;  ///< in bytes, from 1
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 inside <=> for a pointer
  friend auto operator<=>(const Position&, const Position&) = default;
};

/// One thing wrong with a configuration.
struct Problem {
  enum class Severity : std::uint8_t {
    kError,    ///< it cannot be used
    kFault,    ///< a part of it cannot be used; the daemon starts without that part
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

/// Where the values of a configuration are, by the names of their keys ("storage.listen",
/// "storage.listen[1]"), for problems that are found after reading. A key that was given under
/// another of its names has that place.
/// Threads: one thread; const: any.
class Places {
 public:
  explicit Places(std::string_view file_name = "") : file_name_(file_name) {}

  /// The first place of a key counts.
  void put(std::string_view key, const Position& position) {
    places_.try_emplace(std::string(key), position);
  }
  /// Where the key was given; null = nowhere, it has its default.
  [[nodiscard]] const Position* find(std::string_view key) const;
  /// A problem at the value of `key`, or else at the innermost map around it that is given.
  [[nodiscard]] Problem problem(std::string_view key, std::string_view what,
                                Problem::Severity severity = Problem::Severity::kError) const;
  /// Where its value comes from: "FILE:LINE", "-o" or "default".
  [[nodiscard]] std::string source(std::string_view key) const;

 private:
  std::string file_name_;
  std::map<std::string, Position, std::less<>> places_;
};

}  // namespace shingled::config
