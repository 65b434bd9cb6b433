#include "milter/policy/counter_feature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace shingled::milter::policy {

namespace {

using storage::counters::kMeasures;
using storage::counters::kSaidMeasures;
using enum Measure;

struct UniqueRow {
  PieceType type{};
  std::string_view counter;
  std::string_view measure;
};

constexpr auto kUniques = std::to_array<UniqueRow>({
    {PieceType::kUniqueRecipients, "sender", "unique_recipients"},
    {PieceType::kUniqueSenders, "client", "unique_senders"},
    {PieceType::kUniqueNetworks, "from_domain", "unique_networks"},
    {PieceType::kUniqueLinkSenders, "link_domain", "unique_senders"},
    {PieceType::kUniqueTextRecipients, "robust_text", "unique_recipients"},
    {PieceType::kUniqueTextSenders, "robust_text", "unique_senders"},
    {PieceType::kUniqueUserRecipients, "user", "unique_recipients"},
    {PieceType::kUniqueCountries, "user", "unique_countries"},
    {PieceType::kUniqueRecipientSenders, "recipient", "unique_senders"},
    {PieceType::kUniqueAttachmentRecipients, "attachment", "unique_recipients"},
    {PieceType::kUniqueAttachmentSenders, "attachment", "unique_senders"},
    {PieceType::kUniqueReporters, "stored_hash", "unique_reporters"},
});

const UniqueRow* unique_row(PieceType type) {
  const auto* const found = std::ranges::find(kUniques, type, &UniqueRow::type);
  return found == kUniques.end() ? nullptr : &*found;
}

/// Whether a message can have a piece of it while it is judged.
bool is_of_mail(const PieceTypeRow& row) {
  if (row.kind == PieceTypeRow::Kind::kUnique) return unique_row(row.type) != nullptr;
  return row.type != PieceType::kHashReporter && row.type != PieceType::kMessageReporter;
}

struct MeasureRow {
  std::string_view unit;
  std::string_view help;
};
constexpr std::array<MeasureRow, kMeasures + kSaidMeasures> kMeasureRows = {{
    {"messages", "messages"},
    {"recipients", "recipients of messages"},
    {"bytes", "bytes of messages"},
    {"messages", "messages that counted as spam"},
    {"messages", "messages that counted as ham"},
    {"complaints", "complaints of people about messages"},
    {"rescues", "times that people said it is not spam, of messages"},
    {"recipients", "recipients that the mail server refused, of messages"},
    {"people", "different people who complained of messages"},
    {"people", "different people who said that it is not spam, of messages"},
    {"people", "recipients of this message who complained of messages"},
    {"people", "recipients of this message who said that it is not spam, of messages"},
}};

// One envelope sender, one client, one subject, and what is made of them alone.
constexpr auto kSingles = std::to_array<PieceType>(
    {PieceType::kSubject, PieceType::kExactSubject, PieceType::kSender, PieceType::kSenderDomain,
     PieceType::kFromDomain, PieceType::kFrom, PieceType::kClient, PieceType::kClientNetwork,
     PieceType::kHelo, PieceType::kClientDomain, PieceType::kUser, PieceType::kUniqueRecipients,
     PieceType::kClientSender, PieceType::kUniqueSenders, PieceType::kFromNetwork,
     PieceType::kUniqueNetworks, PieceType::kUniqueUserRecipients, PieceType::kUserCountry,
     PieceType::kUniqueCountries});

}  // namespace

const std::vector<CounterFeature>& counter_features() {
  static const std::vector<CounterFeature> all = [] {
    std::vector<CounterFeature> out;
    for (const PieceTypeRow& row : piece_types()) {
      if (!is_of_mail(row)) continue;
      const std::size_t measures =
          row.kind == PieceTypeRow::Kind::kUnique ? 1 : kMeasures + kSaidMeasures;
      for (std::size_t i = 0; i < measures; ++i) out.push_back({row.type, static_cast<Measure>(i)});
    }
    return out;
  }();
  return all;
}

std::optional<CounterFeature> find_counter_feature(std::string_view counter,
                                                   std::string_view measure) {
  for (const UniqueRow& row : kUniques) {
    if (row.counter == counter && row.measure == measure) return CounterFeature{row.type, kMass};
  }
  const PieceTypeRow* const row = find_piece_type(counter);
  const auto known = storage::counters::find_measure(measure);
  if (row == nullptr || !known || row->kind == PieceTypeRow::Kind::kUnique || !is_of_mail(*row))
    return std::nullopt;
  return CounterFeature{row->type, *known};
}

std::string_view counter_name(const CounterFeature& feature) {
  const UniqueRow* const unique = unique_row(feature.type);
  return unique != nullptr ? unique->counter : to_string(feature.type);
}

std::string_view measure_name(const CounterFeature& feature) {
  const UniqueRow* const unique = unique_row(feature.type);
  return unique != nullptr ? unique->measure : storage::counters::to_string(feature.measure);
}

std::string to_string(const CounterFeature& feature) {
  return fmt::format("{}.{}", counter_name(feature), measure_name(feature));
}

std::string_view unit_of(const CounterFeature& feature) {
  if (const UniqueRow* const unique = unique_row(feature.type)) {
    return unique->measure.substr(unique->measure.find('_') + 1);
  }
  return kMeasureRows[static_cast<std::size_t>(feature.measure)].unit;
}

std::string help_of(const CounterFeature& feature) {
  const std::string_view meaning = row_of(feature.type).meaning;
  if (unique_row(feature.type) != nullptr) return std::string(meaning);
  return fmt::format("{} with the same: {}",
                     kMeasureRows[static_cast<std::size_t>(feature.measure)].help, meaning);
}

const std::vector<std::string>& counter_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const CounterFeature& feature : counter_features()) {
      const std::string name(counter_name(feature));
      if (std::ranges::find(out, name) == out.end()) out.push_back(name);
    }
    return out;
  }();
  return names;
}

std::vector<std::string> measure_names(std::string_view counter) {
  std::vector<std::string> names;
  for (const CounterFeature& feature : counter_features()) {
    if (counter_name(feature) == counter) names.emplace_back(measure_name(feature));
  }
  return names;
}

std::optional<Measure> whole_of(const CounterFeature& feature) {
  switch (feature.measure) {
    case kSpam:
    case kHam:
    case kComplaint:
    case kFailed:
      return kMass;
    case kRescue:
      return kSpam;
    case kOwnComplaint:
    case kOwnRescue:
      return kRecipients;
    case kMass:
    case kRecipients:
    case kBytes:
    case kComplainers:
    case kRescuers:
      break;
  }
  return std::nullopt;
}

bool has_several(PieceType type) { return std::ranges::find(kSingles, type) == kSingles.end(); }

}  // namespace shingled::milter::policy
