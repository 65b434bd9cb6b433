#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/settings.h"
#include "milter/judge/message/message_view.h"
#include "mime/fingerprint/piece_shingle.h"
#include "mime/model/mail.h"
#include "mime/pieces/piece_list.h"
#include "storage/counters/addition.h"
#include "storage/counters/counter.h"
#include "storage/sqlite/reports/report_table.h"

namespace shingled::milter::reports {

/// The name of a message among the reports: a hash under the site's key of its Message-ID and its
/// body, or without a Message-ID of all its bytes. The sender chooses the Message-ID, and a
/// campaign may use one for many texts. Line breaks of each form are equal, and blank lines at the
/// end do not count: mail programs differ in them. `message_id`: without blanks around it; empty =
/// none.
/// Threads: stateless.
/// Cost:    a copy of the body.
std::uint64_t reported_id(const CounterKeyBytes& site, std::string_view message_id,
                          std::string_view body, std::string_view bytes);

/// The name of a reporter: a hash under the site's key of the mailbox (mailbox_names.h); ASCII
/// letters in lower case.
std::uint64_t reporter_id(const CounterKeyBytes& site, std::string_view mailbox);

/// A number that is another one for each key of a site. It is the name of no reporter.
std::uint64_t site_id(const CounterKeyBytes& site);

/// Whether a name may be that of a reporter: 1 to 256 bytes without control bytes.
bool is_reporter(std::string_view name);
inline constexpr std::size_t kReporterBytesMax = 256;

/// A rule that reports teach: with the storage of this daemon, not read_only, with the lists that
/// `reports` names.
struct TaughtRule {
  std::size_t place = 0;  ///< of its hashes, in the plan
  /// The lists, without the fingerprint.
  std::vector<storage::sqlite::ReportedHash> lists;
};

/// The rules of some settings, maybe none, with the hashes that they need in `plan`, before
/// ViewPlan::add_counted().
std::vector<TaughtRule> taught_rules(const Settings& settings, judge::ViewPlan& plan);

/// How reported messages are read, and what they teach. Made once for some settings.
struct TaughtRules {
  judge::ViewPlan plan;  ///< it counts
  std::vector<TaughtRule> rules;
};
TaughtRules taught_rules(const Settings& settings);

/// What a report needs of a message: no text of it, no address. It is made of the message
/// (read_reported), or of what the history kept of it (kept_message.h), with the same effect.
/// Threads: a value.
struct ReportedMessage {
  std::uint64_t name = 0;        ///< reported_id()
  std::uint64_t history_id = 0;  ///< counters::history_id()
  storage::counters::Direction direction = storage::counters::Direction::kIn;
  /// Of its pieces, with its envelope as far as its header tells; sorted, each once.
  std::vector<storage::counters::Pair> keys;
  std::vector<storage::sqlite::ReportedHash> hashes;  ///< at most kReportedHashesMax
  std::set<Digest> files;  ///< those of the hashes that are checksums of files and images
  std::string not_taught;  ///< why it has no hashes: it looks like many others; else empty
  friend bool operator==(const ReportedMessage&, const ReportedMessage&) = default;
};
/// Texts come first, then the largest files: one message may have thousands of parts, and each hash
/// is kept for `reports.keep`.
inline constexpr std::size_t kReportedHashesMax = 64;

/// The keys of pieces as they stand in a ReportedMessage: sorted, each once.
std::vector<storage::counters::Pair> reported_keys(std::vector<storage::counters::Pair> keys);

/// A message that was taken apart. What it only quotes, forwards or returns is neither taught nor
/// counted. `fields`: its header, as a mailbox has it. `view`: with hashes, by a plan with those of
/// the rules. `keys`: of its pieces (counters::keys_of). `direction`: out, if a logged-in user sent
/// it.
/// Errors:  none; see why_no_message() before.
/// Threads: stateless.
ReportedMessage reported_message(const judge::MessageView& view,
                                 std::span<const mime::HeaderField> fields,
                                 std::vector<storage::counters::Pair> keys,
                                 storage::counters::Direction direction,
                                 const CounterKeyBytes& site, std::span<const TaughtRule> rules);

/// Reads a delivered message.
/// Errors:  none; see why_no_message() before.
/// Threads: stateless.
/// Cost:    as a scan.
ReportedMessage read_reported(std::string_view bytes, const CounterKeyBytes& site,
                              const TaughtRules& taught);

}  // namespace shingled::milter::reports
