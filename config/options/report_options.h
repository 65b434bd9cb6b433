#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "config/options/ratelimit_options.h"

namespace shingled {

/// What one kind of report does to the hashes of a message.
struct ReportEffect {
  std::string flag;         ///< a list of the rule, by name or number
  std::int32_t weight = 0;  ///< of one reporter

  friend bool operator==(const ReportEffect&, const ReportEffect&) = default;
};

/// Whose word counts as that of a person.
enum class Residents : std::uint8_t {
  kAll,     ///< everybody who reports: the users are the site's own
  kEarned,  ///< mailboxes that get wanted mail here; all others are newcomers
};

/// Section `reports`: what people say of their mail (`shingled report`).
struct ReportOptions {
  bool enabled = true;  ///< whether the daemon takes reports
  /// Who reported what. Made with the first report.
  std::string file = "/var/lib/shingled/reports.db";
  ReportEffect spam{"denied", 1};   ///< weight 0 to 1000; 0 = nothing is taught
  ReportEffect ham{"denied", -1};   ///< weight -1000 to 0; 0 = nothing is taken back
  std::string ham_also;             ///< a list that wanted mail is put on; empty = none
  std::uint32_t reporters_min = 2;  ///< people who agree until it is marked, 1 to 1000
  std::uint32_t reject_people = 5;  ///< people who agree until it is rejected, 1 to 1000
  Residents residents = Residents::kEarned;
  std::uint32_t newcomers_max = 3;  ///< as how many people all newcomers of a case count, 0 to 1000
  std::vector<std::string> trusted_reporters;  ///< mailboxes whose reports count at once
  std::uint32_t trusted_weight = 2;  ///< as how many people each of them counts, 1 to 1000
  std::string domain;   ///< of reporters' names without one; empty = that of this machine
  std::string aliases;  ///< file that says which addresses are one mailbox; empty = none
  std::chrono::seconds keep{60 * 24 *
                            3600};  ///< reports are forgotten after this time, 1d to 3650d
  /// Reports of one person, but of a trusted one; burst 0 = no limit.
  BucketRate rate = {60, 60.0 / 3600};
  /// The daemon that keeps the reports of all and teaches; this one forwards what it gets. Empty:
  /// this one. A URL as in ClientOptions.
  std::string home;
  std::string home_key_file;  ///< the key of `shingled key add --role report` there; empty = none
  std::string home_ca_file;   ///< certificates to trust, PEM; empty = those of the system
  std::uint64_t bytes_max = 16UL << 20U;  ///< of a reported message, 4K to 256M

  friend bool operator==(const ReportOptions&, const ReportOptions&) = default;
};

}  // namespace shingled
