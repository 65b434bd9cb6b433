#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/problem.h"

namespace shingled::config {

/// Where a value stands: in the file, or in an override from the command line.
struct Position {
  enum class Origin { kFile, kOverride };
  Origin origin = Origin::kFile;
  int line = 0;    ///< from 1; of an override its number; 0 = nowhere, the whole file
  int column = 0;  ///< in bytes, from 1
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 inside <=> for a pointer
  friend auto operator<=>(const Position&, const Position&) = default;
};

/// What one load finds out besides the settings: every problem, and which keys the loader knows.
/// Threads: one thread.
class Diagnostics {
 public:
  /// A hostile file could make a problem of each of its bytes; the rest is only counted.
  static constexpr std::size_t kProblemsMax = 200;

  explicit Diagnostics(std::string_view file_name) : file_name_(file_name) {}

  /// What is not printable ASCII in `key` or `what` is escaped.
  void add(const Position& position, std::string_view key, std::string_view what);
  [[nodiscard]] bool full() const { return found_.size() >= kProblemsMax; }
  [[nodiscard]] bool empty() const { return found_.empty(); }

  /// Remembers that the loader asked for the value of `key` ("storage.expire").
  void ask(std::string key) { asked_.insert(std::move(key)); }
  [[nodiscard]] const std::set<std::string>& asked() const { return asked_; }

  /// All problems in the order of the text, those of overrides last.
  [[nodiscard]] std::vector<Problem> problems() const;

 private:
  struct Found {
    Position position;
    std::string key;
    std::string what;
  };
  std::string file_name_;
  std::vector<Found> found_;
  std::size_t dropped_ = 0;
  std::set<std::string> asked_;
};

/// Text from a configuration as a problem may quote it: in single quotes, what is not printable
/// ASCII as \xNN, cut after 64 bytes.
std::string quoted(std::string_view text);

}  // namespace shingled::config
