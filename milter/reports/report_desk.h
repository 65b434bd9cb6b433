#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/byte_reader.h"
#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/metrics/counter_table.h"
#include "config/metrics/instruments.h"
#include "config/metrics/metric_report.h"
#include "config/options/settings.h"
#include "milter/reports/case_figures.h"
#include "milter/reports/kept_message.h"
#include "milter/reports/mailbox_names.h"
#include "milter/reports/reported_message.h"
#include "milter/reports/support.h"
#include "milter/reports/teaching.h"
#include "storage/counters/counter_store.h"
#include "storage/model/fuzzy_store.h"
#include "storage/people/people_store.h"
#include "storage/sqlite/reports/report_table.h"

namespace shingled::milter::reports {

using storage::sqlite::ReportKind;

/// What was reported since the start. A new number needs a field and a line in `table`.
struct ReportEvents {
  EventCount spam;
  EventCount ham;
  EventCount repeated;
  EventCount turned;
  EventCount refused;
  EventCount failures;
  EventCount hashes;

  static constexpr auto table() {
    using Counters = ReportEvents;
    return std::to_array<CounterLine<Counters, EventCount>>({
        {&Counters::spam,
         {"shingled_reports_received", "Reports that were accepted, repeated ones included."},
         {},
         {"kind", "spam"}},
        {&Counters::ham,
         {"shingled_reports_received", "Reports that were accepted, repeated ones included."},
         {},
         {"kind", "ham"}},
        {&Counters::repeated,
         {"shingled_reports_repeated", "Reports that said what the same person had said before."}},
        {&Counters::turned,
         {"shingled_reports_turned", "Reports that took back one of the same person."}},
        {&Counters::refused,
         {"shingled_reports_refused",
          "Reports that were refused: not a mail, not a reporter, too many of one person."}},
        {&Counters::failures,
         {"shingled_reports_failures", "Reports that could not be stored, taught or counted."}},
        {&Counters::hashes,
         {"shingled_reports_hashes_changed", "Hashes whose weight reports have changed."}},
    });
  }
};
static_assert(kHasWholeTable<ReportEvents>);

struct Report {
  ReportKind kind = ReportKind::kSpam;
  std::string_view reporter;
  std::string_view message;           ///< raw RFC 5322
  const KeptMessage* kept = nullptr;  ///< instead of it: what the history kept of the message
};

/// What became of a report.
struct ReportReceipt {
  storage::sqlite::ReportOutcome::What what = storage::sqlite::ReportOutcome::What::kNew;
  std::uint64_t hashes = 0;   ///< of the message
  std::uint64_t changed = 0;  ///< whose weight in the storage changed
  bool counted = false;       ///< as complaint or rescue, now or before
  std::string not_taught;     ///< why it has no hashes to teach; else empty
  /// Of the hash about which most is said; nullopt if there is none on the list of spam.
  std::optional<CaseFigures> figures = {};
};

/// A reporter as people see it.
struct KnownReporter {
  storage::sqlite::ReporterRow row;
  Standing standing = Standing::kNewcomer;
  std::string name;  ///< of a trusted one; else empty
};

/// Somebody who said something of a case.
struct CasePerson {
  storage::sqlite::Supporter word;
  Standing standing = Standing::kNewcomer;
  std::string name;  ///< if the settings or the file of aliases know it; else empty
};

/// A case as people see it.
struct KnownCase {
  std::string id;  ///< the first digits of its oldest digest
  CaseEffect effect = CaseEffect::kNoted;
  storage::sqlite::CaseRow row;
  std::vector<std::string> lists;  ///< of its hashes, by name or number
  std::vector<CasePerson> people;
  Sides sides;
};

/// Whether a report can be taken at all, whoever has the history and the storage.
/// Errors:  kInvalid (not a mail, not a reporter).
/// Threads: stateless.
Status check_report(const Report& report);

/// What other daemons have to know of the reports here.
struct ReportChanges {
  std::uint64_t site = 0;  ///< site_id(): with another one the names mean nothing there
  storage::sqlite::ChangePage page;
};

/// Called for each report that is new, turned or was not finished before: the name of the
/// Message-ID (counters::history_id) and what the message is by majority_of() all who reported
/// it. A report is acknowledged after it: what it keeps should be on the disk by then. Must not
/// throw.
using LabelSink = std::function<void(std::uint64_t message, std::optional<ReportKind> label)>;

/// Takes the reports of people: stores them, teaches the storage, counts complaints and rescues.
///
/// A report is accepted when all of this is on the disk. What fails midway is done when the report
/// comes again; weights before the next report, whoever sends it.
///
/// What is exact: one person, that is one mailbox (mailbox_names.h), counts once for a message,
/// whatever comes from it; the last report stands.
/// After a report was turned, the weights of the hashes are what they would be if the first one had
/// never been, as far as the reputation of the others is the same. Counters only grow: a complaint
/// stays and is answered by a rescue. A crash between counters and reports.db counts one message
/// again. Reports older than `keep` are forgotten, but not within a day after the clock jumped
/// ahead: it may be wrong. A crash between storage and reports.db changes nothing, unless somebody
/// else taught the same hash in between.
///
/// Of newcomers nothing gets a message rejected (support.h).
///
/// What one message gives the counters is bounded: of newcomers (support.h) at most
/// `newcomers_max` count as complaint or rescue of a message, and as reporters of a hash.
///
/// Undo lasts: of a hash that somebody else took out of the storage, which is seen with its next
/// report, everything that was said before is withdrawn. What somebody trusted calls wanted is
/// closed: reports of others change nothing until somebody trusted says spam.
///
/// The file is opened with the first report, so that nobody's mail depends on it.
/// Does not: prove who the reporter is, which the caller must do; keep the text or the addresses of
/// a message, only ids, hashes and counts; move or delete mail.
///
/// Threads: any; one report or decision at a time. While it waits for the storage, for counters or
///          for what people said, new settings and questions do not wait for it. `close` ends its
///          wait for the storage, and waits for the others: one deadline of 3 s at most.
class ReportDesk {
 public:
  struct Setup {
    storage::FuzzyStore* store = nullptr;  ///< null: nothing is taught
    /// Null results: counters are off.
    std::function<std::shared_ptr<storage::counters::CounterStore>()> counters;
    std::function<std::shared_ptr<storage::people::PeopleStore>()> people;
    std::function<std::optional<CounterKeyBytes>()> site;
    LabelSink label;
    Teacher::Patience patience = {};
  };

