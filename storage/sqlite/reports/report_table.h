#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/sqlite/base/owned_file.h"
#include "storage/sqlite/reports/case_index.h"
#include "storage/sqlite/reports/change_feed.h"

namespace shingled::storage::sqlite {

enum class ReportKind : std::uint8_t { kHam = 0, kSpam = 1 };

constexpr std::string_view to_string(ReportKind kind) {
  return kind == ReportKind::kSpam ? "spam" : "ham";
}

/// A hash of a reported message, on one list.
struct ReportedHash {
  Fingerprint fingerprint;
  std::uint32_t flag = 0;
  std::int32_t per_spam = 0;  ///< weight on the list of one reporter of spam
  std::int32_t per_ham = 0;   ///< and of wanted mail
  bool closed = false;        ///< set by the table: somebody decided that its case is closed
  friend bool operator==(const ReportedHash&, const ReportedHash&) = default;
};

/// What a report decides about the cases of its hashes, beside counting.
enum class Ruling : std::uint8_t {
  kNone,
  kCloses,   ///< its hashes are closed
  kReopens,  ///< its hashes, and those that match them, are open again
};

/// One report. `message` and `reporter` are ids: keyed hashes.
struct ReportRow {
  std::uint64_t message = 0;
  std::uint64_t reporter = 0;
  ReportKind kind = ReportKind::kSpam;
  std::int64_t time = 0;  ///< Unix seconds
  std::vector<ReportedHash> hashes;
  std::optional<bool> resident = {};  ///< of the reporter; nullopt = as it was known before
  Ruling ruling = Ruling::kNone;
  /// Hashes (HashChange::id) that somebody else took out of the storage: what was reported of them
  /// before is withdrawn first.
  std::vector<std::int64_t> deleted = {};
};

/// A reporter, and how often others agreed: of the messages that it reported, those where
/// more others stand on its side than on the other one, and the reverse.
struct ReporterRow {
  std::uint64_t name = 0;
  std::uint64_t reports = 0;
  std::uint64_t agreed = 0;
  std::uint64_t disagreed = 0;
  std::int64_t first = 0;  ///< Unix seconds
  std::int64_t last = 0;
  bool resident = false;  ///< wanted mail came to the mailbox, when it reported last
};

/// A person who reported a hash of a case, with the last word on it. Each is there once.
struct Supporter {
  ReporterRow reporter;
  ReportKind kind = ReportKind::kSpam;
};

/// The weight that a hash should have from reports.
struct WantedWeight {
  std::int32_t wanted = 0;
  std::int32_t seen = 0;  ///< what the storage has of it now; kept for a start after a crash
};

/// Decides on a hash. Called within the transaction, with the people of its case.
using Weigh =
    std::function<Result<WantedWeight>(const ReportedHash& hash, std::span<const Supporter>)>;

/// A hash whose weight in the storage is not yet what it should be.
struct HashChange {
  std::int64_t id = 0;
  ReportedHash hash;
  std::int32_t taught = 0;  ///< by reports, up to now
  std::int32_t wanted = 0;
  std::int32_t seen = 0;
};

/// What the counters have of the reports of one person about one message.
struct CountedParts {
  bool whole = false;     ///< all of the report that stands
  bool pieces = false;    ///< only its pieces; not who reported
  bool opposite = false;  ///< something of the report that it replaced
  [[nodiscard]] bool any() const { return whole || pieces || opposite; }
};

struct ReportOutcome {
  enum class What : std::uint8_t {
    kNew,
    kSame,    ///< the same person said the same before
    kTurned,  ///< and now says the opposite
  };
  What what = What::kNew;
  CountedParts counted;
  std::uint64_t newcomers = 0;      ///< newcomers whose reports of the message were counted
  ReporterRow reporter;             ///< with this report
  std::vector<HashChange> changes;  ///< of the hashes of the message, and of those they match
};

constexpr std::string_view to_string(ReportOutcome::What what) {
  if (what == ReportOutcome::What::kSame) return "same";
  return what == ReportOutcome::What::kTurned ? "turned" : "new";
}

/// A report that was added to the counters.
struct CountedReport {
  std::uint64_t message = 0;
  std::uint64_t reporter = 0;
  bool whole = true;          ///< false: only its pieces
  bool new_newcomer = false;  ///< one more for ReportOutcome::newcomers
};

/// The report of one person of one message.
struct ReportName {
  std::uint64_t message = 0;
  std::uint64_t reporter = 0;
  friend auto operator<=>(const ReportName&, const ReportName&) = default;
};

/// What was withdrawn.
struct Withdrawal {
  std::uint64_t people = 0;         ///< who reported it
  std::vector<ReportName> reports;  ///< these, each once
  std::vector<HashChange> changes;  ///< what the storage has to forget
};

/// A case as people see it: hashes that match each other, directly or by others between them, and
/// other texts of the same messages.
struct CaseRow {
  Digest oldest;                        ///< its first hash, by which it is named
  std::vector<HashChange> hashes = {};  ///< with `closed` of their own; at most kCaseHashesMax
  std::vector<Supporter> people = {};   ///< each once, with the last word on any of them
  std::vector<ReportName> spam_reports = {};  ///< of any of them
  std::uint64_t messages = 0;
  std::int64_t last = 0;  ///< of its last report, Unix seconds
};

struct ReportStatements;  // report_statements.h

/// The reports of people (SCHEMA.md). A write that succeeded survives a power failure.
///
/// What the storage was taught follows from the reports that stand. The people of a hash are those
/// who reported it or a hash that it matches by the storage's own rule (case_index.h). A match is
/// not passed on: else somebody could lead, text by text, from one mail to quite another one. Each
/// report, new or turned, weighs its own hashes anew, those of the report that it replaces, and of
/// those that match them the kWeighedMax newest; where weights fall, all of them. Before `add`,
/// `withdraw`, `rule` and `forget_before`, nothing should be unfinished.
///
/// A closed hash stays in the table without reports, until it is open again.
///
/// One class in three files (reports, cases, upkeep): each write weighs the hashes of all three in
/// its own transaction, with the same statements.
///
/// Errors:  those of OwnedFile and Database; kCorrupt for a file that is not one of reports, and
///          for a row that cannot be; kInvalid for a file of a newer version; those of Weigh. After
///          an error nothing has changed. One process at a time can have it open.
/// Threads: one thread at a time.
class ReportTable {
 public:
  ~ReportTable();
  ReportTable(const ReportTable&) = delete;
  ReportTable& operator=(const ReportTable&) = delete;
  ReportTable(ReportTable&&) = delete;
  ReportTable& operator=(ReportTable&&) = delete;

