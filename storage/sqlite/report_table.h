#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/sqlite/owned_file.h"

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
};

/// One report. Names are keyed hashes.
struct ReportRow {
  std::uint64_t message = 0;
  std::uint64_t reporter = 0;
  ReportKind kind = ReportKind::kSpam;
  std::int64_t time = 0;  ///< Unix seconds
  std::vector<ReportedHash> hashes;
};

/// A reporter, and how often others agreed with him: of the messages that he reported, those where
/// more others stand on his side than on the other one, and the reverse.
struct ReporterRow {
  std::uint64_t name = 0;
  std::uint64_t reports = 0;
  std::uint64_t agreed = 0;
  std::uint64_t disagreed = 0;
  std::int64_t first = 0;  ///< Unix seconds
  std::int64_t last = 0;
};

/// A reporter of a hash. One who reported two messages with it in two ways is there twice.
struct Supporter {
  ReporterRow reporter;
  ReportKind kind = ReportKind::kSpam;
};

/// The weight that a hash should have from reports.
struct WantedWeight {
  std::int32_t wanted = 0;
  std::int32_t seen = 0;  ///< what the storage has of it now; kept for a start after a crash
};

/// Decides on a hash. Called within the transaction.
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
  std::vector<HashChange> changes;  ///< of the hashes of the message; kSame: none
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

struct ReportStatements;  // report_statements.h

/// The reports of people (SCHEMA.md). A write that succeeded survives a power failure.
///
/// What the storage was taught follows from the reports that stand: each report, new or turned,
/// weighs its own hashes anew, and those of the report that it replaces. Before `add` and
/// `forget_before`, nothing should be unfinished.
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

  /// Takes a report: one transaction. Of one person and message only the last report stands.
  /// Without `weigh` all weights stay.
  /// Cost: linear in the reporters of each of its hashes.
  Result<ReportOutcome> add(const ReportRow& row, const Weigh& weigh);
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
  /// Who reported a message.
  Result<std::vector<Supporter>> reporters_of(std::uint64_t message);

  /// Removes messages with all their reports whose last report is before `time`, at most `most` of
  /// them. What was taught stays, and belongs to nobody: of hashes that others reported, too, only
  /// what `weigh` gives these others is still theirs (`seen` is ignored). Returns how many were
  /// removed.
  /// Cost: linear in the reporters of each hash of these messages.
  Result<std::size_t> forget_before(std::int64_t time, std::size_t most, const Weigh& weigh);
  /// The time of the newest report; 0 without one.
  Result<std::int64_t> newest();

  /// All reporters, those with most reports first, at most `most`.
  Result<std::vector<ReporterRow>> reporters(std::size_t most);

  struct Counts {
    std::uint64_t messages = 0;
    std::uint64_t reporters = 0;
    std::uint64_t aside = 0;  ///< hashes that were not taught
  };
  Result<Counts> counts();

 private:
  ReportTable(OwnedFile file, std::unique_ptr<ReportStatements> statements);

  Status note_reporter(const ReportRow& row, bool is_new);
  Status settle(const ReportRow& row, std::optional<ReportKind> before, std::int64_t counted);
  Result<std::vector<std::int64_t>> links_of(std::uint64_t message, std::uint64_t reporter);
  Status drop_links(const ReportRow& row, std::vector<std::int64_t>& touched);
  Status link(const ReportRow& row, std::vector<std::int64_t>& touched);
  Status weigh_all(std::span<const std::int64_t> ids, const Weigh& weigh,
                   std::vector<HashChange>& changes);
  Status disown(std::int64_t hash, const Weigh& weigh);
  Result<std::optional<HashChange>> find_hash(std::int64_t id);
  Result<std::vector<Supporter>> supporters_of(std::int64_t hash);
  Result<ReporterRow> reporter(std::uint64_t name);

  OwnedFile file_;
  std::unique_ptr<ReportStatements> statements_;  ///< end before the database
};

}  // namespace shingled::storage::sqlite
