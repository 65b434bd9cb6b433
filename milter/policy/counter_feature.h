#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mime/fingerprint/piece_type.h"
#include "storage/counters/counter.h"

namespace shingled::milter::policy {

using storage::counters::Measure;

/// A measure of a type of counters: `link_domain.complaint`. With a window it is a feature.
///
/// A unique type has one number, and its name is that of what it counts: `sender.unique_recipients`
/// is the mass of the type `unique_recipients`.
struct CounterFeature {
  PieceType type{};
  Measure measure = Measure::kMass;
  friend auto operator<=>(const CounterFeature&, const CounterFeature&) = default;
};

/// All that a message can have, in the order of types and measures. Counters of reports have none:
/// a message comes without a reporter.
/// Threads: constant.
const std::vector<CounterFeature>& counter_features();

/// nullopt if the counter, or the measure of that counter, does not exist.
std::optional<CounterFeature> find_counter_feature(std::string_view counter,
                                                   std::string_view measure);

std::string_view counter_name(const CounterFeature& feature);  ///< "link_domain"
std::string_view measure_name(const CounterFeature& feature);  ///< "complaint"
std::string to_string(const CounterFeature& feature);          ///< "link_domain.complaint"
std::string_view unit_of(const CounterFeature& feature);       ///< "messages"
std::string help_of(const CounterFeature& feature);            ///< one line, without a full stop

/// Names before the dot, each once.
const std::vector<std::string>& counter_names();
/// Names after the dot; empty if there is no such counter.
std::vector<std::string> measure_names(std::string_view counter);

/// The measure that `measure` is a share of: spam, ham, complaint and failed of mass, rescue of
/// spam, own_complaint and own_rescue of the recipients of the message; nullopt for others, and for
/// counts of unique pieces.
std::optional<Measure> whole_of(const CounterFeature& feature);

/// Whether one message can have several pieces of this type, such as links.
bool has_several(PieceType type);

}  // namespace shingled::milter::policy