  /// Opens or makes the file. `site` follows from the key under which names are hashed: a new file
  /// keeps it, and a file with another one is kCorrupt, as one person would count twice in it.
  static Result<std::unique_ptr<ReportTable>> open(const std::string& path, std::uint64_t site);

  /// Hashes that match those of a report and are weighed again with them. An older one was weighed
  /// with as many people, more than any setting asks for.
  static constexpr std::size_t kWeighedMax = 50;
  /// Hashes that fall or are withdrawn at once.
  static constexpr std::size_t kFallingMax = 1000;
  /// Hashes of a case that are shown or decided about.
  static constexpr std::size_t kCaseHashesMax = 20'000;

  /// Takes a report: one transaction. Of one person and message only the last report stands.
  /// Without `weigh` all weights stay. A hash that was taught and that the storage does not have
  /// any more is left alone.
  /// Cost: linear in the reporters of the case of each of its hashes.
  Result<ReportOutcome> add(const ReportRow& row, const Weigh& weigh);
  /// Withdraws the reports of these digests and what matches them, on one list, or on all (0).
  /// They stay reported: the same person who reports the same message again changes nothing.
  /// `weigh` is asked for `seen` alone; without it the storage keeps what it has.
  Result<Withdrawal> withdraw(std::span<const Digest> digests, std::uint32_t flag,
                              const Weigh& weigh);
  /// Closes or reopens these hashes.
  Result<std::vector<HashChange>> rule(std::span<const std::int64_t> hashes, Ruling ruling,
                                       const Weigh& weigh);
  /// The storage has the wanted weights now.
  Status finish(std::span<const HashChange> changes);
  /// Hashes whose weights were not marked as taught: a crash or a failure came between.
  Result<std::vector<HashChange>> unfinished();
  /// The counters have a report now, or its pieces.
  Status mark_counted(const CountedReport& report);

  /// What was reported under one name is that of another one from now on. Nothing happens if the
  /// first one is not known, or the second one is.
  /// Cost: two look-ups; to rename reads all reports once.
  Status rename_reporter(std::uint64_t from, std::uint64_t to);

  /// Gets each hash of the report that stands, with its supporters.
  using Look = std::function<void(const ReportedHash& hash, std::span<const Supporter>)>;
  Status each_hash(std::uint64_t message, std::uint64_t reporter, const Look& look);
  /// The hashes of the report that stands.
  Result<std::vector<ReportedHash>> hashes_of(std::uint64_t message, std::uint64_t reporter);
  /// Those of these hashes that are in the table.
  Result<std::vector<HashChange>> known(std::span<const ReportedHash> hashes);
  /// Who reported a message.
  Result<std::vector<Supporter>> reporters_of(std::uint64_t message);

