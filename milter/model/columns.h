#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "milter/features/feature.h"
#include "mime/fingerprint/piece_type.h"
#include "storage/counters/counter.h"

namespace shingled::milter::model {

using storage::counters::Measure;
using storage::counters::Window;

/// One number that a model is given of a message.
struct Column {
  enum class Kind : std::uint8_t {
    kNumber,  ///< a feature that is a number
    kYesNo,   ///< 1 or 0
    kWord,    ///< 1 if a feature is this word
    kScore,   ///< of all other evidence
    kMost,    ///< a sum of a counter, of the piece that has most
    kLeast,   ///< the same, of the piece that has least
    kShare,   ///< spam or ham of all, of the piece that has most
  };
  std::string name;  ///< "phrase.complainers in 14d"
  std::string help;
  Kind kind = Kind::kNumber;
  features::Feature feature{};
  std::string_view word = {};
  PieceType type{};
  Measure measure{};
  std::size_t window = 0;  ///< place in kWindows
  /// What is known beforehand: 1 = more of it never speaks for a message, -1 = never against it.
  int direction = 0;
};

/// The windows of columns. The last one is of what people said alone.
inline constexpr std::size_t kWindowsUsed = 4;
const std::array<Window, kWindowsUsed>& windows_used();

/// All columns, in their order. A vector has a number for each.
/// Threads: constant.
const std::vector<Column>& columns();
std::optional<std::size_t> find_column(std::string_view name);

/// Those of the counters of one type.
std::span<const std::uint16_t> columns_of(PieceType type);
/// Those of the message itself.
std::span<const std::uint16_t> columns_of_message();

/// Whether a feature stands for a column: "mailer" for "mailer.mass in 14d".
bool stands_for(std::string_view feature, std::string_view column);
/// Whether it may tell where mail comes from rather than what it is: those that training leaves out
/// by default.
bool is_suspect(std::string_view column);

/// What the columns of these names mean, as a number: a change of it makes old models useless.
std::uint64_t meaning_of(std::span<const std::string> names);

}  // namespace shingled::milter::model
