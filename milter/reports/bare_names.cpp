#include "milter/reports/bare_names.h"

#include <fmt/format.h>

#include <optional>

#include "milter/reports/alias_table.h"

namespace shingled::milter::reports {

namespace {

bool is_bare(std::string_view name) { return name.find('@') == std::string_view::npos; }

}  // namespace

std::vector<BareName> bare_names(const ReportOptions& options, std::string_view machine_domain,
                                 std::string_view aliases) {
  std::vector<BareName> out;
  if (!options.domain.empty() || machine_domain.find('.') != std::string_view::npos) return out;
  for (std::size_t i = 0; i < options.trusted_reporters.size(); ++i) {
    const std::string& name = options.trusted_reporters[i];
    if (is_bare(name)) out.push_back({fmt::format("reports.trusted_reporters[{}]", i), name});
  }
  std::optional<AliasTable::Mistake> mistake;
  for (const std::string& mailbox : AliasTable::parse(aliases, "", mistake).targets()) {
    if (!is_bare(mailbox)) continue;
    out.push_back({"reports.aliases", mailbox});
    break;
  }
  return out;
}

std::string why_bare(const BareName& bare, std::string_view machine_domain) {
  const std::string mailbox =
      machine_domain.empty()
          ? "and this machine does not know its domain"
          : fmt::format("so it is {}@{}, at which no mail comes", bare.name, machine_domain);
  return fmt::format(
      "'{}' has no domain, {}; set reports.domain to the domain of the mailboxes, or write the "
      "whole address",
      bare.name, mailbox);
}

}  // namespace shingled::milter::reports