  /// Cases with a report since `since` (Unix seconds), and all with closed hashes; the newest
  /// first, at most `most`.
  Result<std::vector<CaseRow>> cases(std::int64_t since, std::size_t most);
  /// The case of the hashes whose digests begin with these bits, written in hexadecimal; nullopt if
  /// there is none.
  /// Errors: also kInvalid: they are of several cases; not hexadecimal, or too short to name one.
  Result<std::optional<CaseRow>> find_case(std::string_view prefix);

  /// Removes messages with all their reports whose last report is before `time`, at most `most` of
  /// them. What was taught stays, and belongs to nobody: of hashes that others reported, too, only
  /// what `weigh` gives these others is still theirs (`seen` is ignored). Returns how many were
  /// removed.
  /// Cost: linear in the reporters of the case of each hash of these messages.
  Result<std::size_t> forget_before(std::int64_t time, std::size_t most, const Weigh& weigh);
  /// The time of the newest report; 0 without one.
  Result<std::int64_t> newest();

  /// What other daemons have to know. `add`, `withdraw` and `rule` note in it which cases are
  /// closed or open again, and which hashes are not taught any more.
  [[nodiscard]] ChangeFeed& changes() { return feed_; }

  /// All reporters, those with most reports first, at most `most`.
  Result<std::vector<ReporterRow>> reporters(std::size_t most);

  struct Counts {
    std::uint64_t messages = 0;
    std::uint64_t reporters = 0;
    std::uint64_t aside = 0;  ///< hashes that were not taught
  };
  Result<Counts> counts();

 private:
  ReportTable(OwnedFile file, std::unique_ptr<ReportStatements> statements, CaseIndex index,
              ChangeFeed feed);

  /// What one person said of a hash, and when in the order of reports.
  struct Word {
    Supporter supporter;
    std::int64_t turn = 0;
  };
  /// A hash by itself. Many cases have it, so each is read once.
  struct HashFacts {
    bool closed = false;
    std::vector<Word> words;
  };
  using Facts = std::map<std::int64_t, HashFacts>;
  /// What counts for a hash.
  struct CaseOfHash {
    std::vector<Supporter> people;
    bool closed = false;
  };
  struct Touched {
    std::vector<std::int64_t> own;       ///< hashes of the report
    std::vector<std::int64_t> replaced;  ///< of the report that it replaces

    [[nodiscard]] std::vector<std::int64_t> all() const;
  };
  Result<ReportOutcome::What> take(const ReportRow& row, std::int64_t& counted, Touched& touched);
  Status note_reporter(const ReportRow& row, bool is_new);
  Status settle(const ReportRow& row, std::optional<ReportKind> before, std::int64_t counted);
  Result<std::vector<std::int64_t>> links_of(std::uint64_t message, std::uint64_t reporter);
  Result<std::vector<std::int64_t>> link(const ReportRow& row);
  /// Closes or reopens. Returns whether something changed.
  Result<bool> decide(std::span<const std::int64_t> hashes, Ruling ruling);
  Status note_ruling(std::int64_t hash, Ruling ruling);
  /// These hashes and, bounded, what matches them.
  Result<std::vector<std::int64_t>> with_matching(std::vector<std::int64_t> hashes,
                                                  std::size_t most);
  /// Weighs these hashes, and what matches them as far as it has to be.
  Status weigh_all(std::vector<std::int64_t> own, const Weigh& weigh,
                   std::vector<HashChange>& changes);
  Status weigh_one(std::int64_t id, const Weigh& weigh, Facts& facts,
                   std::vector<HashChange>& changes);
  Status want(HashChange& change, const WantedWeight& weight, std::vector<HashChange>& changes);
  Status disown(std::int64_t hash, const Weigh& weigh, Facts& facts);
  /// Removes a hash without reports, unless it is closed; then nothing of it is taught any more.
  Status drop_hash(const HashChange& hash);
  Result<bool> has_links(std::int64_t hash);
  /// With `closed` of its own.
  Result<std::optional<HashChange>> find_hash(std::int64_t id);
  /// `facts`: of this state of the file.
  Result<CaseOfHash> case_of(std::int64_t hash, Facts& facts);
  Result<const HashFacts*> facts_of(std::int64_t hash, Facts& facts);
  Result<ReporterRow> reporter(std::uint64_t name);
  Result<std::vector<std::int64_t>> ids_of(Statement& statement);
  Result<CaseRow> case_around(std::int64_t hash, std::set<std::int64_t>& seen);

  OwnedFile file_;
  std::unique_ptr<ReportStatements> statements_;  ///< end before the database
  CaseIndex index_;
  ChangeFeed feed_;
};

}  // namespace shingled::storage::sqlite
