#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/options/report_options.h"

namespace shingled::milter::reports {

/// A name of a person in the settings that has no domain.
struct BareName {
  std::string key;   ///< of the settings: "reports.trusted_reporters[0]"
  std::string name;  ///< "postmaster"; of a file of aliases the first one
  friend bool operator==(const BareName&, const BareName&) = default;
};

/// Names without a domain where nobody knows which one is meant: `reports.domain` is empty, and
/// what this machine says (mail_domain_of_machine) is the name of a host, not a domain of mail.
/// They are mailboxes such as `ann@mail`, at which no mail comes and whose owner nobody is.
///
/// `aliases`: the text of `reports.aliases`, at most one name of which is given. Pure.
std::vector<BareName> bare_names(const ReportOptions& options, std::string_view machine_domain,
                                 std::string_view aliases);

/// What is wrong with such a name, in words, and what to do.
std::string why_bare(const BareName& bare, std::string_view machine_domain);

}  // namespace shingled::milter::reports
