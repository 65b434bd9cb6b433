#include "milter/api/counters/counter_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/words/nearest_word.h"
#include "milter/api/counters/counter_request.h"
#include "milter/api/reply.h"
#include "mime/fingerprint/piece_type.h"
#include "storage/counters/counter.h"

namespace shingled::milter::api {

namespace {

using storage::counters::Measure;

constexpr std::array<std::string_view, kCounterFields> kFieldNames = {
    "space",  "pieces", "windows", "add",     "additions", "type", "measure",   "window",
    "rising", "most",   "piece",   "shingle", "unique",    "time", "recipients"};

}  // namespace

std::string_view to_string(CounterField field) {
  return kFieldNames[static_cast<std::size_t>(field)];
}

std::optional<CounterField> find_counter_field(std::string_view name) {
  const auto* const found = std::ranges::find(kFieldNames, name);
  if (found == kFieldNames.end()) return std::nullopt;
  return static_cast<CounterField>(found - kFieldNames.begin());
}

std::vector<std::string> names_of(const CounterFields& fields) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < kFieldNames.size(); ++i)
    if (fields.has(static_cast<CounterField>(i))) out.emplace_back(kFieldNames[i]);
  return out;
}

std::string must_be(CounterField field) {
  switch (field) {
    case CounterField::kPieces:
    case CounterField::kWindows:
    case CounterField::kAdditions:
    case CounterField::kRecipients:
      return "must be a list";
    case CounterField::kAdd:
      return "must be an object of measures, such as {\"mass\": 1}";
    case CounterField::kType:
      return "must be the name or the number of a type";
    case CounterField::kRising:
      return "must be true or false";
    case CounterField::kMost:
      return fmt::format("must be a whole number from 1 to {}", kRequestedMostMax);
    case CounterField::kTime:
      return "must be a Unix time in whole seconds";
    case CounterField::kPiece:
      return "must be a text, or a list of two texts";
    default:
      return "must be a text";
  }
}

std::string unknown_word(std::string_view what, std::string_view word,
                         std::span<const std::string> known) {
  const auto meant = config::nearest_word(word, known);
  return fmt::format("unknown {} '{}'{}", what, shown(word),
                     meant ? fmt::format(", did you mean '{}'?", *meant) : "");
}

std::string unknown_measure(std::string_view word) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < storage::counters::kMeasures; ++i)
    known.emplace_back(to_string(static_cast<Measure>(i)));
  return unknown_word("measure", word, known);
}

std::string unknown_type(std::string_view word) {
  std::vector<std::string> known;
  for (const PieceTypeRow& row : piece_types()) known.emplace_back(row.name);
  return unknown_word("type", word, known);
}

}  // namespace shingled::milter::api
