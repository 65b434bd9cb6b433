#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "milter/reports/support.h"

namespace shingled::milter::reports {

/// What the reports of a case do to the next message with its hashes.
enum class CaseEffect : std::uint8_t { kNoted, kMarked, kRejected, kClosed };

std::string_view to_string(CaseEffect effect);  ///< "noted" "marked" "rejected" "closed"

/// What people say of a hash and its case, and what it takes.
struct CaseFigures {
  CaseEffect effect = CaseEffect::kNoted;
  Sides sides;
  /// How many residents have to say spam until it is marked, and until it is rejected, while
  /// nobody else says wanted; nullopt = never.
  std::optional<std::uint64_t> marked_at;
  std::optional<std::uint64_t> rejected_at;
};

/// The figures of a hash on a list of spam. Pure.
CaseFigures figures_of(const storage::sqlite::ReportedHash& hash,
                       std::span<const storage::sqlite::Supporter> people,
                       const ReportPolicy& policy);

/// In words for whoever reported: "2 people say spam: marked from now on; rejected when 5 do".
/// Pure.
std::string to_text(const CaseFigures& figures);

}  // namespace shingled::milter::reports
