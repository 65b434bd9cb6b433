#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace shingled {

/// What one kind of report does to the hashes of a message.
struct ReportEffect {
  std::string flag;         ///< a list of the rule, by name or number
  std::int32_t weight = 0;  ///< of one reporter

  friend bool operator==(const ReportEffect&, const ReportEffect&) = default;
};

/// Section `reports`: what people say of their mail (`shingled report`).
struct ReportOptions {
  bool enabled = true;  ///< whether the daemon takes reports
  /// Who reported what. Made with the first report.
  std::string file = "/var/lib/shingled/reports.db";
  ReportEffect spam{"denied", 1};   ///< weight 0 to 1000; 0 = nothing is taught
  ReportEffect ham{"denied", -1};   ///< weight -1000 to 0; 0 = nothing is taken back
  std::string ham_also;             ///< a list that wanted mail is put on; empty = none
  std::uint32_t reporters_min = 2;  ///< different reporters before a hash is taught, 1 to 1000
  std::vector<std::string> trusted_reporters;  ///< mailboxes whose reports count at once
  std::uint32_t trusted_weight = 2;  ///< as how many people each of them counts, 1 to 1000
  std::string domain;   ///< of reporters' names without one; empty = that of this machine
  std::string aliases;  ///< file that says which addresses are one mailbox; empty = none
  std::chrono::seconds keep{60 * 24 *
                            3600};        ///< reports are forgotten after this time, 1d to 3650d
  std::uint64_t bytes_max = 16UL << 20U;  ///< of a reported message, 4K to 256M

  friend bool operator==(const ReportOptions&, const ReportOptions&) = default;
};

}  // namespace shingled
