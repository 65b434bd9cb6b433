#pragma once

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

}  // namespace shingled::config
