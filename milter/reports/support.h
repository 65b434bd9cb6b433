#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>

#include "config/options/report_options.h"
#include "storage/people/people_sums.h"
#include "storage/sqlite/report_table.h"

namespace shingled::milter::reports {

/// Reporters with whom others agreed on fewer messages are newcomers.
inline constexpr std::uint64_t kEstablishedAgreed = 3;
/// And those whose first report is not older.
inline constexpr std::int64_t kEstablishedSeconds = 24L * 3600;
/// Of the newcomers who report a hash or a message, however many they are, at most so many count.
inline constexpr std::int64_t kNewcomersMax = 3;

/// As how many people reporters count where people are counted.
storage::people::Weights weights_of(const ReportOptions& options);

/// Who decides what a report weighs.
struct Electorate {
  std::uint32_t reporters_min = 2;
  std::uint32_t trusted_weight = 1;  ///< as how many people a trusted one counts
  std::set<std::uint64_t> trusted;   ///< by name
  std::int64_t now = 0;              ///< Unix seconds
};

enum class Standing : std::uint8_t { kNewcomer, kEstablished, kTrusted };

/// How far others agree: (agreed + 1) / (agreed + disagreed + 2), between 0 and 1. A new reporter
/// has 0.5.
double reputation(const storage::sqlite::ReporterRow& reporter);

/// A newcomer becomes established when others agreed with him on kEstablishedAgreed messages, his
/// first report is older than kEstablishedSeconds and his reputation is above 0.5.
Standing standing_of(const storage::sqlite::ReporterRow& reporter, const Electorate& electorate);

/// As how many different reporters one counts, in thousandths: 2000 x reputation, at most 1000.
/// So a new reporter counts as one, and one whom others contradict as less. A trusted one counts as
/// `trusted_weight`, whoever contradicts.
std::int64_t voice_of(const storage::sqlite::ReporterRow& reporter, const Electorate& electorate);

/// The weight that reports give a hash on its list. A pure function.
///
/// The voices of each side are added up, those of newcomers up to kNewcomersMax. Spam counts if a
/// trusted reporter is among them, or if they are `reporters_min` or more; so does wanted mail on
/// a list that only wanted mail puts something on. Then the weight is `per_spam` for each whole
/// voice of spam and `per_ham` for each of wanted mail, and never below 0.
std::int32_t wanted_weight(const storage::sqlite::ReportedHash& hash,
                           std::span<const storage::sqlite::Supporter> supporters,
                           const Electorate& electorate);

/// What a message is by those who reported it: what more of the trusted ones say, and if these
/// are silent or divided, the side with more voices, those of newcomers up to kNewcomersMax.
/// nullopt at a tie. A pure function.
std::optional<storage::sqlite::ReportKind> majority_of(
    std::span<const storage::sqlite::Supporter> reporters, const Electorate& electorate);

/// How many of the supporters are newcomers.
std::int64_t newcomers_among(std::span<const storage::sqlite::Supporter> supporters,
                             const Electorate& electorate);

}  // namespace shingled::milter::reports
