#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/options/report_options.h"
#include "config/system/whole_file.h"
#include "milter/reports/alias_table.h"
#include "mime/fingerprint/piece_shingle.h"

namespace shingled::milter::reports {

/// Who a reporter is: a mailbox has one name, however a program writes it. IMAP says `u05`, mail
/// says `u05@example.org`, `U05+news@Example.ORG` or another address of the same person; all of
/// them are one, as a person counts once.
/// Threads: one thread at a time.
class MailboxNames {
 public:
  static constexpr std::size_t kFileBytesMax = 64UL * 1024 * 1024;

  static constexpr std::size_t kAliasesMax = 16;

  explicit MailboxNames(Logger& logger) : logger_(logger) {}

  /// The settings `reports.domain` and `reports.aliases`. An empty domain is that of this machine,
  /// an empty path is no file. Reads the file again if it has changed. One that cannot be read
  /// leaves the aliases that were known, and is logged once: better one person counts twice than
  /// that nobody's report counts.
  /// Returns whether a name may mean another mailbox than before.
  bool refresh(std::string_view domain, const std::string& aliases);

  /// The mailbox that a reporter's name means; the name in lower case if it is not an address.
  /// Angle brackets, quotes, blanks around it, case, `+tag` and the marks of mail programs do not
  /// count.
  [[nodiscard]] std::string mailbox_of(std::string_view reporter) const;
  /// The addresses at which mail comes to a mailbox: itself, and kAliasesMax other names.
  [[nodiscard]] std::vector<std::string> addresses_of(const std::string& mailbox) const;
  /// The mailboxes that the file of aliases names, some twice.
  [[nodiscard]] std::vector<std::string> listed() const { return aliases_.targets(); }

 private:
  void read(const std::string& path);

  Logger& logger_;
  std::string wanted_domain_;
  std::string domain_;  ///< in the form of DNS
  std::string path_;
  FileStamp stamp_;
  AliasTable aliases_;
  bool fresh_ = true;  ///< not refreshed yet
};

/// The domain to which names without one belong on this machine: the content of /etc/mailname,
/// where Debian keeps it, else what follows the first dot of the host's name, or without a dot all
/// of it: `ann` gets the mail of ann@HOST there.
/// Threads: any thread.
/// Cost:    reads a file; asks no name server.
std::string mail_domain_of_machine();

/// Says who is meant by the recipient of a message, by the names that reports have.
/// Threads: any.
class PersonNames {
 public:
  /// A file of aliases is looked at so often.
  static constexpr std::chrono::seconds kLookPause{10};

  /// Both must outlive it.
  PersonNames(const Clock& clock, Logger& logger) : clock_(clock), state_(std::in_place, logger) {}

  /// New settings. `site`: nullopt = nobody is known.
  void use(const ReportOptions& options, const std::optional<CounterKeyBytes>& site);
  /// reporter_id() of the mailbox; 0 if nobody is known. `address`: as in RCPT.
  [[nodiscard]] std::uint64_t person_of(std::string_view address);

 private:
  struct State {
    explicit State(Logger& logger) : names(logger) {}

    MailboxNames names;
    std::string domain;
    std::string aliases;
    std::optional<CounterKeyBytes> site;
    std::optional<TimePoint> looked;
  };

  const Clock& clock_;
  Guarded<State> state_;
};

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