  /// `clock`, `random` and `logger` must outlive it.
  ReportDesk(const Clock& clock, Random& random, Logger& logger)
      : clock_(clock), random_(random), logger_(logger), state_(logger) {}

  /// Call it before the first report.
  void connect(Setup setup) { setup_ = std::move(setup); }
  /// New settings; the file does not change any more once it is open.
  void use(std::shared_ptr<const Settings> settings);
  /// Ends the taking of reports and closes the file.
  void close();

  /// Errors:  kInvalid (not a mail, not a reporter), kDenied (reports.enabled: no), kLimit (too many
  ///          of this person; later ones are taken), kUnavailable (also before `use` and after
  ///          `close`) and kCorrupt (file, storage, counters; full disk), kTimeout. Then the report
  ///          may come again.
  Result<ReportReceipt> take(const Report& report);
  /// Reads what a history of this site kept of a message, for Report::kept.
  /// Errors: those of decode_kept(); kDenied, kUnavailable as `take`.
  Result<KeptMessage> read_kept(BytesView bytes);
  /// At most `most`, those with most reports first.
  Result<std::vector<KnownReporter>> reporters(std::size_t most);

  /// Withdraws the reports of these hashes and what matches them, on one list or on all (0).
  /// What they taught is taken off the storage. Nothing happens where nobody ever reported.
  /// Returns how many people's reports there were of them.
  Result<std::uint64_t> withdraw(std::span<const Digest> digests, std::uint32_t flag);
  /// Cases with a report since `since` (Unix seconds), the newest first, at most `most`. `names`:
  /// with the names of people, as far as they are known.
  Result<std::vector<KnownCase>> cases(std::int64_t since, std::size_t most, bool names);
  /// The case of a name (KnownCase::id or more digits of the digest of any hash of it).
  /// Errors: also kNotFound, and kInvalid: it names several, or none can be named so.
  Result<KnownCase> find_case(std::string_view id, bool names);
  /// Closes a case, or opens it again, as somebody trusted may.
  /// Errors: as `find_case`.
  Result<KnownCase> rule_case(std::string_view id, storage::sqlite::Ruling ruling);

  /// What reports changed since `cursor` (change_feed.h).
  /// Errors: kInvalid (not a cursor), those of `take`.
  Result<ReportChanges> changes(std::string_view cursor, std::size_t most);

  void report(MetricReport& report) const;

 private:
  struct Open;
  struct State {
    explicit State(Logger& logger) : names(logger) {}

