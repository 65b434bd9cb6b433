#include "milter/model/columns.h"

#include <algorithm>
#include <map>

#include "config/options/model_options.h"
#include "milter/history/message_record.h"
#include "milter/policy/counter_feature.h"

namespace shingled::milter::model {

namespace {

using features::Feature;
using features::FeatureRow;
using Kind = Column::Kind;
using enum Measure;

/// Changes with the meaning of any column.
constexpr std::uint64_t kMeaning = 1;

// Places in windows_used().
constexpr std::size_t kHour = 0;
constexpr std::size_t kDay = 1;
constexpr std::size_t kFortnight = 2;
constexpr std::size_t kSaid = 3;

/// Languages that mail often has; others have no column.
constexpr auto kLanguages =
    std::to_array<std::string_view>({"en", "de", "fr", "es", "it", "nl", "pt", "pl", "ru", "uk",
                                     "cs", "sv", "da", "tr", "ja", "zh-CN", "ko", "ar"});

class ColumnList {
 public:
  std::vector<Column> take() { return std::move(out_); }

  void add_message() {
    for (const FeatureRow& row : features::features()) {
      if (row.type == FeatureRow::Type::kWord) {
        const bool language = row.feature == Feature::kLanguage;
        for (const std::string_view word : language ? std::span(kLanguages) : row.words)
          add_word(row, word);
        continue;
      }
      Column& column = out_.emplace_back();
      column.name = row.name;
      column.help = row.help;
      column.kind = row.type == FeatureRow::Type::kYesNo ? Kind::kYesNo : Kind::kNumber;
      column.feature = row.feature;
    }
    Column& score = out_.emplace_back();
    score.name = "score";
    score.help = "the score of all other evidence";
    score.kind = Kind::kScore;
    score.direction = 1;
  }

  void add_type(const PieceTypeRow& row) {
    const bool unique = row.kind == PieceTypeRow::Kind::kUnique;
    if (unique) {
      for (const std::size_t window : {kHour, kDay, kFortnight}) add(row, kMass, window);
      return;
    }
    for (const std::size_t window : {kHour, kDay, kFortnight}) add(row, kMass, window);
    if (policy::has_several(row.type)) add(row, kMass, kFortnight, Kind::kLeast);
    for (const Measure measure : {kSpam, kHam}) {
      add(row, measure, kFortnight);
      add(row, measure, kFortnight, Kind::kShare);
    }
    if (row.kind == PieceTypeRow::Kind::kPair) return;
    for (const std::size_t window : {kFortnight, kSaid})
      for (const Measure measure : {kComplainers, kRescuers}) add(row, measure, window);
    for (const Measure measure : {kOwnComplaint, kOwnRescue}) add(row, measure, kSaid);
  }

 private:
  void add_word(const FeatureRow& row, std::string_view word) {
    Column& column = out_.emplace_back();
    column.name = std::string(row.name) + " is " + std::string(word);
    column.help = row.help;
    column.kind = Kind::kWord;
    column.feature = row.feature;
    column.word = word;
  }

  void add(const PieceTypeRow& row, Measure measure, std::size_t window, Kind kind = Kind::kMost) {
    const policy::CounterFeature feature{row.type, measure};
    Column& column = out_.emplace_back();
    column.name =
        policy::to_string(feature) + " in " + storage::counters::to_string(windows_used()[window]);
    column.help = policy::help_of(feature);
    if (kind == Kind::kLeast) {
      column.name += ", least";
      column.help += "; of the piece that has least";
    } else if (kind == Kind::kShare) {
      column.name += ", share";
      column.help += "; as a share of all";
    }
    column.kind = kind;
    column.type = row.type;
    column.measure = measure;
    column.window = window;
    if (measure == kComplainers || measure == kOwnComplaint) column.direction = 1;
    if (measure == kRescuers || measure == kOwnRescue) column.direction = -1;
  }

  std::vector<Column> out_;
};

/// The places of columns, by type; those of no type are of the message.
struct Places {
  std::map<std::string_view, std::size_t> by_name;
  std::vector<std::uint16_t> of_message;
  std::array<std::vector<std::uint16_t>, 256> of_type;
};

const Places& places() {
  static const Places all = [] {
    Places out;
    for (std::size_t i = 0; i < columns().size(); ++i) {
      const Column& column = columns()[i];
      const auto place = static_cast<std::uint16_t>(i);
      out.by_name.emplace(column.name, i);
      (column.kind < Kind::kMost ? out.of_message
                                 : out.of_type[static_cast<std::size_t>(column.type)])
          .push_back(place);
    }
    return out;
  }();
  return all;
}

}  // namespace

const std::array<Window, kWindowsUsed>& windows_used() {
  using Unit = storage::counters::Period::Unit;
  static constexpr std::array<Window, kWindowsUsed> kAll = {
      {{Unit::kSlot, 6, 0}, {Unit::kDay, 1, 0}, {Unit::kDay, 14, 0}, history::kSaidWindow}};
  return kAll;
}

const std::vector<Column>& columns() {
  static const std::vector<Column> all = [] {
    ColumnList out;
    out.add_message();
    for (const PieceTypeRow& row : piece_types()) {
      const bool of_mail = policy::find_counter_feature(row.name, "mass").has_value() ||
                           row.kind == PieceTypeRow::Kind::kUnique;
      if (of_mail && !is_of_report(row.type)) out.add_type(row);
    }
    return out.take();
  }();
  return all;
}

std::optional<std::size_t> find_column(std::string_view name) {
  const auto found = places().by_name.find(name);
  if (found == places().by_name.end()) return std::nullopt;
  return found->second;
}

std::span<const std::uint16_t> columns_of(PieceType type) {
  return places().of_type[static_cast<std::size_t>(type)];
}

std::span<const std::uint16_t> columns_of_message() { return places().of_message; }

bool stands_for(std::string_view feature, std::string_view column) {
  if (!column.starts_with(feature)) return false;
  if (column.size() == feature.size()) return true;
  const char next = column[feature.size()];
  return next == '.' || next == ' ';
}

bool is_suspect(std::string_view column) {
  static const ModelOptions defaults;
  return std::ranges::any_of(defaults.features_off, [&](const std::string& feature) {
    return stands_for(feature, column);
  });
}

std::uint64_t meaning_of(std::span<const std::string> names) {
  // FNV-1a: the same everywhere, and nobody gains by a collision.
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t hash = 0xcbf29ce484222325 ^ kMeaning;
  for (const std::string& name : names) {
    for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * kPrime;
    hash = (hash ^ '\n') * kPrime;
  }
  return hash;
}

}  // namespace shingled::milter::model
