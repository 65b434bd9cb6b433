#include "milter/reports/support.h"

#include <algorithm>

namespace shingled::milter::reports {

using storage::sqlite::ReporterRow;
using storage::sqlite::ReportKind;
using storage::sqlite::Supporter;

namespace {

constexpr std::int64_t kOneVoice = 1000;
constexpr std::int64_t kWeightMost = 1'000'000;

/// The voices of one side, in thousandths.
struct Voices {
  std::int64_t established = 0;
  std::int64_t newcomers = 0;
  std::int64_t trusted = 0;  ///< how many of the established ones are

  [[nodiscard]] std::int64_t sum() const {
    return established + std::min(newcomers, kNewcomersMax * kOneVoice);
  }
  [[nodiscard]] bool suffices(std::uint32_t reporters_min) const {
    return trusted > 0 || sum() >= std::int64_t{reporters_min} * kOneVoice;
  }
  [[nodiscard]] std::int64_t whole() const { return sum() / kOneVoice; }
};

struct Sides {
  Voices spam;
  Voices ham;
};

Sides sides_of(std::span<const Supporter> supporters, const Electorate& electorate) {
  Sides out;
  for (const Supporter& supporter : supporters) {
    Voices& side = supporter.kind == ReportKind::kSpam ? out.spam : out.ham;
    const Standing standing = standing_of(supporter.reporter, electorate);
    const std::int64_t voice = voice_of(supporter.reporter, electorate);
    (standing == Standing::kNewcomer ? side.newcomers : side.established) += voice;
    side.trusted += standing == Standing::kTrusted ? 1 : 0;
  }
  return out;
}

}  // namespace

storage::people::Weights weights_of(const ReportOptions& options) {
  return {.trusted = options.trusted_weight,
          .newcomers_max = static_cast<std::uint32_t>(kNewcomersMax)};
}

double reputation(const ReporterRow& reporter) {
  return (static_cast<double>(reporter.agreed) + 1) /
         (static_cast<double>(reporter.agreed) + static_cast<double>(reporter.disagreed) + 2);
}

Standing standing_of(const ReporterRow& reporter, const Electorate& electorate) {
  if (electorate.trusted.contains(reporter.name)) return Standing::kTrusted;
  const bool known = reporter.agreed >= kEstablishedAgreed &&
                     reporter.agreed > reporter.disagreed &&
                     electorate.now - reporter.first > kEstablishedSeconds;
  return known ? Standing::kEstablished : Standing::kNewcomer;
}

std::int64_t voice_of(const ReporterRow& reporter, const Electorate& electorate) {
  if (electorate.trusted.contains(reporter.name))
    return std::int64_t{electorate.trusted_weight} * kOneVoice;
  const auto voice = static_cast<std::int64_t>(2 * (reporter.agreed + 1) * kOneVoice /
                                               (reporter.agreed + reporter.disagreed + 2));
  return std::min(voice, kOneVoice);
}

std::int32_t wanted_weight(const storage::sqlite::ReportedHash& hash,
                           std::span<const Supporter> supporters, const Electorate& electorate) {
  const auto [spam, ham] = sides_of(supporters, electorate);
  std::int64_t weight = 0;
  if (spam.suffices(electorate.reporters_min)) weight += hash.per_spam * spam.whole();
  if (hash.per_spam > 0 || ham.suffices(electorate.reporters_min))
    weight += hash.per_ham * ham.whole();
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(weight, 0, kWeightMost));
}

std::optional<ReportKind> majority_of(std::span<const Supporter> reporters,
                                      const Electorate& electorate) {
  const auto [spam, ham] = sides_of(reporters, electorate);
  const auto more = [](std::int64_t of_spam, std::int64_t of_ham) -> std::optional<ReportKind> {
    if (of_spam == of_ham) return std::nullopt;
    return of_spam > of_ham ? ReportKind::kSpam : ReportKind::kHam;
  };
  const auto trusted = more(spam.trusted, ham.trusted);
  return trusted ? trusted : more(spam.sum(), ham.sum());
}

std::int64_t newcomers_among(std::span<const Supporter> supporters, const Electorate& electorate) {
  std::set<std::uint64_t> names;  // one may be there on both sides
  for (const Supporter& supporter : supporters) {
    if (standing_of(supporter.reporter, electorate) == Standing::kNewcomer)
      names.insert(supporter.reporter.name);
  }
  return static_cast<std::int64_t>(names.size());
}

}  // namespace shingled::milter::reports