    MailboxNames names;
    std::shared_ptr<const Settings> settings = nullptr;
    std::shared_ptr<Open> open = nullptr;
  };

  Result<ReportReceipt> take_now(State& state, const Report& report);
  /// What the report is about.
  static ReportedMessage message_of(const State& state, const Report& report);
  /// After the rate of the person.
  Result<ReportReceipt> take_from(State& state, const Report& report, std::uint64_t reporter);
  /// Errors: kLimit.
  Status check_rate(State& state, std::uint64_t reporter);
  /// Opens the file, and makes it if there is none.
  Status open(State& state);
  /// For what asks about reports: true if there are some, so that no file is made.
  Result<bool> open_if_there(State& state);
  /// For questions: `open_if_there`, with `make_ready` if no report is being taken.
  Result<bool> open_to_look(State& state, bool is_idle);
  /// Errors: kNotFound; kInvalid (several).
  Result<KnownCase> find_case(State& state, std::string_view id, bool names);
  Result<KnownCase> rule_found(State& state, const KnownCase& found,
                               storage::sqlite::Ruling ruling);
  Status make_ready(State& state);
  /// Tells what the storage has of the hashes, each when it is asked for first.
  storage::sqlite::Weigh weigher(const ReportPolicy& policy);
  Status teach(Open& open, std::span<const storage::sqlite::HashChange> changes);
  /// Files that wanted mail carries are neither taught nor complained of (wanted_mail.h).
  void leave_out_wanted_files(const Open& open, ReportedMessage& message);
  /// Before each step that waits.
  /// Errors: kUnavailable (the desk is being closed).
  [[nodiscard]] Status check_open() const;
  /// nullopt: as it was known before.
  std::optional<bool> residence(State& state, const std::string& mailbox);
  Result<std::optional<CaseFigures>> figures(Open& open, std::uint64_t message,
                                             std::uint64_t reporter, const ReportPolicy& policy);
  [[nodiscard]] KnownCase known_case(const State& state, storage::sqlite::CaseRow row,
                                     const std::map<std::uint64_t, std::string>& names) const;
  [[nodiscard]] static std::map<std::uint64_t, std::string> known_names(const State& state,
                                                                        bool wanted);
  /// Reads again who a name means, if that may have changed.
  void refresh_names(State& state);
  /// The id of a mailbox among the reports. Reports under the id that versions before it gave a
  /// reporter become those of the mailbox.
  Result<std::uint64_t> known_reporter_id(State& state, std::string_view reporter);
  /// Tells what a message is now by all who reported it, here and to other daemons.
  Status tell_label(Open& open, const ReportedMessage& message, const ReportPolicy& policy);
  /// What follows from a report that is in the table: weights, label, counters.
  Result<ReportReceipt> finish(State& state, const Report& report, const ReportedMessage& message,
                               const storage::sqlite::ReportOutcome& outcome,
                               const ReportPolicy& policy);
  Result<CounterKeyBytes> site_key(const Settings& settings);
  /// Teaches what a crash or a failure has left over.
  Status teach_rest(Open& open);
  Status forget_old(const State& state);
  /// Adds to the counters what they do not have yet of a report.
  /// Returns false where there are none.
  Result<bool> count(const Open& open, const Report& report, const ReportedMessage& message,
                     const storage::sqlite::ReportOutcome& outcome, const ReportPolicy& policy);
  /// Keeps what the person says, for rules on people.
  Status say(const Report& report, const ReportedMessage& message,
             const storage::sqlite::ReporterRow& reporter, const ReportPolicy& policy);
  /// Takes back what people said by these reports.
  Status unsay(std::span<const storage::sqlite::ReportName> reports);
  Status count_reporter(const Open& open, std::uint64_t self, const ReportedMessage& message,
                        storage::counters::CounterStore& store, TimePoint deadline,
                        const ReportPolicy& policy);
  [[nodiscard]] ReportPolicy report_policy(const State& state) const;
  [[nodiscard]] static std::set<std::uint64_t> trusted_names(const State& state);
  [[nodiscard]] std::uint32_t now() const;

  const Clock& clock_;
  Random& random_;
  Logger& logger_;
  Setup setup_;
  ReportEvents events_;
  Histogram time_{kLatencyShape};
  std::atomic<bool> is_closing_{false};
  Mutex turn_;   ///< of one report or decision from beginning to end; taken before `mutex_`
  Mutex mutex_;  ///< not held while something waits, see Unlocked (report_desk_open.h)
  State state_ SHINGLED_GUARDED_BY(mutex_);
};

}  // namespace shingled::milter::reports
