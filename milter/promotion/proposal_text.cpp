#include "milter/promotion/proposal_text.h"

#include <fmt/format.h>

#include "milter/promotion/decide.h"

namespace shingled::milter::promotion {

std::string accepting(const PolicyOptions& policy, std::string_view rule) {
  std::string out = "policy.live: [";
  for (const std::string& name : policy.live) out += name + ", ";
  return out.append(rule) + "]";
}

std::string why_returned(const config::RuleFigures& figures, std::uint64_t unreported) {
  if (figures.stopped > 0) return fmt::format("{} stopped that nobody reported", figures.stopped);
  const bool turned = has_turned(figures, unreported);
  if (turned && figures.rescued < kRescuedTurned && figures.correspondents < kCorrespondentsTurned)
    return fmt::format("{:.2f} % of the mail that nobody reported",
                       unreported_share(figures, unreported));
  return why_not(figures, unreported);
}

}  // namespace shingled::milter::promotion
