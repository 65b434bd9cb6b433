#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::milter::api {

/// A member of a request. In JSON they have these names in lower case.
enum class CounterField : std::uint8_t {
  kSpace,
  kPieces,
  kWindows,
  kAdd,
  kAdditions,
  kType,
  kMeasure,
  kWindow,
  kRising,
  kMost,
  // Of a piece, besides `type`.
  kPiece,
  kShingle,
  kUnique,
  // Of an addition, besides `space`, `pieces` and `add`.
  kTime,
  // Of a question about what people said.
  kRecipients,
};

inline constexpr std::size_t kCounterFields = 15;

/// A set of fields.
struct CounterFields {
  std::uint32_t bits = 0;

  constexpr CounterFields() = default;
  constexpr CounterFields(std::initializer_list<CounterField> fields) {
    for (const CounterField field : fields) insert(field);
  }
  constexpr void insert(CounterField field) { bits |= 1U << static_cast<unsigned>(field); }
  [[nodiscard]] constexpr bool has(CounterField field) const {
    return (bits >> static_cast<unsigned>(field) & 1U) != 0;
  }
};

std::string_view to_string(CounterField field);
std::optional<CounterField> find_counter_field(std::string_view name);
std::vector<std::string> names_of(const CounterFields& fields);
/// What an error says of a value of the wrong type: "must be a list".
std::string must_be(CounterField field);

/// "unknown measure 'mas', did you mean 'mass'?"
std::string unknown_word(std::string_view what, std::string_view word,
                         std::span<const std::string> known);
std::string unknown_measure(std::string_view word);
std::string unknown_type(std::string_view word);

}  // namespace shingled::milter::api
